"""What a certificate leaves to its check by default.

Apart from what makes certificates, since that loads the compiler.
"""

SHORT = 5
"""Plies within which the check finds any win itself."""
LEAF = 11
"""Plies left where a move may be left out that the check soon finds."""
NODES = 50_000
"""Nodes within which the check finds such a move."""
NODES_FOR_MOVES = 3_000_000

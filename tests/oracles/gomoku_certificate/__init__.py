"""A second checker of Gomoku's certificates, written from docs/proofs.md alone.

Plain Python: its own reader of the file, its own rules and its own search, in which every legal
reply is played; `search` says how. It shares no line with the checker it is held against, nor that
one's argument which replies matter to a threat. From the root of a checkout:

    python -m tests.oracles.gomoku_certificate FILE --sample 150 --jobs 2
"""

from tests.oracles.gomoku_certificate.checker import Counts, Hole, NoEntry, SlowChecker
from tests.oracles.gomoku_certificate.reading import SlowCertificate, SlowEntry, read
from tests.oracles.gomoku_certificate.rules import SlowRules, each
from tests.oracles.gomoku_certificate.search import SlowSearch

__all__ = [
    "Counts",
    "Hole",
    "NoEntry",
    "SlowCertificate",
    "SlowChecker",
    "SlowEntry",
    "SlowRules",
    "SlowSearch",
    "each",
    "read",
]

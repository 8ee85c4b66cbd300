"""The kernels' board record, as tests compare it."""

from typing import Any

# Limits and counters, and the notes that the board keeps for stones that are taken back.
_CHANGEABLE = {
    *("nodes", "node_limit", "next_check", "stop"),
    *("kept", "changes_before", "changed", "former_patterns", "played"),
    *("levels_before", "former_level"),
}


def content(state: Any) -> dict[str, bytes]:
    """The record without what a search may change, field by field."""
    return {name: state[name].tobytes() for name in set(state.dtype.names) - _CHANGEABLE}

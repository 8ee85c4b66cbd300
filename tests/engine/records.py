"""The kernels' board record, as tests compare it."""

from typing import Any

# Limits and counters, and the notes that the board keeps for stones that are taken back.
_CHANGEABLE = ("nodes", "node_limit", "next_check", "stop", "kept", "changed", "changed_from")


def content(state: Any) -> bytes:
    """The record without what a search may change."""
    copy = state.copy()
    for field in _CHANGEABLE:
        copy[field] = 0
    return bytes(copy.tobytes())

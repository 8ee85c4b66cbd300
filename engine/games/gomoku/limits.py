"""When kernels stop: the limits that the search and the threat solver obey alike."""

from typing import Any

from numba import types

from engine.games.gomoku.board import State
from engine.kernels import kernel, now

NODES_BETWEEN_CHECKS = 512


@kernel(types.void(State))
def check_limits(s: Any) -> None:
    """Set `s.stop` when a limit is reached; the clock is asked every few hundred nodes.

    To be called when `s.nodes` has reached `s.next_check`.
    """
    if s.nodes >= s.node_limit or (s.deadline > 0 and now() >= s.deadline):
        s.stop = 1
    s.next_check = min(s.nodes + NODES_BETWEEN_CHECKS, s.node_limit)

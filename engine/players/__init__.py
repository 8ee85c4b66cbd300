"""Players that need nothing but a position.

Five agents of class-room projects, rebuilt from their authors' reports; a random player; and
this project's engine. Players that need a book or another process are in `service.play`.
"""

import importlib

from engine.errors import FivebookError
from engine.players.base import Agent

_AGENTS = {
    "consecutive-rows": "consecutive_rows:ConsecutiveRows",
    "weighted-defence": "weighted_defence:WeightedDefence",
    "six-cell-frames": "six_cell_frames:SixCellFrames",
    "five-cell-bins": "five_cell_bins:FiveCellBins",
    "closeness": "closeness:Closeness",
}

AGENT_NAMES = tuple(_AGENTS)


class UnknownPlayer(FivebookError, LookupError):
    """No player has this name."""


def agent(name: str) -> type[Agent]:
    """The published agent called `name`; its kernels are compiled, or loaded, now.

    Raises:
        UnknownPlayer: if there is none.
    """
    if name not in _AGENTS:
        raise UnknownPlayer(f"unknown agent '{name}'; there are {', '.join(_AGENTS)}")
    module, _, class_name = _AGENTS[name].partition(":")
    found: type[Agent] = getattr(importlib.import_module(f"{__name__}.{module}"), class_name)
    return found

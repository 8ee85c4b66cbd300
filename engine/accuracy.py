"""How sure values are: how far those of a search of some depth moved when it was searched deeper.

The numbers are in `accuracy.json`, one for each depth, and `tools.accuracy` measures them. Values
of all boards of a rule are judged by those of the measured one that is nearest in size.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("accuracy.json")

CLASSES = {"A": 0.025, "B": 0.05, "C": 0.1, "D": 0.2, "E": 1.0}
"""The uncertainty up to which a value is of each class."""


class Accuracy:
    """What is known of the values of one game's searches.

    `moved` are the root mean squares, by depth, of what the winning chance of a position moved by.
    """

    def __init__(self, moved: Sequence[float]) -> None:
        self.moved = tuple(moved)

    def uncertainty(self, depth: int, proven: bool) -> float | None:
        """By how much the winning chance of a value of this depth may well be wrong, 0 to 1.

        0 for what is proven, None where nothing was measured. Beyond the measured depths it is as
        for the greatest of them.
        """
        if proven:
            return 0.0
        if not self.moved:
            return None
        return self.moved[min(max(depth, 0), len(self.moved) - 1)]


@cache
def accuracy_of(measured_as: str) -> Accuracy:
    """The accuracy of the games of this name, see `engine.game.Game.measured_as`."""
    known = json.loads(FILE.read_bytes())
    return Accuracy(known[measured_as]["moved"] if measured_as in known else ())


def class_of(uncertainty: float | None) -> str | None:
    """The class of a value, A being the surest; None where nothing was measured."""
    if uncertainty is None:
        return None
    return next(name for name, most in CLASSES.items() if uncertainty <= most)

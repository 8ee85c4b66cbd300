"""The weights of the Gomoku evaluation, which ``python -m tools.fit`` fits.

They are in ``weights.json`` beside this module, and with them how they came about.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")

# In the order of the classes in `lines` and of the levels in `board`.
_ROWS = ("nothing", "two", "open two", "three", "open three", "four", "open four", "five")
_LEVELS = ("plain", "open three", "double three", "four", "four and three", "open four", "five")
_MOVER, _WAITER = "side to move", "other side"


@dataclass(frozen=True, slots=True)
class Weights:
    """What a cell is worth to a side that could play there, in centi-units.

    `rows` counts for each of its four lines, by what a stone there makes on the line; `levels`
    once, by what it achieves over all four. Each has the weights for the side to move first and
    those for the other side second. `tempo` is what being to move is worth besides.
    """

    rows: tuple[tuple[int, ...], tuple[int, ...]]
    levels: tuple[tuple[int, ...], tuple[int, ...]]
    tempo: int

    def __iter__(self) -> Iterator[int]:
        """All weights: rows and levels of the side to move, those of the other side, tempo."""
        for rows, levels in zip(self.rows, self.levels, strict=True):
            yield from rows
            yield from levels
        yield self.tempo

    @staticmethod
    def of(numbers: Sequence[int]) -> "Weights":
        """The inverse of iterating."""
        rows, side = len(_ROWS), len(_ROWS) + len(_LEVELS)
        mover, waiter = tuple(numbers[:side]), tuple(numbers[side : 2 * side])
        (tempo,) = numbers[2 * side :]
        return Weights((mover[:rows], waiter[:rows]), (mover[rows:], waiter[rows:]), tempo)

    def write(self, file: Path, origin: Mapping[str, object]) -> None:
        """Write them to `file`, with what there is to say of their `origin`."""
        document: dict[str, object] = {"origin": dict(origin)}
        for side, rows, levels in zip((_MOVER, _WAITER), self.rows, self.levels, strict=True):
            document[side] = {
                "rows": dict(zip(_ROWS, rows, strict=True)),
                "levels": dict(zip(_LEVELS, levels, strict=True)),
            }
        document["tempo"] = self.tempo
        file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def read(file: Path = FILE) -> Weights:
    """The weights in `file`.

    Raises:
        KeyError: if one is missing.
    """
    document = json.loads(file.read_text(encoding="utf-8"))
    sides = document[_MOVER], document[_WAITER]
    mover_rows, waiter_rows = (tuple(side["rows"][name] for name in _ROWS) for side in sides)
    mover_levels, waiter_levels = (
        tuple(side["levels"][name] for name in _LEVELS) for side in sides
    )
    return Weights((mover_rows, waiter_rows), (mover_levels, waiter_levels), document["tempo"])

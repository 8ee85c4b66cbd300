"""The weights of the Gomoku evaluation and of its order of moves, made by ``python -m tools.fit``.

Each rule has its own, in a file of ``weights/``, and with them how they came about.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku import Rule, patterns
from engine.games.gomoku.board import PATTERNS, THREATS

FOLDER = Path(__file__).with_suffix("")

_COMBINATIONS = len(patterns.COMBINATIONS)
# Dark is restricted in renju alone.
_TABLES = {
    Rule.FREESTYLE: ("both sides",),
    Rule.STANDARD: ("both sides",),
    Rule.RENJU: ("light", "dark"),
}
_TO_MOVE = ("side to move", "other side")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What a cell is worth by the combination of rows that a stone there would make.

    `worth` adds up to the evaluation, in centi-units; `policy` orders moves, in hundredths of the
    natural logarithm of odds. Both have the shape (tables, 2, combinations): in renju a table for
    light and one for dark, otherwise one for both; for the side to move and for the other side;
    in the order of `patterns.COMBINATIONS`. `threats` is what all that both sides threaten is worth
    besides to the side to move, whose table it is, by `board.threats`: shape (tables, THREATS).
    `tempo` is what being to move is worth in any case.
    """

    worth: NDArray[np.int16]
    policy: NDArray[np.int16]
    threats: NDArray[np.int16]
    tempo: int

    def write(self, file: Path, rule: Rule, origin: Mapping[str, object]) -> None:
        """Write them to `file`, with what there is to say of their `origin`."""
        tables = {
            of: {
                name: dict(zip(_TO_MOVE, getattr(self, name)[number].tolist(), strict=True))
                for name in ("worth", "policy")
            }
            | {"threats": self.threats[number].tolist()}
            for number, of in enumerate(_TABLES[rule])
        }
        document = {"origin": dict(origin), "tempo": self.tempo, **tables}
        file.write_text(_in_lines(document), encoding="utf-8")


def file_of(rule: Rule) -> Path:
    """Where the weights of `rule` are."""
    return FOLDER / f"{rule.name.lower()}.json"


def read(rule: Rule, file: Path | None = None) -> Weights:
    """The weights of `rule`, in `file` if it is not the installed one.

    Raises:
        KeyError: if some are missing.
    """
    return _parsed(rule, (file or file_of(rule)).read_bytes())


# Every searcher has several boards, and each of them reads the weights.
@lru_cache(maxsize=8)
def _parsed(rule: Rule, text: bytes) -> Weights:
    document = json.loads(text)
    worth, policy = (
        np.array(
            [[document[of][name][side] for side in _TO_MOVE] for of in _TABLES[rule]],
            dtype=np.int16,
        ).reshape(-1, 2, _COMBINATIONS)
        for name in ("worth", "policy")
    )
    threats = np.array([document[of]["threats"] for of in _TABLES[rule]], dtype=np.int16)
    return Weights(worth, policy, threats.reshape(-1, THREATS), document["tempo"])


def by_pattern(weights: NDArray[np.int16]) -> NDArray[np.int16]:
    """`worth` or `policy` by pattern: of a free side, then of a restricted one. (2, 65536, 2)."""
    table = weights[:, :, patterns.combination_of()].swapaxes(1, 2)
    return np.broadcast_to(table[[0, -1]], (2, PATTERNS, 2))


def _in_lines(document: Mapping[str, object]) -> str:
    """JSON with a line for each list of numbers."""
    text = json.dumps(document, indent=1)
    return re.sub(r"\[[^][{}]*\]", lambda numbers: " ".join(numbers[0].split()), text) + "\n"

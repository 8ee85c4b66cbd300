"""The weights of the Gomoku evaluation and of its order of moves.

``python -m tools.fit`` and ``python -m tools.network`` make them. Each rule has its own, in a file
of ``weights/``, and with them how they came about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku import Rule, patterns
from engine.games.gomoku.board import (
    FADING_STEPS,
    FEATURES,
    HIDDEN,
    SECOND_HIDDEN,
    THREATS,
    WHOLE,
    WIDTH,
)
from engine.games.gomoku.line_table import KINDS

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
class Network:
    """The weights of `network`, for each table of `Weights`: whole numbers, in the units there.

    `embedding` is what a pair of rows on one line stands for, by the kind of the table's own side
    and by that of the other: shape (tables, kinds, kinds, FEATURES). `first` and `first_bias` are
    those for the table's side to move, whose own features come before the other side's: shapes
    (tables, HIDDEN, WIDTH) and (tables, HIDDEN). `second`, `second_bias` and `last` are the same
    for both: shapes (SECOND_HIDDEN, HIDDEN), (SECOND_HIDDEN,) and (SECOND_HIDDEN,).

    `fading` is what is left of the whole value, in parts of `WHOLE`, by how often the board has
    `STONES_A_STEP` stones: the fuller it is, the less a lead will be worth. Shape (FADING_STEPS,).
    """

    embedding: NDArray[np.int16]
    first: NDArray[np.int16]
    first_bias: NDArray[np.int32]
    second: NDArray[np.int16]
    second_bias: NDArray[np.int32]
    last: NDArray[np.int32]
    last_bias: int
    fading: NDArray[np.int32]

    @classmethod
    def silent(cls, rule: Rule) -> Network:
        """One that adds nothing to any value, and takes nothing away."""
        shapes = _network_shapes(rule)
        arrays: dict[str, Any] = {
            name: np.zeros(shape, kind) for name, (shape, kind) in shapes.items()
        }
        return cls(**arrays | {"fading": arrays["fading"] + WHOLE}, last_bias=0)

    def write(self, file: Path, origin: Mapping[str, object]) -> None:
        """Put it beside the other weights in `file`, with what there is to say of its `origin`."""
        document = json.loads(file.read_bytes())
        document["network"] = {"origin": dict(origin)} | {
            each.name: np.asarray(getattr(self, each.name)).tolist() for each in fields(self)
        }
        file.write_text(in_lines(document), encoding="utf-8")


def _network_shapes(rule: Rule) -> dict[str, tuple[tuple[int, ...], type[np.integer[Any]]]]:
    """The shape and the type of each array of a `Network`."""
    tables = len(_TABLES[rule])
    return {
        "embedding": ((tables, len(KINDS), len(KINDS), FEATURES), np.int16),
        "first": ((tables, HIDDEN, WIDTH), np.int16),
        "first_bias": ((tables, HIDDEN), np.int32),
        "second": ((SECOND_HIDDEN, HIDDEN), np.int16),
        "second_bias": ((SECOND_HIDDEN,), np.int32),
        "last": ((SECOND_HIDDEN,), np.int32),
        "fading": ((FADING_STEPS,), np.int32),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What a cell is worth by the combination of rows that a stone there would make.

    `worth` adds up to the evaluation, in centi-units; `policy` orders moves, in hundredths of the
    natural logarithm of odds. Both have the shape (tables, 2, combinations): in renju a table for
    light and one for dark, otherwise one for both; for the side to move and for the other side;
    in the order of `patterns.COMBINATIONS`. One without a two or more is worth nothing, so that a
    larger board is not another position. `threats` is what all that both sides threaten is worth
    besides to the side to move, whose table it is, by `board.threats`: shape (tables, THREATS).
    `tempo` is what being to move is worth in any case. `network` adds to the sum of all these and
    has it fade.
    """

    worth: NDArray[np.int16]
    policy: NDArray[np.int16]
    threats: NDArray[np.int16]
    tempo: int
    network: Network

    def write(self, file: Path, rule: Rule, origin: Mapping[str, object]) -> None:
        """Write them to `file`, with what there is to say of their `origin`.

        The network is not among them: it is fitted to what they leave.
        """
        tables = {
            of: {
                name: dict(zip(_TO_MOVE, getattr(self, name)[number].tolist(), strict=True))
                for name in ("worth", "policy")
            }
            | {"threats": self.threats[number].tolist()}
            for number, of in enumerate(_TABLES[rule])
        }
        document = {"origin": dict(origin), "tempo": self.tempo, **tables}
        file.write_text(in_lines(document), encoding="utf-8")


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
    threats = threats.reshape(-1, THREATS)
    return Weights(worth, policy, threats, document["tempo"], _network_in(document, rule))


def _network_in(document: Mapping[str, Any], rule: Rule) -> Network:
    """The network of a file, a silent one where it has none."""
    if "network" not in document:
        return Network.silent(rule)
    network = document["network"]
    arrays: dict[str, Any] = {
        name: np.array(network[name], dtype=kind).reshape(shape)
        for name, (shape, kind) in _network_shapes(rule).items()
    }
    return Network(**arrays, last_bias=network["last_bias"])


def by_number(weights: NDArray[np.int16]) -> NDArray[np.int16]:
    """`worth` or `policy` by the number of a pattern: of a free side, then of a restricted one.

    Shape (2, NUMBERS, 2), for the side to move and for the other one.
    """
    numbers = patterns.combination_of()[patterns.by_number()]
    return weights[[0, -1]][:, :, numbers].swapaxes(1, 2)


def in_lines(document: Mapping[str, object]) -> str:
    """JSON with a line for each list of numbers."""
    text = json.dumps(document, indent=1)
    return re.sub(r"\[[^][{}]*\]", lambda numbers: " ".join(numbers[0].split()), text) + "\n"

"""Small conversions between what the tables hold and what the rest of the code speaks of."""

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import CursorResult, Row

from engine.game import Game, Key
from engine.position import Move, cells_of
from engine.values import Bound, Value

AnyRow = Row[*tuple[Any, ...]]

KEY_BYTES = 16

# The number of each bound in the tables; these never change.
BOUND_NUMBERS = {Bound.EXACT: 0, Bound.LOWER: 1, Bound.UPPER: 2}
BOUNDS = {number: bound for bound, number in BOUND_NUMBERS.items()}


@dataclass(frozen=True, slots=True)
class Rest:
    """A rest slot as a search found it, in the canonical orientation of its position.

    `child` is the key of the position behind `move`, None where the move ends the game. `line`
    begins with the move.
    """

    move: Move
    value: Value
    bound: Bound
    proven: bool
    child: Key | None
    line: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """One finished search of a canonical position.

    `rest` is None where every move leads to an excluded child. `children` gives, for a new
    position, the keys of its children and the smallest move to each.
    """

    key: Key
    stones: bytes
    rest: Rest | None
    depth: int
    nodes: int
    milliseconds: int
    children: dict[Key, Move]

    def to_json(self) -> str:
        """A text from which `from_json` makes an equal object."""
        data = asdict(self) | {"children": {k.hex(): m for k, m in self.children.items()}}
        return json.dumps(data, default=bytes.hex)

    @staticmethod
    def from_json(text: str, game: Game) -> "Searched":
        """The object that `to_json` wrote. Fivebook 0.3 wrote lines in the notation of `game`."""
        data = json.loads(text)
        rest = data["rest"]
        if rest is not None:
            child, line = rest["child"], rest["line"]
            rest = Rest(
                **rest
                | {
                    "bound": Bound(rest["bound"]),
                    "child": None if child is None else bytes.fromhex(child),
                    "line": tuple(game.parse_line(line) if isinstance(line, str) else line),
                }
            )
        return Searched(
            **data
            | {
                "key": bytes.fromhex(data["key"]),
                "stones": bytes.fromhex(data["stones"]),
                "rest": rest,
                "children": {bytes.fromhex(k): m for k, m in data["children"].items()},
            }
        )


def inserted_id(result: CursorResult[*tuple[Any, ...]]) -> int:
    """The number of the row that a statement inserted."""
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def now() -> str:
    """The present time, as the tables have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def stones_by_name(game: Game, stones: bytes) -> tuple[str, str]:
    """The cells of the dark and of the light stones of a packed position, in notation."""
    position = game.unpack(stones)
    dark, light = (
        " ".join(map(game.format_cell, cells_of(side))) for side in (position.dark, position.light)
    )
    return dark, light


def join_keys(keys: Iterable[Key]) -> bytes:
    """Keys in one blob, ascending."""
    return b"".join(sorted(keys))


def split_keys(blob: bytes) -> Iterator[Key]:
    """The keys that `join_keys` joined."""
    return (blob[at : at + KEY_BYTES] for at in range(0, len(blob), KEY_BYTES))


def lookup_of(key: Key) -> int:
    """The number under which a position of this key is found: in 32 bits, ascending with keys."""
    return int.from_bytes(key[:4], "big") - (1 << 31)


def move_width(game: Game) -> int:
    """How many bytes stand for one move."""
    return 1 if game.move_count <= 256 else 2


def pack_line(game: Game, line: Sequence[Move]) -> bytes:
    """Moves in one blob, in their order."""
    width = move_width(game)
    return b"".join(move.to_bytes(width, "big") for move in line)


def unpack_line(game: Game, blob: bytes) -> tuple[Move, ...]:
    """The moves that `pack_line` packed; of what it did not pack some may be none of the game's."""
    if move_width(game) == 1:
        return tuple(blob)
    if len(blob) % 2:
        blob = blob[:-1] + b"\x00" + blob[-1:]
    return struct.unpack(f">{len(blob) // 2}H", blob)


def is_line(game: Game, blob: Any) -> bool:
    """Whether `pack_line` may have packed it: one move of the game or more."""
    if not isinstance(blob, bytes) or not blob:
        return False
    if move_width(game) == 1:
        return max(blob) < game.move_count
    return len(blob) % 2 == 0 and max(unpack_line(game, blob)) < game.move_count

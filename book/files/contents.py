"""What files hold, whatever their format: noted positions and played games."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from book.errors import InvalidRecord
from engine.game import Game, Outcome
from engine.position import Move, Position
from engine.values import Bound, Value

LONGEST_TEXT = 100_000
"""The characters of a comment that a book keeps; the rest is left out, and counted."""
LONGEST_LABEL = 100
_EXAMPLES = 3
_CHINESE = "gb18030"
_PAIRS = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xfe]{2})*+")


class Results(NamedTuple):
    """How many games came to a position, and how they ended; some may have no result."""

    games: int = 0
    dark_wins: int = 0
    draws: int = 0
    light_wins: int = 0

    @classmethod
    def of(cls, outcome: Outcome | None) -> "Results":
        """Those of one game."""
        return cls(
            1,
            int(outcome is Outcome.DARK_WINS),
            int(outcome is Outcome.DRAW),
            int(outcome is Outcome.LIGHT_WINS),
        )

    def plus(self, other: "Results") -> "Results":
        """Both together."""
        return Results(*(one + more for one, more in zip(self, other, strict=True)))


NO_GAMES = Results()


@dataclass(frozen=True, slots=True)
class Noted:
    """What a file says of a position, in the orientation that it has there.

    `value` is for the side to move, None where the file has none; a claimed win in *n* plies is
    ``WIN - n``. It proves nothing. `bound` is None where the file leaves it open, `depth` in plies.
    `label` is a short mark: `w`, `l` and `d` are won, lost and drawn for the side that has just
    moved.
    """

    game: Game
    position: Position
    value: Value | None = None
    bound: Bound | None = None
    depth: int = 0
    label: str = ""
    comment: str = ""
    results: Results = NO_GAMES


@dataclass(frozen=True, slots=True)
class Played:
    """A game as it was played: legal moves from the empty board, and how it ended, if known."""

    game: Game
    moves: tuple[Move, ...]
    outcome: Outcome | None = None


Item = Noted | Played


def noted_of_item(item: Item) -> Iterator[Noted]:
    """What an item says of each position that it tells of; a game counts in each of its own."""
    if isinstance(item, Noted):
        yield item
        return
    game, position, results = item.game, item.game.initial, Results.of(item.outcome)
    yield Noted(game, position, results=results)
    for move in item.moves:
        position = game.play(position, move)
        yield Noted(game, position, results=results)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree that is written; nodes come parents first, and first children first.

    `move` leads to it from its parent, None at a root. `noted` is None where the node only leads
    to others. `path` is every move from the empty board on, None below a root that is not empty.
    """

    level: int
    move: Move | None
    position: Position
    noted: Noted | None
    path: tuple[Move, ...] | None
    has_child: bool
    has_sibling: bool


class Coordinates(StrEnum):
    """How the numbers of a move such as ``7,7`` are meant.

    `natural` counts columns from the left and rows from the bottom, both from 1; `piskvork`
    counts rows from the top, and both from 0.
    """

    NATURAL = "natural"
    PISKVORK = "piskvork"


@dataclass(slots=True)
class LeftOut:
    """What could not be carried over: how often for each reason, with the first places."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, place: str = "", count: int = 1) -> None:
        """Count something that was left out."""
        self.counts[reason] += count
        examples = self.places.setdefault(reason, [])
        if place and len(examples) < _EXAMPLES:
            examples.append(place)

    def described(self) -> Iterator[str]:
        """A line for each reason, in the order in which they came."""
        for reason, count in self.counts.items():
            examples = self.places[reason]
            more = ", ..." if count > len(examples) else ""
            where = f" ({', '.join(examples)}{more})" if examples else ""
            yield f"{count:,} × {reason}{where}"


@dataclass(frozen=True, slots=True)
class Request:
    """How a file is to be read.

    `game` is what it is read as, where it does not say; what it says is of another game is left
    out. `encoding` is that of old texts, None to guess. A file of more than `most_bytes`, packed
    or not, is refused; so is one of more than `most_nodes` positions.
    """

    game: Game | None = None
    coordinates: Coordinates = Coordinates.NATURAL
    encoding: str | None = None
    most_bytes: int = 1 << 30
    most_text: int = 1 << 26
    most_nodes: int = 20_000_000
    left_out: LeftOut = field(default_factory=LeftOut)

    def wants(self, game: Game, place: str = "") -> bool:
        """Whether what is of `game` is to be read; counted as left out otherwise."""
        if self.game in (None, game):
            return True
        self.left_out.add(f"of another game, {game.id}", place)
        return False

    def on_board(self, usual: Game) -> Game | None:
        """The wanted game where a file tells its board alone, which is that of the `usual` one.

        None, which is counted, where the wanted game has another board.
        """
        if self.game is None:
            return usual
        if (self.game.width, self.game.height) == (usual.width, usual.height):
            return self.game
        self.left_out.add(f"a game on a board of {usual.width}×{usual.height}")
        return None

    def text(self, raw: bytes, legacy: str) -> str:
        """`raw` as text: in the wanted encoding, else UTF-8, else `legacy`.

        Old texts whose foreign bytes all come in pairs are taken for Chinese.
        """
        guesses = ["utf-8", *([_CHINESE] if _PAIRS.fullmatch(raw) else []), legacy]
        for encoding in [self.encoding] if self.encoding else guesses:
            try:
                return self.kept(raw.decode(encoding))
            except UnicodeDecodeError:
                continue
        self.left_out.add("a character that cannot be read")
        return self.kept(raw.decode(self.encoding or legacy, errors="replace"))

    def kept(self, text: str) -> str:
        """`text` as far as a book can keep it."""
        text = text.replace("\0", "")
        if len(text) > LONGEST_TEXT:
            self.left_out.add(f"the end of a comment of more than {LONGEST_TEXT:,} characters")
        return text[:LONGEST_TEXT]

    def whole_text(self, raw: bytes) -> str:
        """The text of a whole file.

        Raises:
            InvalidRecord: if it is no text, or too long.
        """
        if len(raw) > self.most_text:
            raise InvalidRecord(f"it has more than {self.most_text:,} bytes: split it")
        try:
            return raw.decode(self.encoding or "utf-8-sig")
        except UnicodeDecodeError as error:
            name = self.encoding or "UTF-8"
            raise InvalidRecord(f"it is no text in {name}: name another with --encoding") from error

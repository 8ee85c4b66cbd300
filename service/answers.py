"""The one shape of every answer, whatever its source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from engine.game import Game, Outcome
from engine.position import Move, Position
from engine.search import Method
from engine.values import Bound, Value, distance, is_decisive, winning_probability

if TYPE_CHECKING:
    from book.imported import Imported

_DECIMALS = 4
_OF_A_DRAW = 0.5


class Source(StrEnum):
    """Where an answer comes from: `proof` is a truth, by the rules, stored or found just now."""

    PROOF = "proof"
    BOOK = "book"
    LIVE = "live"


class MoveSource(StrEnum):
    """Where the value of a move comes from.

    `book`: the position after it is stored. `rest`: the search of the position asked about,
    over the moves that are not stored. `live`: the search made for this answer.
    """

    BOOK = "book"
    REST = "rest"
    LIVE = "live"


@cache
def win_rate(value: Value, proven: bool) -> float:
    """The chance, 0 to 1 with four decimals, that the side to move wins, a draw counting one half.

    It is 1 for a proven win, 0 for a proven loss and 0.5 for a proven draw.
    """
    if proven and not is_decisive(value):
        return _OF_A_DRAW
    return round(winning_probability(value), _DECIMALS)


class AnswerMove(NamedTuple):
    """A move of the position asked about, with its value for the side to move.

    `line` starts with the move. `method` is what found a live value, None for any other.
    """

    move: Move
    value: Value
    bound: Bound
    proven: bool
    depth: int
    source: MoveSource
    method: Method | None
    line: tuple[Move, ...]

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss."""
        return distance(self.value) if self.proven else None

    @property
    def win_rate(self) -> float:
        """The chance of the side to move, see `win_rate`."""
        return win_rate(self.value, self.proven)

    @property
    def origin(self) -> str:
        """Where the value comes from in one word: what found it, if that was just now."""
        return self.method or self.source


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one position, in the orientation in which it was asked.

    `played` are the moves that lead to `position`. `value`, in centi-units, is for the side to
    move. `method` is what found a live answer: the exact solver, or the search, which estimates
    what it cannot prove; None for any other answer, and a book does not keep it. A live answer that
    is proven is a proof by its `source`.
    `outcome` tells how a finished game ended; it then has no moves. `forbidden` are the moves to
    free cells that the rule forbids the side to move, as renju does to dark. `depth` (plies),
    `nodes` and `seconds` are those of the search behind the answer: the one just made, or the
    stored one. `moves` are best first. `elapsed_us` is the time that finding the answer took, in
    microseconds. `imported` is what files say that were imported into the books, None if nothing.
    """

    source: Source
    method: Method | None
    game: Game
    played: tuple[Move, ...]
    position: Position
    outcome: Outcome | None
    forbidden: tuple[Move, ...]
    value: Value
    bound: Bound
    proven: bool
    depth: int
    nodes: int
    seconds: float
    moves: tuple[AnswerMove, ...]
    elapsed_us: int
    imported: Imported | None = None

    @property
    def best(self) -> AnswerMove | None:
        """The first of the moves."""
        return self.moves[0] if self.moves else None

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss."""
        return distance(self.value) if self.proven else None

    @property
    def win_rate(self) -> float:
        """The chance of the side to move, see `win_rate`."""
        return win_rate(self.value, self.proven)

    @property
    def uncertainty(self) -> float | None:
        """By how much `win_rate` may well be wrong, see `engine.accuracy`."""
        depth = self.moves[0].depth if self.moves else self.depth
        return self.game.accuracy.uncertainty(depth, self.proven)

    @property
    def found_live(self) -> str | None:
        """How a live answer was found, as people read it; None for any other."""
        if self.method is Method.SOLVER:
            return "solved live, exactly"
        if self.method is Method.SEARCH:
            return "proven live" if self.proven else "searched live"
        return None


@dataclass(frozen=True, slots=True)
class BookGame:
    """A game in a book, and how many of its positions are stored."""

    game: str
    title: str
    positions: int


@dataclass(frozen=True, slots=True)
class BookSummary:
    """A book that is served. `file` is its name without the folder."""

    file: str
    games: tuple[BookGame, ...]

"""The one shape of every answer, whatever its source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.position import Side
from engine.search import Method
from engine.values import Bound


class Source(StrEnum):
    """Where an answer comes from: `proof` is a stored or rule-given truth."""

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


@dataclass(frozen=True, slots=True)
class AnswerMove:
    """A move of the position asked about, with its value for the side to move.

    `distance` is in plies to the end of a proven win or loss. `line` starts with the move.
    `method` is what found a live value, None for any other.
    """

    move: str
    value: int
    bound: Bound
    proven: bool
    distance: int | None
    depth: int
    source: MoveSource
    method: Method | None
    line: tuple[str, ...]

    @property
    def origin(self) -> str:
        """Where the value comes from in one word: what found it, if that was just now."""
        return self.method or self.source


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one position, in the orientation in which it was asked.

    `method` is what found a live answer: the exact solver, or the search, which estimates what it
    cannot prove; None for any other answer, and a book does not keep it.
    `position` is the moves that lead to it. `value`, in centi-units, is for the side to move.
    `outcome` tells how a finished game ended; it then has no moves. `forbidden` are the moves to
    free cells that the rule forbids the side to move, as renju does to dark. `depth` (plies),
    `nodes` and `milliseconds` are those of the search behind the answer: the one just made, or
    the stored one. `moves` are best first, `best` and `line` are the first one's. `elapsed_us` is
    the time that finding the answer took, in microseconds.
    """

    source: Source
    method: Method | None
    game: str
    position: str
    ply: int
    to_move: Side
    outcome: str | None
    forbidden: tuple[str, ...]
    value: int
    bound: Bound
    proven: bool
    distance: int | None
    depth: int
    nodes: int
    milliseconds: float
    best: str | None
    line: tuple[str, ...]
    moves: tuple[AnswerMove, ...]
    elapsed_us: int


@dataclass(frozen=True, slots=True)
class BestMove:
    """An answer cut down to its best move."""

    source: Source
    method: Method | None
    game: str
    position: str
    outcome: str | None
    forbidden: tuple[str, ...]
    best: str | None
    value: int
    bound: Bound
    proven: bool
    distance: int | None
    elapsed_us: int

    @classmethod
    def of(cls, answer: Answer) -> BestMove:
        """The best move of `answer`."""
        return cls(
            source=answer.source,
            method=answer.method,
            game=answer.game,
            position=answer.position,
            outcome=answer.outcome,
            forbidden=answer.forbidden,
            best=answer.best,
            value=answer.value,
            bound=answer.bound,
            proven=answer.proven,
            distance=answer.distance,
            elapsed_us=answer.elapsed_us,
        )


def found_live(method: Method | None) -> str:
    """How a live answer was found, as people read it."""
    return "solved live, exactly" if method is Method.SOLVER else "searched live"


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

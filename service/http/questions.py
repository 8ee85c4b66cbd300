"""The questions that can be asked over HTTP. Times are in milliseconds."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAX_BATCH = 1000
MAX_LINES = 50

GameId = Annotated[
    str | None,
    Field(description="Id of the game; may be left out where the books hold only one."),
]
Movetime = Annotated[
    float | None,
    Field(
        gt=0,
        allow_inf_nan=False,
        description="Milliseconds that the live search of one position may take; "
        "more than the server's cap is cut to the cap.",
    ),
]
BookOnly = Annotated[bool, Field(description="Do not search positions that no book holds.")]


class Errors(StrEnum):
    """What comes of a batch with positions that cannot be read or cannot come about.

    `first`: the first of them is the error of the whole batch. `each`: every one has its own
    problem document in its place among the answers.
    """

    FIRST = "first"
    EACH = "each"


class BookQuestion(BaseModel):
    """A question that takes no parameters."""

    model_config = ConfigDict(extra="forbid")


class GamePosition(BookQuestion):
    """One position."""

    game: GameId = None
    moves: Annotated[
        str,
        Field(description="The moves so far, separated by commas or spaces; none: empty board."),
    ] = ""


class PositionQuestion(GamePosition):
    """One position, that may be searched."""

    movetime: Movetime = None
    book_only: BookOnly = False


class BestQuestion(PositionQuestion):
    """One position, of which a good move will do."""

    book_margin: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="What the move may give away of the winning chance, 0 to 1, as in 0.03. "
            "Where a book answers, one of those moves is chosen, better ones more often.",
        ),
    ] = 0.0
    seed: Annotated[
        int | None,
        Field(description="Has the same of them chosen each time; without it, chance chooses."),
    ] = None


class LinesQuestion(PositionQuestion):
    """One position, and how many lines of it."""

    lines: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_LINES,
            description="How many of the best moves come with their line. A live search looks "
            "for that many moves, all within movetime; a book's answer has all its moves.",
        ),
    ] = 1


class BatchQuestion(BookQuestion):
    """Many positions of one game."""

    game: GameId = None
    positions: Annotated[
        list[str],
        Field(max_length=MAX_BATCH, description="The moves to each position, as in `moves`."),
    ]
    movetime: Movetime = None
    book_only: BookOnly = False
    errors: Annotated[
        Errors,
        Field(
            description="`each`: a bad position has a problem document in its place among the "
            "answers; `first`: it is the error of the whole batch."
        ),
    ] = Errors.FIRST

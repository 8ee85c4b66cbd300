"""The documents that the service sends, as they are declared in its OpenAPI description."""

from pydantic import BaseModel, Field, RootModel

from service.answers import BookSummary
from service.notated import BestMove, NotatedAnswer


class AnswerDocument(RootModel[NotatedAnswer]):
    """An answer."""


class BestMoveDocument(RootModel[BestMove]):
    """A best move."""


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(description="Which kind of problem, as a URI.")
    title: str = Field(description="The kind in a few words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="One sentence: what is wrong here, and what would be right.")
    instance: str = Field(description="The address that was asked.")


class BatchDocument(BaseModel):
    """An answer for each position asked, in the same order.

    Null where none was looked for; with `errors` `each` a problem where the position is none.
    """

    game: str
    answers: list[NotatedAnswer | Problem | None]
    elapsed_us: int


class BooksDocument(BaseModel):
    """The books that are served."""

    books: tuple[BookSummary, ...]


class HealthDocument(BaseModel):
    """Sent while the service can answer."""

    status: str
    version: str

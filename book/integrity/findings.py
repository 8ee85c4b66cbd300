"""What can be found wrong in a book."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Executable

from book.errors import BookUnreadable

Change = tuple[Executable, dict[str, Any]]


class Kind(StrEnum):
    """What is wrong, in the words of the report."""

    FILE = "damaged file"
    INDEX = "not found by its lookup"
    NOTATION = "wrong notation"
    RUN = "unreadable run"
    NO_RUN = "no such run"
    GAME = "wrong game"
    STONES = "unreadable stones"
    IMAGE = "not canonical"
    DUPLICATE = "stored twice"
    LOOKUP = "wrong lookup"
    PLY = "wrong ply"
    COLUMN = "unreadable column"
    NO_LINK = "missing link"
    LINK_MOVE = "wrong move of a link"
    LINK = "link to nowhere"
    SLOT = "wrong rest slot"
    NOTHING = "neither rest move nor stored move"
    VALUE = "wrong value"
    BOUND = "wrong bound"
    PROVEN = "wrong proven mark"
    OPEN_COST = "wrong open cost"
    COUNTS = "wrong counts"
    IMPORT = "impossible import"
    TASK = "unusable task"
    DIGEST = "not what was written"
    SUM = "wrong sum of digests"
    CONTRADICTED = "contradicted by a search"
    NOT_REPEATED = "not what its search finds"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where, what is there and what should be.

    `mend` are the changes that put it right, as far as it can be derived. `takes_out` is the
    number of a position that cannot be mended and has to go.
    """

    kind: Kind
    where: str
    found: str
    expected: str
    mend: tuple[Change, ...] = ()
    takes_out: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: there is {self.found}, should be {self.expected}"


def damaged(book: str, fault: Finding) -> BookUnreadable:
    """What to say of a book of which `fault` is the first that was found."""
    return BookUnreadable(
        f"'{book}' is damaged: {fault}; fivebook verify tells more, fivebook repair mends it"
    )

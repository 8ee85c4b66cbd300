"""What is wrong with a book over which a command has failed.

Readers check what they use, each row by its digest. What no reader expects of a book that was not
made by this program would still be a fault of the program's for the user.
"""

from collections.abc import Iterable

from book.errors import BookUnreadable
from book.integrity.findings import damaged
from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from engine.errors import FivebookError


def damaged_book(words: Iterable[str]) -> BookUnreadable | None:
    """What is to be said of the first damaged book that a command line names; None without one."""
    for word in words:
        try:
            with at_one_moment(Address.of(word)) as connection:
                fault = next(Verification(connection).findings(), None)
        except BookUnreadable as error:
            return error
        except FivebookError:
            # No book, or one that this version does not know: that is not why the command failed.
            continue
        if fault is not None:
            return damaged(word, fault)
    return None

"""What can be wrong with a book.

FivebookError               (engine.errors)
└── BookError
    ├── NoAddress           what was given leads to no book, whatever is there
    ├── BookMissing         there is no file at this address
    ├── NotABook            the file is something else
    ├── NewerSchema         a later version of fivebook wrote it
    ├── BookUnreadable      the file cannot be read, or is damaged
    │   └── BookAway        the book is out of reach for now, or another is in its place
    │       └── BookOutOfReach  its server does not answer, or the connection was lost
    ├── BookUnwritable      read-only, full disk, or another builder holds it
    ├── OutputRefused       what is to be written would destroy another file
    ├── InvalidRecord       a file of games or positions cannot be read
    └── PositionNotFound    the book does not hold this position
"""

from engine.errors import FivebookError


class BookError(FivebookError):
    """Base of everything that can be wrong with a book."""


class NoAddress(BookError, ValueError):
    """What was given is no address of a book."""


class BookMissing(BookError):
    """There is no file at this address."""


class NotABook(BookError):
    """The file is no fivebook book."""


class NewerSchema(BookError):
    """A later version of fivebook wrote the book."""


class BookUnreadable(BookError):
    """The file cannot be read, or is damaged."""


class BookAway(BookUnreadable):
    """The book is out of reach for now, or another is in its place: what opens it anew may do."""


class BookOutOfReach(BookAway):
    """The book's server does not answer, or ended the connection, which `was_connected` tells."""

    def __init__(self, message: str, *, was_connected: bool = False) -> None:
        super().__init__(message)
        self.was_connected = was_connected


class BookUnwritable(BookError):
    """The book cannot be written: read-only, full disk, or in use by another builder."""


class OutputRefused(BookError):
    """What is to be written would destroy a file that is read, or that is something else."""


class InvalidRecord(BookError, ValueError):
    """A file or a text is no record of games or positions."""


class PositionNotFound(BookError, LookupError):
    """The book does not hold this position."""

"""A copy of a book as it is at one moment, in a file, while a builder may be at work."""

from pathlib import Path

from book.output import files_of, refuse_inputs
from book.storage.address import Address
from book.storage.database import at_one_moment
from book.storage.new_file import partial_of
from book.storage.store import store_of


def snapshot(source: Address, copy: Path) -> int:
    """Copy the book at `source` into a new file; returns its size in bytes.

    The builder goes on meanwhile, and nothing of what it writes then is in the copy.

    Raises:
        BookError: if the book cannot be read, or the copy exists or cannot be written.
    """
    refuse_inputs([copy, partial_of(copy)], files_of(source))
    with at_one_moment(source) as connection:
        store_of(source).copy(connection, copy)
    return copy.stat().st_size

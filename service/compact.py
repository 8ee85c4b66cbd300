"""Answers from compact books."""

import time
from dataclasses import replace

from book.compact import CompactBook, is_compact
from book.errors import PositionNotFound
from book.storage.address import Address
from service.answers import Answer, Source
from service.inquiry import Inquiry


def open_compact(address: Address) -> CompactBook | None:
    """The compact book at `address`; None if what is there, if anything, is none.

    Raises:
        BookError: if it is a compact book that cannot be read.
    """
    path = address.path
    try:
        return CompactBook(path) if path is not None and is_compact(path) else None
    except OSError:
        # Whoever opens it as a book says what is wrong with it.
        return None


def answer_of(book: CompactBook, inquiry: Inquiry) -> Answer:
    """What the rules or a compact book tell of a position of its game.

    Its source is never a proof, since a proof mark in the file is a hint.

    Raises:
        PositionNotFound: if the book does not hold it.
    """
    since = time.perf_counter_ns()
    outcome = inquiry.game.outcome(inquiry.position)
    if outcome is not None:
        return inquiry.finished(outcome, since)
    entry = book.entry(inquiry.position)
    if entry is None:
        raise PositionNotFound(f"'{book.path}' does not hold this position of {book.game.id}")
    return replace(inquiry.found(entry, since), source=Source.BOOK)

"""Giving back the space that a book no longer uses."""

from book.reader import BookReader
from book.storage.address import Access, Address
from book.storage.store import store_of
from book.whole.summary import size_on_disk


def vacuum(address: Address) -> tuple[int, int]:
    """Pack a book as small as it can be; returns its bytes before and after.

    Raises:
        BookError: if a builder has the book, or it cannot be written.
    """
    with BookReader(address) as reader:
        before = size_on_disk(reader)
    store = store_of(address)
    with store.explained():
        engine = store.open_engine(Access.WRITE)
        with engine.connect() as connection, store.alone(connection):
            store.pack(connection)
        engine.dispose()
    with BookReader(address) as reader:
        return before, size_on_disk(reader)

"""Giving back the space that a book no longer uses."""

from pathlib import Path

from book.errors import BookUnwritable
from book.reader import BookReader
from book.storage import postgresql, sqlite
from book.storage.address import Address
from book.storage.database import Access, explained, open_engine
from book.storage.schema import metadata
from book.whole.summary import size_on_disk
from book.writer import alone_at


def vacuum(address: Address) -> tuple[int, int]:
    """Pack a book as small as it can be; returns its bytes before and after.

    Raises:
        BookError: if a builder has the book, or it cannot be written.
    """
    with BookReader(address) as reader:
        before = size_on_disk(reader)
    if isinstance(address.place, Path):
        _vacuum_file(address, address.place)
    else:
        _vacuum_tables(address)
    with BookReader(address) as reader:
        return before, size_on_disk(reader)


def _vacuum_file(address: Address, path: Path) -> None:
    engine = open_engine(address, Access.WRITE)
    with alone_at(path), explained(address), engine.connect() as connection:
        driver = sqlite.driver_of(connection)
        for statement in ("VACUUM", "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"):
            driver.execute(statement)
    engine.dispose()


def _vacuum_tables(address: Address) -> None:
    engine = open_engine(address, Access.WRITE)
    with explained(address), engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        if not postgresql.lock_for_building(connection):
            raise BookUnwritable(f"'{address}' is being built by another process")
        for table in metadata.sorted_tables:
            connection.exec_driver_sql(f"VACUUM FULL ANALYZE {table.name}")
    engine.dispose()

"""Books in a file of their own: looking at it before it is touched, and opening it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from errno import EACCES
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from book.errors import BookError, BookMissing, BookUnreadable, BookUnwritable, NotABook
from book.storage.address import Access
from book.storage.guarded import TOO_LONG, TOO_MANY_STEPS, GuardedConnection
from book.storage.known_schema import check_schema
from book.storage.log import has_log, is_own, log_of, mark
from book.storage.revisions import check_revision, create, migrate
from book.storage.schema import REVISIONS

_WAIT_FOR_LOCK_MS = 10_000
_WAIT_FOR_READERS_MS = 1_000
_IS_MARKED = "log is marked"


def open_engine(path: Path, access: Access) -> Engine:
    """A checked engine for the book at `path`, of the present schema; without a pool.

    Raises:
        BookError: the one that fits, where it is no fault of the database's.
    """
    new = check_file(path, access)
    if not new:
        # Looked at before anything is set up: a file that is no book is not to be touched.
        _check_schema(path, access)
    engine = create_engine("sqlite://", creator=lambda: connect(path, access), poolclass=NullPool)
    if access is Access.WRITE:
        event.listen(engine, "connect", _set_up_writer)
        # Python's driver would begin a transaction only at the first change, so that what was
        # read before it could be outdated; the builder takes the write lock at once.
        event.listen(engine, "begin", _begin)
        event.listen(engine, "commit", _note_mark)
        _bring_schema_up(engine)
    return engine


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Keep other builders from the file at `path`; gives whether there was none.

    Raises:
        BookUnwritable: if there can be no lock.
    """
    # Imported here because it is slow to load, and readers lock nothing.
    from filelock import FileLock, Timeout

    lock = FileLock(f"{path}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except OSError as error:
        raise BookUnwritable(f"cannot write '{lock.lock_file}': {error.strerror}") from error
    try:
        yield True
    finally:
        # Removed while it is held, so that no other builder's lock is taken away.
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def set_journal(connection: Connection, mode: str) -> None:
    """Have the book's changes go through another journal, or through none: `OFF`.

    Without one an interrupted change spoils the file; that is for files nobody has seen yet.
    """
    driver = driver_of(connection)
    driver.execute(f"PRAGMA journal_mode = {mode}")
    driver.execute(f"PRAGMA synchronous = {'OFF' if mode == 'OFF' else 'FULL'}")


def checkpoint(connection: Connection, *, wholly: bool = False) -> None:
    """Put what is in the log into the book itself, as far as no reader is in the way.

    `wholly` waits a moment for readers, and empties the log.
    """
    driver = driver_of(connection)
    driver.execute(f"PRAGMA busy_timeout = {_WAIT_FOR_READERS_MS}")
    driver.execute(f"PRAGMA wal_checkpoint({'TRUNCATE' if wholly else 'PASSIVE'})").fetchall()
    driver.execute(f"PRAGMA busy_timeout = {_WAIT_FOR_LOCK_MS}")
    connection.info[_IS_MARKED] = False


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    if not connection.info.get(_IS_MARKED):
        mark(driver_of(connection))


def _note_mark(connection: Connection) -> None:
    connection.info[_IS_MARKED] = True


def driver_of(connection: Connection) -> sqlite3.Connection:
    """SQLite's own connection, for what must not be in a transaction."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def explain(book: str, cause: str) -> BookError:
    """What is wrong with the book, by SQLite's words."""
    if "disk is full" in cause or "disk I/O" in cause:
        return BookUnwritable(
            f"cannot write '{book}': the disk is full or failing; all finished searches that "
            "were stored before are safe"
        )
    if "readonly" in cause or "unable to open" in cause:
        return BookUnwritable(f"cannot write '{book}': the file or its folder is read-only")
    if "locked" in cause:
        return BookUnwritable(f"cannot use '{book}': another program holds it locked")
    if "malformed" in cause:
        return BookUnreadable(
            f"'{book}' is damaged, or its end is missing ({cause}); fivebook repair --salvage "
            "saves what can still be read"
        )
    if cause == TOO_MANY_STEPS:
        return BookUnreadable(f"'{book}' is damaged: reading it comes to no end")
    if cause == TOO_LONG:
        return BookUnreadable(f"'{book}' is damaged: it holds a value longer than any of a book")
    if "not a database" in cause or "no such table" in cause:
        return NotABook(f"'{book}' is no fivebook book")
    return BookUnreadable(f"cannot read '{book}': {cause}")


def check_file(path: Path, access: Access) -> bool:
    """Look at the file without SQLite; returns whether a book is to be created."""
    try:
        return _look_at_file(path, access)
    except OSError as error:
        raise BookUnreadable(f"cannot read '{path}': {error.strerror}") from error


def _look_at_file(path: Path, access: Access) -> bool:
    if path.is_dir():
        raise NotABook(f"'{path}' is a folder, not a book")
    if not path.exists():
        if access is Access.READ:
            raise BookMissing(f"there is no book at '{path}'; fivebook build makes one")
        if not path.parent.is_dir():
            raise BookMissing(f"cannot create '{path}': there is no folder '{path.parent}'")
        if not os.access(path.parent, os.W_OK):
            raise BookUnwritable(f"cannot create '{path}': its folder is read-only")
        _refuse_lost_log(path)
        return True
    # An empty file is what `touch` and mktemp leave for a new book.
    is_empty = not path.stat().st_size
    new = is_empty and access is Access.WRITE
    if new:
        _refuse_lost_log(path)
    if not new and (is_empty or not _is_database(path)):
        raise NotABook(f"'{path}' is no fivebook book")
    if access is Access.WRITE and not os.access(path, os.W_OK):
        raise BookUnwritable(f"cannot write '{path}': the file is read-only")
    if access is Access.WRITE and not os.access(path.parent, os.W_OK):
        raise BookUnwritable(f"cannot write '{path}': its folder is read-only")
    return new


def _refuse_lost_log(path: Path) -> None:
    if has_log(path):
        raise BookUnwritable(
            f"'{log_of(path).name}' holds what was found for a book that is no longer at "
            f"'{path}': put that back, or move the log away"
        )


def _refuse_foreign_log(path: Path) -> None:
    """A log of another book, or of another state of this one, would spoil it."""
    with closing(_as_it_lies(path)) as connection:
        if not is_own(connection, path):
            _refuse_locked(path)
            raise BookUnreadable(
                f"'{log_of(path).name}' is not the log of '{path}', but of a book that was there "
                "before: put that back beside it, or move the log away"
            )


def _refuse_locked(path: Path) -> None:
    """The log of another program that is at work on the book has no mark."""
    try:
        with closing(connect(path, Access.READ)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except (BookUnreadable, sqlite3.DatabaseError) as error:
        if "locked" in str(error):
            raise


def _refuse_hot_journal(path: Path) -> None:
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and journal.stat().st_size:
        raise BookUnreadable(
            f"'{journal.name}' holds a change of '{path}' that was interrupted: what writes to "
            "the book, as fivebook build does, takes it back"
        )


def _is_database(path: Path) -> bool:
    """Whether SQLite takes the file for one of its own.

    It is not opened by other means: closing it would take away the locks that this process has on
    it (https://www.sqlite.org/howtocorrupt.html, 2.2), and with them a builder's log.
    """
    if not os.access(path, os.R_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    with closing(_as_it_lies(path)) as connection:
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.DatabaseError as error:
            return "not a database" not in str(error)
    return True


def connect(path: Path, access: Access) -> sqlite3.Connection:
    """A connection to the database at `path`, wherever that is; any thread may use it.

    Raises:
        BookUnreadable: if it is in a read-only folder, with changes that cannot be read there.
        sqlite3.Error: if there is none, or it cannot be written.
    """
    if access is Access.WRITE:
        return _open(path, "mode=rwc")
    connection = _open(path, "mode=ro", _ReadingConnection)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            connection.close()
            raise
        # A book in WAL mode needs its -shm file, which a read-only folder cannot take. No
        # builder can be at work there, so the file may be read as one that never changes,
        # provided that nothing is left in the log beside it.
        connection.close()
        log = log_of(path)
        if log.exists() and log.stat().st_size:
            raise BookUnreadable(
                f"cannot read '{path}': its folder is read-only, and '{log.name}' holds changes "
                "that are not yet in the book; copy both to where they can be written"
            ) from None
        connection = _as_it_lies(path)
    except sqlite3.DatabaseError:
        # It is damaged, as whoever reads it will find.
        return connection
    return connection


def _as_it_lies(path: Path) -> GuardedConnection:
    """A connection that locks nothing and leaves nothing beside the file: its log is not read."""
    return _open(path, "mode=ro&immutable=1")


def _open(
    path: Path, how: str, kind: type[GuardedConnection] = GuardedConnection
) -> GuardedConnection:
    # Each connection is used by one thread, but closed by whichever closes the book.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=_WAIT_FOR_LOCK_MS / 1000,
        check_same_thread=False,
        factory=kind,
    )
    connection.guard(path)
    return connection


class _ReadingConnection(GuardedConnection):
    """Leaves no empty log behind, which SQLite makes for whoever reads."""

    def close(self) -> None:
        super().close()
        log = log_of(self.path)
        try:
            if not log.stat().st_size:
                # Whoever closes a file last, and may write, has SQLite tidy up.
                with closing(_open(self.path, "mode=rw")) as last:
                    last.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except (OSError, sqlite3.Error):
            return


def _set_up_writer(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    # Commits go to a log beside the book, so that readers never wait. Whoever comes past 1,000
    # pages of it, SQLite's own measure, or closes the book last, copies them into the file
    # (a checkpoint); until that is on the disk the log stays, so a kill in the midst of it costs
    # nothing: the next to open the book reads both. A long look at one moment, as
    # `fivebook verify` takes, only lets the log grow until it has ended.
    connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL survives a killed process, but a power cut could take the last commits along: each
    # is a finished search, worth far more than the fsync.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    # Each log begins with a mark: whoever writes knows when one begins.
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def _check_schema(path: Path, access: Access) -> None:
    """Make sure that the file is an undamaged book which this version can use."""
    log = log_of(path)
    _refuse_foreign_log(path)
    if access is Access.READ:
        _refuse_hot_journal(path)
    # Without a log nothing needs to be locked, and looking leaves nothing beside the file.
    with closing(connect(path, Access.READ) if log.exists() else _as_it_lies(path)) as connection:
        revision = _revision(connection, path)
        if revision is not None:
            check_revision(revision, str(path))
            check_schema(connection, path)
            _check_names(connection, path)
        if access is Access.WRITE:
            # Reading finds damage where it meets it. A builder must not build upon it.
            damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if damage != "ok":
                raise BookUnreadable(f"'{path}' is damaged: {damage.splitlines()[-1]}")
        elif revision is None:
            raise NotABook(f"'{path}' is no fivebook book")


def _check_names(connection: sqlite3.Connection, path: Path) -> None:
    unnamed = "SELECT 1 FROM games WHERE typeof(name) <> 'text' OR typeof(id) <> 'integer'"
    if connection.execute(unnamed).fetchone():
        raise BookUnreadable(f"'{path}' is damaged: a game has lost its name")


def _bring_schema_up(engine: Engine) -> None:
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema").scalar_one()
        query = "SELECT version_num FROM alembic_version"
        if not tables:
            create(connection)
            connection.commit()
        elif connection.exec_driver_sql(query).scalar() != REVISIONS[-1]:
            migrate(connection)
            connection.commit()


def _revision(connection: sqlite3.Connection, path: Path) -> str | None:
    """The schema's revision, None for an empty database."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    tables = {name for (name,) in connection.execute(query)}
    if {"alembic_version", "positions", "games"} <= tables:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if row is None:
            raise BookUnreadable(f"'{path}' is damaged: its schema has lost its version")
        return str(row[0])
    if tables:
        raise NotABook(f"'{path}' is an SQLite database, but no fivebook book")
    return None

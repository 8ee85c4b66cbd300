"""Opening a book: whatever is wrong with a file is said in one sentence, and nothing is spoilt."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from book.errors import (
    BookError,
    BookMissing,
    BookUnreadable,
    BookUnwritable,
    NewerSchema,
    NotABook,
)
from book.reader import BookReader
from book.storage import database, sqlite
from book.storage.address import Address
from book.storage.database import Access, open_engine
from book.whole.export import records
from book.writer import BookWriter
from engine.game import Game
from tests.book.users import plain_user, private_mounts
from tests.books import CopyOf, Fivebook, small_book

PAGE = 4096

READING = ("info", "export", "query", "serve")
COMMANDS = (*READING, "build")
BUILD = ("--game", "gomoku-9", "--nodes", "300", "--positions", "50")
QUERY = ("--book-only",)


def arguments(command: str, book: Path) -> list[str]:
    options = {"build": BUILD, "query": QUERY}.get(command, ())
    return [command, str(book), *options]


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file below `folder`."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def assert_one_sentence(result: Result | subprocess.CompletedProcess[str]) -> None:
    status = result.exit_code if isinstance(result, Result) else result.returncode
    assert status == 2, result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def process(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=120
    )


FIVEBOOK = (sys.executable, "-m", "fivebook.cli")


# Each makes a bad file at the path it gets; `book` is a good one.
def missing(path: Path, book: Path) -> None:
    pass


def folder_missing(path: Path, book: Path) -> None:
    assert not path.parent.exists()


def folder(path: Path, book: Path) -> None:
    path.mkdir()


def text(path: Path, book: Path) -> None:
    path.write_text("no book at all\n" * 1000)


def short_text(path: Path, book: Path) -> None:
    path.write_text("SQLite")


def empty(path: Path, book: Path) -> None:
    path.touch()


def empty_database(path: Path, book: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    assert path.stat().st_size > 0


def header_alone(path: Path, book: Path) -> None:
    path.write_bytes(book.read_bytes()[:100])


def other_database(path: Path, book: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE positions (fen TEXT)")
        connection.execute("INSERT INTO positions VALUES ('startpos')")
        connection.commit()


def other_migrated_database(path: Path, book: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.commit()


def newer(path: Path, book: Path) -> None:
    shutil.copy(book, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


def older(path: Path, book: Path) -> None:
    shutil.copy(book, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()


def without_revision(path: Path, book: Path) -> None:
    shutil.copy(book, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM alembic_version")
        connection.commit()


def without_moves(path: Path, book: Path) -> None:
    shutil.copy(book, path)
    with closing(sqlite3.connect(path)) as connection:
        for view in ("best_moves", "lines", "known_moves"):
            connection.execute(f"DROP VIEW {view}")
        connection.execute("DROP TABLE moves")
        connection.commit()


def truncated(path: Path, book: Path) -> None:
    data = book.read_bytes()
    path.write_bytes(data[: len(data) // 2])


Make = Callable[[Path, Path], None]

BAD_FOR_READING: list[tuple[Make, type[BookError], str]] = [
    (missing, BookMissing, "there is no book at '{path}'; fivebook build makes one"),
    (folder_missing, BookMissing, "there is no book at '{path}'"),
    (folder, NotABook, "'{path}' is a folder, not a book"),
    (text, NotABook, "'{path}' is no fivebook book"),
    (short_text, NotABook, "'{path}' is no fivebook book"),
    (empty, NotABook, "'{path}' is no fivebook book"),
    (empty_database, NotABook, "'{path}' is no fivebook book"),
    (header_alone, BookError, "'{path}'"),
    (other_database, NotABook, "'{path}' is an SQLite database, but no fivebook book"),
    (other_migrated_database, NotABook, "'{path}' is an SQLite database, but no fivebook book"),
    (newer, NewerSchema, "'{path}' was written by a later version of fivebook (schema 9999, "),
    (older, NotABook, "'{path}' has schema 0001, which this version cannot bring up to date"),
    (without_revision, BookUnreadable, "'{path}' is damaged: its schema has lost its version"),
    (truncated, BookUnreadable, "'{path}' is damaged, or its end is missing (database disk image"),
]
BAD_FOR_BUILDING: list[tuple[Make, type[BookError], str]] = [
    (folder_missing, BookMissing, "cannot create '{path}': there is no folder '{folder}'"),
    *(
        case
        for case in BAD_FOR_READING
        if case[0] not in (missing, folder_missing, empty, empty_database)
    ),
]


def bad_path(make: Make, tmp_path: Path, book: Path) -> Path:
    path = tmp_path / "nowhere" / "bad.db" if make is folder_missing else tmp_path / "bad.db"
    make(path, book)
    return path


def named(cases: list[tuple[Make, type[BookError], str]]) -> list[object]:
    return [pytest.param(*case, id=case[0].__name__) for case in cases]


@pytest.mark.parametrize(("make", "error", "sentence"), named(BAD_FOR_READING))
def test_a_reader_refuses_a_bad_file(
    make: Make, error: type[BookError], sentence: str, tmp_path: Path, gomoku_book: Path
) -> None:
    path = bad_path(make, tmp_path, gomoku_book)
    before = contents(tmp_path)
    with pytest.raises(error) as refused:
        BookReader(path)
    assert str(refused.value).startswith(sentence.format(path=path, folder=path.parent)) or (
        error is BookError and sentence.format(path=path) in str(refused.value)
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(("make", "error", "sentence"), named(BAD_FOR_READING))
def test_commands_that_read_a_bad_file_say_so_in_one_sentence(
    make: Make,
    error: type[BookError],
    sentence: str,
    command: str,
    tmp_path: Path,
    gomoku_book: Path,
    fivebook: Fivebook,
) -> None:
    path = bad_path(make, tmp_path, gomoku_book)
    before = contents(tmp_path)
    result = fivebook(*arguments(command, path))
    assert_one_sentence(result)
    assert sentence.format(path=path, folder=path.parent) in result.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("make", "error", "sentence"), named(BAD_FOR_BUILDING))
def test_building_refuses_a_bad_file_and_leaves_it_as_it_was(
    make: Make,
    error: type[BookError],
    sentence: str,
    tmp_path: Path,
    gomoku_book: Path,
    gomoku: Game,
    fivebook: Fivebook,
) -> None:
    path = bad_path(make, tmp_path, gomoku_book)
    before = contents(tmp_path)
    with pytest.raises(error):
        BookWriter(path, gomoku)
    result = fivebook(*arguments("build", path))
    assert_one_sentence(result)
    assert sentence.format(path=path, folder=path.parent) in result.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("make", [missing, empty, empty_database])
def test_building_makes_a_book_where_there_is_nothing_yet(
    make: Make, tmp_path: Path, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = bad_path(make, tmp_path, gomoku_book)
    result = fivebook(*arguments("build", path))
    assert result.exit_code == 0, result.output
    assert list(records(path, reproducible=True)) == list(records(gomoku_book, reproducible=True))
    assert list(contents(tmp_path)) == ["bad.db"]


@pytest.mark.parametrize("command", ["info", "export", "query", "build"])
def test_a_book_that_lacks_a_table_gets_a_sentence(
    command: str, tmp_path: Path, gomoku_book: Path, fivebook: Fivebook
) -> None:
    without_moves(tmp_path / "bad.db", gomoku_book)
    if command == "build":
        # A finished book is only read; here something is left to do.
        result = fivebook("build", tmp_path / "bad.db", *BUILD[:-1], 60)
    else:
        result = fivebook(*arguments(command, tmp_path / "bad.db"))
    assert_one_sentence(result)


@pytest.mark.parametrize("command", ["info", "query", "serve"])
def test_a_game_of_a_later_version_gets_a_sentence(
    command: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE games SET name = 'hexagonal-15'")
        connection.commit()
    result = fivebook(*arguments(command, path))
    assert_one_sentence(result)
    assert "unknown game 'hexagonal-15'" in result.stderr


@pytest.mark.parametrize("name", ["50% off? #1 & more.db", "ü 書.db", "'quoted'.db", "no-suffix"])
def test_any_file_name_will_do(name: str, tmp_path: Path, gomoku: Game) -> None:
    path = small_book(tmp_path / name, "gomoku-9", 1)
    with BookReader(path) as reader:
        assert reader.positions(gomoku) == 1
    assert list(contents(tmp_path)) == [name]


# Damage


@pytest.fixture(scope="module")
def damaged_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Here a spoilt copy has the name of the good book, so that answers can be compared."""
    return tmp_path_factory.mktemp("damaged")


def pages(book: Path) -> range:
    return range(book.stat().st_size // PAGE)


def spoil(book: Path, into: Path, page: int, start: int, garbage: bytes) -> Path:
    """A copy with garbage in one page from `start` to its end, and never in the file's header."""
    path = Path(shutil.copy(book, into))
    start = max(start, 100 if page == 0 else 0)
    with path.open("r+b") as file:
        file.seek(page * PAGE + start)
        file.write((garbage * PAGE)[: PAGE - start])
    return path


@pytest.mark.parametrize("command", ["info", "export", "query"])
@pytest.mark.parametrize(
    "garbage",
    [b"\0", pytest.param(b"\xff", marks=pytest.mark.slow), b"fivebook"],
    ids=["zeros", "ones", "text"],
)
def test_a_lost_page_is_named_or_touches_no_answer(
    garbage: bytes, command: str, gomoku_book: Path, damaged_folder: Path, fivebook: Fivebook
) -> None:
    options = {"info": ["--json"], "query": ["--book-only", "e5"]}.get(command, [])
    told = 0
    for page in pages(gomoku_book):
        path = spoil(gomoku_book, damaged_folder, page, 0, garbage)
        result = fivebook(command, path, *options)
        if result.exit_code == 0:
            good = fivebook(command, gomoku_book, *options)
            assert without_time(result.stdout, path) == without_time(good.stdout, gomoku_book)
        else:
            assert_one_sentence(result)
            assert f"'{path}'" in result.stderr
            told += 1
    assert told > 0


def without_time(output: str, path: Path) -> str:
    return output.replace(str(path), "")


@pytest.mark.parametrize("command", ["info", "export", "query", "build"])
def test_a_page_that_lost_its_second_half_never_ends_in_a_traceback(
    command: str, gomoku_book: Path, damaged_folder: Path, fivebook: Fivebook
) -> None:
    failed = []
    for page in pages(gomoku_book):
        for start in (PAGE // 2, PAGE - 1024):
            path = spoil(gomoku_book, damaged_folder, page, start, b"\0")
            try:
                result = fivebook(*arguments(command, path))
            except Exception as error:
                failed.append(f"page {page} from {start}: {error!r}")
                continue
            assert result.exit_code in (0, 2)
            if result.exit_code == 2:
                assert_one_sentence(result)
    assert failed == []


def test_a_damaged_book_is_never_half_exported(
    gomoku_book: Path, damaged_folder: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    output = tmp_path / "out.csv"
    for page in pages(gomoku_book):
        path = spoil(gomoku_book, damaged_folder, page, 0, b"\0")
        result = fivebook("export", path, "-o", output)
        assert result.exit_code in (0, 2)
        if result.exit_code == 2:
            assert not output.exists()
        output.unlink(missing_ok=True)


def test_a_book_cut_off_anywhere_is_named_or_touches_no_answer(
    gomoku_book: Path, damaged_folder: Path, fivebook: Fivebook
) -> None:
    data = gomoku_book.read_bytes()
    path = damaged_folder / gomoku_book.name
    good = fivebook("query", gomoku_book, "--book-only").stdout
    for size in range(100, len(data), len(data) // 40):
        path.write_bytes(data[:size])
        result = fivebook("query", path, "--book-only")
        if result.exit_code == 0:
            assert result.stdout == good
        else:
            assert_one_sentence(result)


# Permissions


@pytest.fixture
def theirs(open_folder: Path, gomoku_book: Path, fivebook: Fivebook) -> Iterator[Path]:
    """A book in a folder where every user may do everything."""
    path = open_folder / "book.db"
    shutil.copy(gomoku_book, path)
    # What is imported late must be there before this process gives up root's rights.
    for command in ("info", "export", "query", "build"):
        assert fivebook(*arguments(command, path)).exit_code == 0
    assert fivebook("serve", open_folder / "none.db").exit_code == 2
    path.chmod(0o666)
    yield path
    open_folder.chmod(0o777)


def test_a_read_only_folder_takes_no_new_book(
    theirs: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    theirs.parent.chmod(0o555)
    path = theirs.with_name("new.db")
    with plain_user(theirs.parent):
        with pytest.raises(BookUnwritable, match=f"cannot create '{path}': its folder is read-onl"):
            BookWriter(path, gomoku)
        result = fivebook(*arguments("build", path))
    assert_one_sentence(result)
    assert list(contents(theirs.parent)) == ["book.db"]


def test_a_read_only_file_is_not_built_on(theirs: Path, gomoku: Game, fivebook: Fivebook) -> None:
    theirs.chmod(0o444)
    before = contents(theirs.parent)
    with plain_user(theirs.parent):
        with pytest.raises(BookUnwritable, match=f"cannot write '{theirs}': the file is read-only"):
            BookWriter(theirs, gomoku)
        result = fivebook(*arguments("build", theirs))
    assert_one_sentence(result)
    assert contents(theirs.parent) == before


def test_a_book_in_a_read_only_folder_is_not_built_on(
    theirs: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    theirs.parent.chmod(0o555)
    before = contents(theirs.parent)
    with plain_user(theirs.parent):
        with pytest.raises(BookUnwritable, match="its folder is read-only"):
            BookWriter(theirs, gomoku)
        result = fivebook(*arguments("build", theirs))
    assert_one_sentence(result)
    assert contents(theirs.parent) == before


def test_another_users_lock_gets_a_sentence(theirs: Path, gomoku: Game, fivebook: Fivebook) -> None:
    lock = theirs.with_name("book.db.lock")
    lock.touch(0o444)
    with plain_user(theirs.parent):
        result = fivebook(*arguments("build", theirs))
    assert_one_sentence(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_may_not_be_read_gets_a_sentence(
    theirs: Path, command: str, fivebook: Fivebook
) -> None:
    theirs.chmod(0)
    with plain_user(theirs.parent):
        result = fivebook(*arguments(command, theirs))
    assert result.exit_code == 2
    assert re.fullmatch(
        f"Error: .*'{theirs}'.* (not readable|denied).*", result.stderr.splitlines()[-1]
    )


def test_a_reader_of_a_file_that_may_not_be_read_says_why(theirs: Path) -> None:
    theirs.chmod(0)
    with (
        plain_user(theirs.parent),
        pytest.raises(BookUnreadable, match=f"cannot read '{theirs}': Permission denied"),
    ):
        BookReader(theirs)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_may_not_be_entered_gets_a_sentence(
    theirs: Path, command: str, fivebook: Fivebook
) -> None:
    inner = theirs.parent / "closed"
    inner.mkdir(0o700)
    shutil.move(theirs, inner / "book.db")
    inner.chmod(0)
    with plain_user(theirs.parent):
        result = fivebook(*arguments(command, inner / "book.db"))
    assert_one_sentence(result)


@pytest.mark.parametrize(("file", "around"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)])
def test_what_is_read_only_can_be_read(
    theirs: Path, file: int, around: int, gomoku: Game, gomoku_book: Path, fivebook: Fivebook
) -> None:
    theirs.chmod(file)
    theirs.parent.chmod(around)
    with plain_user(theirs.parent):
        with BookReader(theirs) as reader:
            found = reader.find(gomoku, gomoku.initial)
        exported = fivebook("export", theirs, "--reproducible")
        told = fivebook("info", theirs)
    with BookReader(gomoku_book) as reader:
        assert found == reader.find(gomoku, gomoku.initial)
    assert exported.stdout == fivebook("export", gomoku_book, "--reproducible").stdout
    assert told.exit_code == 0


def test_a_book_on_a_read_only_mount_can_be_read_and_not_built_on(
    tmp_path: Path, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = tmp_path / "book.db"
    shutil.copy(gomoku_book, path)
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    mounted = [*private_mounts(), "sh", "-c", script, tmp_path, *FIVEBOOK]
    exported = process(*mounted, "export", path, "--reproducible")
    assert exported.stderr == ""
    assert exported.stdout == fivebook("export", gomoku_book, "--reproducible").stdout
    assert_one_sentence(process(*mounted, *arguments("build", path)))
    assert_one_sentence(process(*mounted, *arguments("build", tmp_path / "new.db")))


def killed_while_building(path: Path, game: Game) -> None:
    """Leave at `path` what a killed builder leaves: the last commits lie in the -wal file."""
    kept = path.parent / "kept"
    kept.mkdir()
    with BookWriter(path, game) as writer:
        with writer.transaction() as connection:
            connection.exec_driver_sql("UPDATE positions SET value = 77")
        for part in path.parent.glob(f"{path.name}*"):
            shutil.copy(part, kept)
    for part in kept.iterdir():
        shutil.move(part, path.parent / part.name)
    kept.rmdir()
    path.with_name(f"{path.name}-shm").unlink()
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


def test_a_read_only_folder_hides_no_commit_of_a_killed_builder(theirs: Path, gomoku: Game) -> None:
    killed_while_building(theirs, gomoku)
    for part in theirs.parent.iterdir():
        part.chmod(0o444)
    theirs.parent.chmod(0o555)
    with plain_user(theirs.parent):
        # To refuse is right as well; to answer from before the last commits is not.
        try:
            with BookReader(theirs) as reader:
                value = reader.find(gomoku, gomoku.initial).value
        except BookError:
            value = 77
    assert value == 77


# Full disks and locks


def on_a_small_disk(
    tmp_path: Path, script: str, *arguments: object, kilobytes: int = 200
) -> list[str]:
    mount = f'mount -t tmpfs -o size={kilobytes}k none "$0" || exit 99; '
    return [
        *private_mounts(),
        *("sh", "-c", mount + script, str(tmp_path)),
        *map(str, (*FIVEBOOK, *arguments)),
    ]


@pytest.mark.parametrize(
    "kilobytes",
    [pytest.param(248, marks=pytest.mark.slow), 272, pytest.param(280, marks=pytest.mark.slow)],
)
def test_a_full_disk_ends_a_build_with_a_sentence_and_keeps_the_book(
    kilobytes: int, tmp_path: Path
) -> None:
    """It is full while the log grows, or while that goes into the book."""
    book = tmp_path / "book.db"
    # The book is read before its mount goes.
    script = f'"$@"; status=$?; {" ".join(FIVEBOOK)} info {book} --json >&2; exit $status'
    small = on_a_small_disk(tmp_path, script, "build", book, *BUILD, kilobytes=kilobytes)
    done = process(*small)
    assert done.returncode == 2
    sentence, _, told = done.stderr.partition("\n")
    assert sentence.startswith(f"Error: cannot write '{book}': the disk is full")
    assert '"game": "gomoku-9"' in told
    assert "Traceback" not in told


def test_a_disk_too_full_for_a_new_book_gets_a_sentence(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    fill = 'head -c 190k /dev/zero > "$0/filler"; "$@"'
    done = process(*on_a_small_disk(tmp_path, fill, "build", book, *BUILD))
    assert_one_sentence(done)
    assert "the disk is full" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("where", ["-o", ">"])
def test_a_full_disk_ends_an_export_with_a_sentence(where: str, gomoku_book: Path) -> None:
    if where == "-o":
        done = process(*FIVEBOOK, "export", gomoku_book, "-o", "/dev/full")
    else:
        done = process("sh", "-c", '"$@" > /dev/full', "sh", *FIVEBOOK, "export", gomoku_book)
    assert_one_sentence(done)


def test_an_export_into_no_folder_gets_a_sentence(
    gomoku_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    result = fivebook("export", gomoku_book, "-o", tmp_path / "none" / "out.csv")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


def test_a_failed_export_spares_the_file_that_was_there(tmp_path: Path, fivebook: Fivebook) -> None:
    output = tmp_path / "out.csv"
    output.write_text("yesterday's\n")
    assert fivebook("export", tmp_path / "none.db", "-o", output).exit_code == 2
    assert output.read_text() == "yesterday's\n"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program has the book to itself."""
    script = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA locking_mode = EXCLUSIVE')\n"
        "connection.execute('UPDATE positions SET value = 77')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        yield
        other.stdin.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_locked_book_gets_a_sentence(
    command: str,
    copy_of: CopyOf,
    gomoku_book: Path,
    fivebook: Fivebook,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite, "_WAIT_FOR_LOCK_MS", 10)
    path = copy_of(gomoku_book)
    with locked(path):
        result = fivebook(*arguments(command, path))
    assert_one_sentence(result)
    assert f"cannot use '{path}': another program holds it locked" in result.stderr


def test_a_book_that_somebody_writes_to_is_not_built_on(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_WAIT_FOR_LOCK_MS", 10)
    path = copy_of(gomoku_book)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(BookUnwritable, match="another program holds it locked"):
            BookWriter(path, gomoku)
        assert list(records(path)) == list(records(gomoku_book))
    assert list(contents(path.parent)) == [path.name]


# Good books


def test_reading_leaves_the_file_and_its_folder_as_they_were(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    path = copy_of(gomoku_book)
    before = contents(path.parent)
    with BookReader(path) as reader:
        reader.find(gomoku, gomoku.initial)
    assert contents(path.parent) == before


def test_a_reader_cannot_write(copy_of: CopyOf, gomoku_book: Path) -> None:
    path = copy_of(gomoku_book)
    with (
        open_engine(Address.of(path), Access.READ).connect() as connection,
        pytest.raises(BookUnwritable, match="read-only"),
        database.explained(Address.of(path)),
    ):
        connection.exec_driver_sql("DELETE FROM positions")


def test_a_book_that_is_closed_is_one_file(tmp_path: Path, gomoku: Game) -> None:
    path = tmp_path / "book.db"
    with BookWriter(path, gomoku):
        assert len(contents(tmp_path)) > 1
    assert list(contents(tmp_path)) == ["book.db"]


def test_what_is_stored_survives_a_power_cut(tmp_path: Path, gomoku: Game) -> None:
    with BookWriter(tmp_path / "book.db", gomoku) as writer, writer.transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        # FULL: each commit is on the disk before it counts as stored.
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_an_open_error_leaves_no_lock_behind(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    path = copy_of(gomoku_book)
    with BookWriter(path, gomoku), pytest.raises(BookUnwritable, match="being built by another"):
        BookWriter(path, gomoku)
    assert not os.path.exists(f"{path}.lock")
    BookWriter(path, gomoku).close()


def test_a_reader_beside_the_builder_takes_no_lock_from_it(tmp_path: Path, gomoku: Game) -> None:
    book = tmp_path / "book.db"
    with BookWriter(book, gomoku):
        BookReader(book).close()
        other = f"from book.reader import BookReader; BookReader({str(book)!r}).close()"
        subprocess.run([sys.executable, "-c", other], check=True)
        # The last to close a book removes the log: the other process must not be the last.
        assert (tmp_path / "book.db-wal").exists()

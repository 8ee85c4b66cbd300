"""The readers of compact books in C++ and JavaScript: they answer as the book does."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from book.compact import header_of
from book.reader import BookReader
from book.storage.schema import positions
from book.whole.compact import write_compact
from engine import registry
from engine.game import Game
from engine.position import Position, cells_of
from fivebook.bench.random_positions import random_positions
from tests.books import small_book
from tests.checkout import DATA, ROOT
from tests.oracles.compact_key import slow_key
from tools.compact_speed import compiled_asker, measured

HERE = Path(__file__).parent
MOST_LINES = 300
SHIPPED = {"gomoku-15": DATA / "gomoku-15.db", "pentago-swap": DATA / "pentago-swap.db"}
SMALL = {"gomoku-20-renju": 40, "pentago": 15, "pentago-twist": 15, "connect-four-5x4": 60}

Asker = Callable[[Path, Iterable[Position]], list[str]]


@pytest.fixture(
    scope="module",
    params=["C++", pytest.param("C++ without mapping", marks=pytest.mark.slow), "JavaScript"],
)
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """Asks a reader for positions in a file; what it writes of each."""
    if request.param == "JavaScript":
        if shutil.which("node") is None:
            pytest.skip("there is no node on this machine")
        command = ["node", str(HERE / "ask_compact.mjs")]
    else:
        if shutil.which("g++") is None:
            pytest.skip("there is no g++ on this machine")
        options = ["-U__unix__"] if request.param == "C++ without mapping" else []
        command = [str(compiled_asker(tmp_path_factory.mktemp("asker") / "ask", *options))]
    return lambda book, asked: answered(command, book, asked)


def answered(command: list[str], book: Path, asked: Iterable[Position]) -> list[str]:
    lines = "".join(f"{numbers(each.dark)} | {numbers(each.light)}\n" for each in asked)
    done = subprocess.run([*command, book], input=lines, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def numbers(stones: int) -> str:
    return " ".join(map(str, cells_of(stones)))


def turned(game: Game, position: Position, random: Random) -> Position:
    return game.map_position(position, random.choice(game.symmetries))


def some_of(book: Path, game: Game, count: int, random: Random) -> Iterator[Position]:
    """Stored positions, as often as not, and others of random play, in random orientations."""
    with BookReader(book) as reader, reader.connection() as connection:
        stored = connection.execute(select(positions.c.stones)).scalars().all()
    for _ in range(count // 2):
        yield turned(game, game.unpack(random.choice(stored)), random)
    longest = game.cell_count // 4
    for _ in range(count // 2):
        yield next(random_positions(game, random.randrange(1, longest), random))


def expected(reader: BookReader, game: Game, position: Position) -> str:
    """What a reader writes of a position that the book answers for, or does not hold."""
    key = f"{slow_key(game, position):016x}"
    entry = reader.get(game, position, lines=0)
    if entry is None:
        return key
    best = entry.moves[0].move
    words = (best, game.format_move(best), entry.value, entry.bound, int(entry.proven))
    return " ".join(map(str, (key, *words)))


@cache
def examination(book: Path, game: Game, count: int) -> tuple[list[Position], list[str]]:
    """Positions, and what a reader has to write of them; the same for every reader."""
    asked = list(some_of(book, game, count, Random(1)))
    with BookReader(book) as reader:
        right = [expected(reader, game, position) for position in asked]
    assert sum(" " in line for line in right) >= count // 2
    return asked, right


def agree(ask: Asker, book: Path, game: Game, folder: Path, count: int) -> bool:
    compact = folder / "book.compact"
    write_compact(book, game, compact)
    asked, right = examination(book, game, count)
    return ask(compact, asked) == right


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SHIPPED)
def test_positions_of_a_shipped_book_are_answered_as_the_book_answers(
    name: str, ask: Asker, count: int, tmp_path: Path
) -> None:
    assert agree(ask, SHIPPED[name], registry.get(name), tmp_path, count)


@pytest.mark.parametrize("name", SMALL)
def test_every_game_is_answered_as_the_book_answers(
    name: str, ask: Asker, tmp_path: Path, folder: Path
) -> None:
    book = folder / f"{name}.db"
    if not book.exists():
        small_book(book, name, SMALL[name])
    assert agree(ask, book, registry.get(name), tmp_path, 1_000)


def test_the_documented_keys_are_those_of_the_reader(ask: Asker, tmp_path: Path) -> None:
    lines = (ROOT / "docs" / "compact-vectors.tsv").read_text().splitlines()[1:]
    by_game: dict[str, list[list[str]]] = {}
    for line in lines:
        name, *columns = line.split("\t")
        by_game.setdefault(name, []).append(columns)
    for name, vectors in by_game.items():
        game = registry.get(name)
        empty = tmp_path / f"{name}.compact"
        empty.write_bytes(header_of(game, 0, 0))
        asked = [Position(named(game, dark), named(game, light)) for dark, light, _ in vectors]
        assert ask(empty, asked) == [key for _, _, key in vectors]


def named(game: Game, cells: str) -> int:
    return sum(1 << game.parse_cell(name) for name in cells.split())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: b"",
        lambda whole: whole[:30],
        lambda whole: whole[:-1],
        lambda whole: b"SQLite f" + whole[8:],
        lambda whole: whole[:8] + b"\2" + whole[9:],
        lambda whole: whole[:12] + b"\xf8\xff\xff\xff" + whole[16:],
        lambda whole: whole[:16] + b"\xff" * 8 + whole[24:],
        lambda whole: whole[:32] + b"\xff" * 2 + whole[34:],
        lambda whole: whole[:37] + b"\xff" + whole[38:],
        lambda whole: whole[:40] + b"\x09" + whole[41:],
        lambda whole: whole[:48] + b"\xff" + whole[49:],
    ],
)
def test_a_file_that_is_something_else_or_damaged_is_refused(
    spoil: Callable[[bytes], bytes], ask: Asker, gomoku_book: Path, tmp_path: Path
) -> None:
    compact = tmp_path / "book.compact"
    write_compact(gomoku_book, registry.get("gomoku-9"), compact)
    compact.write_bytes(spoil(compact.read_bytes()))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        ask(compact, [Position()])
    assert refused.value.returncode == 2
    assert re.fullmatch(r"[^\n]+\n", refused.value.stderr)


def test_a_file_of_no_honest_origin_is_read_without_going_astray(
    ask: Asker, gomoku_book: Path, tmp_path: Path
) -> None:
    """Keys in disorder are not found, or found, but nothing outside the file is read."""
    game, compact = registry.get("gomoku-9"), tmp_path / "book.compact"
    size = write_compact(gomoku_book, game, compact)
    whole, start = compact.read_bytes(), len(header_of(game, size, 0))
    keys = whole[start : start + 8 * size]
    compact.write_bytes(whole[:start] + keys[::-1] + whole[start + 8 * size :])
    asked = list(some_of(gomoku_book, game, 100, Random(2)))
    assert len(ask(compact, asked)) == 100


@pytest.mark.parametrize("name", ["fivebook_compact.hpp", "fivebook_compact.js"])
def test_a_reader_is_short(name: str) -> None:
    assert len((ROOT / "clients" / name).read_text().splitlines()) < MOST_LINES


@pytest.mark.slow
def test_a_million_positions_are_found_in_under_two_microseconds_each(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ on this machine")
    speed = measured(1_000_000, tmp_path)
    assert speed.bytes_a_position < 20
    assert speed.compact_nanoseconds < 2_000 < speed.book_nanoseconds

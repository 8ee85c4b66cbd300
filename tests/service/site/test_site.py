"""A site tells what a service of the same book would, in few and small pieces."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.json import encode

from book.errors import PositionNotFound
from book.whole.pieces import MOST_BYTES
from engine import registry
from engine.game import Game
from engine.position import Move
from engine.search import Limits
from fivebook.bench.synthetic import GAME_ID, fill
from service.answerer import Answerer
from service.inquiry import Inquiry
from service.notated import NotatedAnswer
from tests.books import CopyOf, Fivebook, change, seal, small_book
from tests.checkout import DATA

MOST_REQUESTS, MOST_SIZE = 3, 64_000
GAMES = {
    "gomoku-9-renju": 60,
    "gomoku-20": 40,
    "pentago": 15,
    "pentago-twist": 15,
    "connect-four-5x4": 60,
}
SHIPPED = {"gomoku-15": DATA / "gomoku-15.db", "pentago-swap": DATA / "pentago-swap.db"}


def exported(fivebook: Fivebook, book: Path, output: Path, *options: str) -> Path:
    result = fivebook("export", book, "--format", "site", "-o", output, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return output


def asked(site: Path, game: Game, lines: list[tuple[Move, ...]]) -> list[dict[str, Any]]:
    """What the page of a site is told of the positions after some lines, and what it fetched."""
    if shutil.which("node") is None:
        pytest.skip("there is no node on this machine")
    edition = json.loads((site / "fivebook-site.json").read_text())["edition"]
    program = Path(__file__).with_name("ask_site.mjs")
    done = subprocess.run(
        ["node", program, site / edition, game.id],
        input=json.dumps([[game.format_move(move) for move in line] for line in lines]),
        capture_output=True,
        text=True,
        check=True,
    )
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def random_lines(answerer: Answerer, game: Game, count: int) -> list[tuple[Move, ...]]:
    """Games that mostly go along stored moves, turned at random, a line for each of their plies."""
    random = Random(game.id)
    lines: list[tuple[Move, ...]] = []
    while len(lines) < count:
        line: tuple[Move, ...] = ()
        turn = random.choice(game.symmetries)
        while game.outcome(game.play_line(line)) is None and len(lines) < count:
            lines.append(tuple(game.map_move(move, turn) for move in line))
            held = known(answerer, game, line)
            choice = [m.move for m in held.moves if m.source == "book"] if held else []
            if not choice and held is None and line:
                break
            choice = (
                choice
                if choice and random.random() < 0.9
                else game.legal_moves(game.play_line(line))
            )
            line = (*line, random.choice(choice))
    return lines


def known(answerer: Answerer, game: Game, line: tuple[Move, ...]) -> Any:
    inquiry = Inquiry(game, line, game.play_line(line))
    try:
        return answerer.answer(inquiry, Limits(nodes=1), book_only=True, lines=1)
    except PositionNotFound:
        return None


def is_alike(told: dict[str, Any], held: Any) -> bool:
    """Whether a page is told what the book knows.

    The line of the best move goes on as far as the pieces at hand do.
    """
    right = json.loads(encode(NotatedAnswer.of(held)))
    line = told.pop("line")
    whole = right.pop("line")
    for each in (told, right):
        # A site does not keep how long anything took.
        each.pop("elapsed_us")
        each.pop("milliseconds")
        if each["moves"]:
            each["moves"][0].pop("line")
    return told == right and line == whole[: len(line)] and bool(line) == bool(whole)


def tells_the_same(fivebook: Fivebook, book: Path, game: Game, site: Path, count: int) -> bool:
    exported(fivebook, book, site)
    with Answerer([book]) as answerer:
        lines = random_lines(answerer, game, count)
        held = [known(answerer, game, line) for line in lines]
    told = asked(site, game, lines)
    assert max(len(each["sizes"]) for each in told) <= MOST_REQUESTS
    assert max(size for each in told for size in each["sizes"]) < MOST_SIZE
    assert sum(each is not None for each in held) > count // 4
    return all(
        each["answer"].get("status") == 404 if right is None else is_alike(each["answer"], right)
        for each, right in zip(told, held, strict=True)
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_a_site_of_a_shipped_book_tells_what_the_book_knows(
    name: str, fivebook: Fivebook, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    assert tells_the_same(fivebook, SHIPPED[name], registry.get(name), site, 300)


@pytest.mark.parametrize("name", GAMES)
def test_a_site_of_every_game_tells_what_the_book_knows(
    name: str, fivebook: Fivebook, tmp_path: Path
) -> None:
    book = small_book(tmp_path / "book.db", name, GAMES[name])
    assert tells_the_same(fivebook, book, registry.get(name), tmp_path / "site", 150)


def test_positions_near_each_other_in_play_mostly_share_a_piece(
    fivebook: Fivebook, tmp_path: Path
) -> None:
    game, book = registry.get("pentago-swap"), SHIPPED["pentago-swap"]
    site = exported(fivebook, book, tmp_path / "site")
    with Answerer([book]) as answerer:
        lines = random_lines(answerer, game, 300)
    told = asked(site, game, lines)
    assert sum(not each["sizes"] for each in told) > 150


def test_what_cannot_be_played_or_is_of_another_game_is_told_in_a_sentence(
    gomoku_book: Path, gomoku: Game, fivebook: Fivebook, tmp_path: Path
) -> None:
    site = exported(fivebook, gomoku_book, tmp_path / "site")
    [told] = asked(site, gomoku, [(0, 0)])
    assert told["answer"] == {"status": 422, "detail": "'a1' cannot be played there."}
    [told] = asked(site, registry.get("gomoku-10"), [()])
    assert told["answer"]["status"] == 404
    assert "gomoku-9" in told["answer"]["detail"]


def test_a_site_of_an_empty_book_holds_no_position(
    empty_book: Path, gomoku: Game, fivebook: Fivebook, tmp_path: Path
) -> None:
    site = exported(fivebook, empty_book, tmp_path / "site")
    [told] = asked(site, gomoku, [()])
    assert told["answer"]["status"] == 404


def test_a_piece_is_small(fivebook: Fivebook, tmp_path: Path) -> None:
    site = exported(fivebook, SHIPPED["gomoku-15"], tmp_path / "site")
    sizes = [path.stat().st_size for path in site.glob("*/pieces/*/*.json")]
    assert max(sizes) <= MOST_BYTES + 2
    # All but the last are filled, as well as rows allow.
    assert sorted(sizes)[1] > MOST_BYTES // 2


@pytest.mark.slow
def test_a_million_positions_take_few_and_small_requests(
    fivebook: Fivebook, tmp_path: Path
) -> None:
    book, game = tmp_path / "book.db", registry.get(GAME_ID)
    fill(book, game, 1_000_000)
    assert tells_the_same(fivebook, book, game, tmp_path / "site", 300)


# The folder


def test_equal_books_give_equal_sites(
    gomoku_book: Path, fivebook: Fivebook, tmp_path: Path
) -> None:
    one, other = (exported(fivebook, gomoku_book, tmp_path / name) for name in ("one", "other"))
    done = subprocess.run(["diff", "-r", one, other], check=False)
    assert done.returncode == 0


def test_the_order_in_which_positions_came_makes_no_difference(
    gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook, tmp_path: Path
) -> None:
    other = copy_of(gomoku_book)
    change(other, "UPDATE positions SET id = 1000 - id, milliseconds = 7")
    change(other, "UPDATE moves SET parent = 1000 - parent, child = 1000 - child")
    seal(other)
    sites = [
        exported(fivebook, book, tmp_path / name)
        for book, name in ((gomoku_book, "one"), (other, "other"))
    ]
    assert subprocess.run(["diff", "-r", *sites], check=False).returncode == 0


def test_an_earlier_site_is_replaced_as_a_whole(
    gomoku_book: Path, both_book: Path, fivebook: Fivebook, tmp_path: Path
) -> None:
    site = exported(fivebook, gomoku_book, tmp_path / "site")
    [before] = site.glob("*/site.json")
    exported(fivebook, both_book, site, "--game", "pentago-swap")
    [after] = site.glob("*/site.json")
    assert after != before
    assert json.loads(after.read_text())["game"] == "pentago-swap"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_an_empty_folder_is_filled(gomoku_book: Path, fivebook: Fivebook, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert (exported(fivebook, gomoku_book, tmp_path / "site") / "index.html").exists()


def put(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("mine")


OTHERS: dict[str, Callable[[Path], object]] = {
    "a file": lambda place: place.write_text("mine"),
    "a folder": lambda place: put(place, "notes"),
    "a folder with a page": lambda place: put(place, "index.html"),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("options", [(), ("--force",)])
def test_what_is_no_site_is_never_replaced(
    make: Callable[[Path], object],
    options: tuple[str, ...],
    gomoku_book: Path,
    fivebook: Fivebook,
    tmp_path: Path,
) -> None:
    place = tmp_path / "site"
    make(place)
    result = fivebook("export", gomoku_book, "--format", "site", "-o", place, *options)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    there = place if place.is_file() else next(place.iterdir())
    assert there.read_text() == "mine"


def test_a_site_to_which_something_was_added_is_not_replaced(
    gomoku_book: Path, fivebook: Fivebook, tmp_path: Path
) -> None:
    site = exported(fivebook, gomoku_book, tmp_path / "site")
    put(site, "notes")
    result = fivebook("export", gomoku_book, "--format", "site", "-o", site)
    assert result.exit_code == 2
    assert (site / "notes").read_text() == "mine"


def test_a_site_is_not_written_over_the_book(
    gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    result = fivebook("export", book, "--format", "site", "-o", book.parent)
    assert result.exit_code == 2
    assert book.exists()


def test_a_site_that_cannot_be_written_leaves_the_earlier_one(
    gomoku_book: Path, fivebook: Fivebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = exported(fivebook, gomoku_book, tmp_path / "site")
    before = sorted(path.name for path in site.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("service.site.writer._write_modules", full)
    result = fivebook("export", gomoku_book, "--format", "site", "-o", site)
    assert result.exit_code != 0
    assert "No space left" in result.stderr
    assert sorted(path.name for path in site.iterdir()) == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]

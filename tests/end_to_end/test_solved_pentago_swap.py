"""The shipped solution of Pentago-swap: its certificate, its book, and the play from both."""

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.file import Certificate, read
from book.certificates.pentago_swap.single_board import key_of
from book.reader import BookReader
from book.writer import BookWriter
from engine import registry
from engine.position import Position
from engine.values import WIN
from precompute.certificates.pentago_swap.strategy import to_board
from tests.book.certificates.pentago_swap.samples import entries, hole, rebuilt
from tests.checkout import DATA
from tests.oracles.book_checker import assert_sound
from tools.bench.perfect_play import BOOK, WON_BY, play_all

CERTIFICATE = DATA / "pentago-swap.cert"
SWAP = registry.get("pentago-swap")
PLIES = 6


@pytest.fixture(scope="module")
def shipped() -> Certificate:
    return read(CERTIFICATE)


def stones(entry: dict[str, int]) -> int:
    return entry["high"].bit_count() + entry["low"].bit_count()


@pytest.mark.slow
def test_the_shipped_certificate_is_accepted_whole(shipped: Certificate) -> None:
    assert (shipped.start, shipped.distance) == ((0, 0), WON_BY)
    assert hole(shipped, jobs=2) is None


def test_the_shipped_files_are_small() -> None:
    assert CERTIFICATE.stat().st_size + (DATA / BOOK).stat().st_size < 20_000_000


def test_a_lowered_distance_is_rejected(shipped: Certificate) -> None:
    for less in (1, 2):
        assert hole(replace(shipped, distance=WON_BY - less)) is not None


@pytest.mark.parametrize("ply", [2, 4, 6, 8])
def test_a_removed_reply_is_rejected(shipped: Certificate, ply: int) -> None:
    some = entries(shipped)
    del some[random.Random(ply).choice(numbers_at(some, ply))]
    assert hole(rebuilt(shipped, some), jobs=2) is not None


@pytest.mark.parametrize("ply", [0, 2, 4, 6])
def test_a_changed_move_is_rejected(shipped: Certificate, ply: int) -> None:
    rng = random.Random(ply)
    some = entries(shipped)
    entry = some[rng.choice([n for n in numbers_at(some, ply) if some[n]["moves"]])]
    taken = both(entry)
    used = {stone for stone, _ in entry["moves"]}
    free = [cell for cell in range(36) if not taken >> cell & 1 and cell not in used]
    # Of the empty board's cells all corners of a quadrant are alike, and so are its edges.
    entry["moves"][0] = (rng.choice(free[:4] if ply == 0 else free), entry["moves"][0][1])
    assert hole(rebuilt(shipped, some), jobs=2) is not None


@pytest.mark.parametrize("ply", [8, pytest.param(10, marks=pytest.mark.slow)])
def test_a_moved_stone_of_a_leaf_is_rejected(shipped: Certificate, ply: int) -> None:
    rng = random.Random(ply)
    some = entries(shipped)
    entry = some[rng.choice([n for n in numbers_at(some, ply) if not some[n]["moves"]])]
    white = arrangements.white_of(entry["high"], entry["low"])
    black = arrangements.black_of(entry["high"], entry["low"])
    one = rng.choice([cell for cell in range(36) if white >> cell & 1])
    free = rng.choice([cell for cell in range(36) if not both(entry) >> cell & 1])
    high, low, boards = key_of(white ^ 1 << one ^ 1 << free, black, entry["boards"])
    entry.update(high=high, low=low, boards=boards)
    assert hole(rebuilt(shipped, some), jobs=2) is not None


def numbers_at(some: list[dict[str, int]], ply: int) -> list[int]:
    """The numbers of the entries with so many stones."""
    return [number for number, entry in enumerate(some) if stones(entry) == ply]


def both(entry: dict[str, int]) -> int:
    white = arrangements.white_of(entry["high"], entry["low"])
    return int(white | arrangements.black_of(entry["high"], entry["low"]))


@pytest.mark.slow
def test_the_shipped_book_is_sound(tmp_path: Path) -> None:
    path = shutil.copy(DATA / BOOK, tmp_path / BOOK)
    # A writer brings the schema up.
    BookWriter(path, SWAP).close()
    assert_sound(path, SWAP)


def test_the_shipped_book_answers_every_reply_to_its_own_moves() -> None:
    with BookReader(DATA / BOOK) as reader:
        level = {SWAP.canonical(SWAP.initial).position}
        distance = WON_BY
        for ply in range(0, PLIES + 1, 2):
            following: set[Position] = set()
            for position in level:
                entry = reader.get(SWAP, position, lines=0)
                assert entry is not None
                assert entry.proven
                assert WIN - distance <= entry.value < WIN
                after = SWAP.play(position, entry.moves[0].move)
                if SWAP.outcome(after) is None and ply < PLIES:
                    following |= {child.canonical.position for child in SWAP.children(after)}
            level = following
            distance -= 2
        assert not level


def test_the_first_player_wins_every_game_in_time() -> None:
    check_games(4)


@pytest.mark.slow
def test_the_first_player_wins_two_thousand_games_in_time() -> None:
    check_games(500)


def check_games(count: int) -> None:
    played = list(play_all(DATA / BOOK, count))
    assert [row.opponent for row in played] == ["random", "greedy", "closeness", "stubborn"]
    for row in played:
        assert (row.games, row.won) == (count, count)
        assert row.longest <= WON_BY


def test_a_start_that_is_not_the_empty_board_is_told(shipped: Certificate) -> None:
    moved = to_board(SWAP.play_line(SWAP.parse_line("a1:12 f6:34")))
    found = hole(replace(shipped, start=(moved.white, moved.black)))
    assert found is not None

"""Proofs made of the book's rows: complete, never false, and the same however they are made."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from book.reader import BookReader
from book.rows.encoding import Rest, Searched
from book.storage.address import AnyAddress
from book.whole.export import records
from book.writer import BookWriter, PlannedTask, Task
from engine import registry
from engine.game import Game, Outcome
from engine.position import Move, Position, Side
from engine.search import Limits
from engine.values import WIN, Bound
from fivebook.cli import cli
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.frontier import Site
from precompute.modes.prove_by_book import ProofFrontier, ProveByBook, verdict
from tests.oracles.book_checker import assert_sound

# Dark wins, by quiet moves too.
GOMOKU = registry.get("gomoku-9")
QUIET = tuple(GOMOKU.parse_line("g5 b7 b5 h7 g4 g7 e7 h4 e5 h5"))
MODE = ProveByBook(Side.DARK, positions=40)


def look(game: Game, task: Task) -> Searched:
    """A search that sees one ply: it knows a win at once, and the values of moves that end the
    game, and of all other moves says nothing true."""
    position = game.unpack(task.stones)
    random = Random(task.stones + b"".join(sorted(task.excluded)))
    children = game.children(position)
    left = {
        move: 0 if outcome is Outcome.DRAW else WIN - 1 if won(outcome, position) else 1 - WIN
        for move in game.legal_moves(position)
        if (outcome := game.outcome(game.play(position, move))) is not None
    }
    sure = len(children) == len(task.excluded) or WIN - 1 in left.values()
    left |= {
        move: random.randint(-900, 900)
        for child in children
        if child.canonical.key not in task.excluded
        for move in child.moves
    }
    links = {child.canonical.key: child.moves[0] for child in children} if task.new else {}
    rest = rest_of(game, position, left, sure) if left else None
    return Searched(task.key, task.stones, rest, 1, len(left), 0, links)


def rest_of(game: Game, position: Position, left: dict[Move, int], sure: bool) -> Rest:
    move = max(left, key=lambda move: (left[move], -move))
    child = game.play(position, move)
    over = game.outcome(child) is not None
    key = None if over else game.canonical(child).key
    return Rest(move, left[move], Bound.EXACT, sure, key, (move,))


def won(outcome: Outcome, position: Position) -> bool:
    return outcome.winner is position.to_move


def frontier_of(writer: BookWriter, root: Position, side: Side) -> ProofFrontier:
    site = Site(writer.address, writer.rows, [root], Limits(nodes=1))
    return ProofFrontier(site, side)


def prove(writer: BookWriter, run: int, root: Position, side: Side) -> None:
    """Build as the builder does, a batch at a time, until nothing is left to do."""
    game = writer.game
    frontier = frontier_of(writer, root, side)
    batch: list[tuple[Task, Searched]] | None = None
    while batch != []:
        with writer.transaction():
            tasks = frontier.next_batch([])
            batch = [(task, look(game, task)) for task in tasks]
            writer.enter_batch(batch, 0, run)


def late_lines(game: Game, random: Random, free: int) -> Iterator[tuple[Move, ...]]:
    """Random games that are not over with so many free cells left."""
    while True:
        line: list[Move] = []
        position = game.initial
        while len(line) < game.cell_count - free and game.outcome(position) is None:
            line.append(random.choice(game.legal_moves(position)))
            position = game.play(position, line[-1])
        if game.outcome(position) is None:
            yield tuple(line)


def value(game: Game, position: Position, known: dict[bytes, int]) -> int:
    """Who wins, by trying everything: 1 for the side to move, -1 for the other, 0 for nobody."""
    stones = game.canonical(position).stones
    if stones not in known:
        known[stones] = max(
            -value(game, after, known)
            if (outcome := game.outcome(after)) is None
            else 0
            if outcome is Outcome.DRAW
            else 1
            if won(outcome, position)
            else -1
            for after in (game.play(position, move) for move in game.legal_moves(position))
        )
    return known[stones]


@pytest.mark.parametrize(
    ("game_id", "free", "count"),
    [
        ("gomoku-6", 4, 20),
        ("gomoku-5-renju", 4, 8),
        ("pentago-swap", 2, 4),
        ("pentago", 2, 4),
        pytest.param("gomoku-6", 7, 60, marks=pytest.mark.slow),
        pytest.param("gomoku-6-standard", 6, 60, marks=pytest.mark.slow),
        pytest.param("pentago-twist", 3, 10, marks=pytest.mark.slow),
    ],
)
def test_every_verdict_is_what_trying_everything_finds(
    game_id: str, free: int, count: int, tmp_path: Path
) -> None:
    game = registry.get(game_id)
    path = tmp_path / "book.db"
    lines = late_lines(game, Random(game_id), free)
    known: dict[bytes, int] = {}
    seen: list[int] = []
    with BookWriter(path, game) as writer:
        run = writer.start_run({"limits": {}})
        while len(seen) < count:
            root = game.play_line(next(lines))
            result = value(game, root, known)
            # Of each kind a third, as far as there are.
            if seen.count(result) > len(seen) // 2:
                continue
            seen.append(result)
            for side in Side:
                prove(writer, run, root, side)
                expected = result == (1 if side is root.to_move else -1)
                assert verdict(path, game, root, side) is expected
    assert len(set(seen)) > 1
    assert_sound(path, game)


def build(place: AnyAddress, **options: object) -> BuildState:
    given = {"mode": MODE, "limits": Limits(nodes=200), "line": QUIET} | options
    return Builder(place, BuildOptions(GOMOKU, **given)).run()  # type: ignore[arg-type]


def test_what_is_kept_between_batches_is_what_the_book_says(place: AnyAddress) -> None:
    opened: list[list[PlannedTask]] = []
    with BookWriter(place, GOMOKU) as writer:
        run = writer.start_run({"limits": {}})
        kept = proving(writer)
        for number in range(1, 15):
            with writer.transaction():
                if len(opened) == 2 or (number % 3 == 0 and opened):
                    batch = [(each.task, look(GOMOKU, each.task)) for each in opened.pop(0)]
                    writer.enter_batch(batch, 0, run)
                waiting = [each for planned in opened for each in planned]
                fresh = proving(writer).next_batch(waiting)
                tasks = kept.next_batch(waiting)
                assert tasks == fresh
                opened.append([PlannedTask(0, number, task, None) for task in tasks])
    with BookReader(place) as reader:
        assert reader.positions(GOMOKU) > 30


def proving(writer: BookWriter) -> ProofFrontier:
    return frontier_of(writer, GOMOKU.play_line(QUIET), Side.DARK)


def build_until(path: Path, searches: int) -> bool:
    """Build with three jobs, and stop after so many searches; returns whether all is done."""
    limits, threads = Limits(nodes=200), Backend.THREADING
    builder = Builder(
        path,
        BuildOptions(GOMOKU, MODE, limits, line=QUIET, jobs=3, backend=threads),
        lambda state: builder.stop() if state.searches >= searches else None,
    )
    builder.run()
    return builder.complete


def test_jobs_and_stops_make_no_difference(tmp_path: Path) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    build(one)
    for searches in (3, 20):
        assert not build_until(other, searches)
    build(other, jobs=3, backend=Backend.THREADING)
    assert list(records(other, reproducible=True)) == list(records(one, reproducible=True))
    assert_sound(one, GOMOKU)


def test_a_proof_joins_a_book_that_is_there(place: AnyAddress) -> None:
    build(place, mode=Explore(10), line=())
    assert build(place, mode=replace(MODE, positions=20)).added == 10
    assert_sound(place, GOMOKU)


@pytest.mark.slow
def test_many_searches_prove_what_a_longer_one_does_not(tmp_path: Path) -> None:
    game = registry.get("gomoku-15")
    line = tuple(game.parse_line("g7 f6 i7 f7 h8 h7 h9 g8"))
    position = game.play_line(line)
    assert not game.searcher().search(position, Limits(nodes=1_000_000)).proven
    mode = ProveByBook(Side.DARK, positions=1_000)
    path = tmp_path / "book.db"
    Builder(path, BuildOptions(game, mode, Limits(nodes=20_000), line=line)).run()
    assert verdict(path, game, position, Side.DARK) is True
    assert_sound(path, game)


# The commands

WON = "e5 a1 f5 a3 g5 a7"


def fivebook(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def command(book: Path, *options: object) -> tuple[object, ...]:
    return ("build", book, "--game", "gomoku-9", "--mode", "prove", "--by", "book", *options)


def test_the_command_tells_whether_it_is_proven(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    told = json.loads(fivebook(*command(book, "--root", WON, "--json")).output)
    assert (told["won"], told["complete"]) == (True, True)
    assert "proven: dark wins" in fivebook(*command(book, "--root", WON)).output
    lost = command(book, "--root", WON, "--side", "light")
    assert "proven: light does not win" in fivebook(*lost).output
    still = command(book, "--nodes", 10, "--positions", 3)
    assert "whether dark wins is not proven yet" in fivebook(*still).output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mode", "prove", "--by", "book", "--plies", 2), "--by book has no --plies"),
        (("--mode", "prove", "--side", "dark"), "--mode prove has no --side without --by book"),
        (("--by", "book"), "--mode explore has no --by"),
        (("--mode", "learn", "--side", "light"), "--mode learn has no --side"),
        (("--mode", "prove", "--by", "book", "--root", f"{WON} h5 a9 d5"), "the game is over"),
        (("--mode", "prove", "--by", "book", "--root", "e5 e5"), "the cell is taken"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    result = fivebook("build", tmp_path / "none.db", "--game", "gomoku-9", *options)
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert not (tmp_path / "none.db").exists()

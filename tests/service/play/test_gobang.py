"""`fivebook gobang` as a referee program sees it: lines in, lines out."""

import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from engine import registry
from engine.game import Game
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.position import Position
from engine.search import Limits
from fivebook.cli import cli
from fivebook.commands import gobang
from service.play.gobang import PacedEngine

TIMEOUT = 120
MOVE_PLAYED = "Move played: "
# Each line of a 5×5 board, rows, columns and diagonals, has two cells of one letter: who always
# answers with the other one loses no game (Hales and Jewett, 1963).
PAIRS = """
    k a h a l
    f b b i j
    c g . i c
    f g d d j
    l e h e k
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "fivebook.cli", "gobang", *map(str, arguments)]


def transcript(typed: Iterable[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    """A whole game through pipes, with all lines written before the first is read."""
    return subprocess.run(
        command(*arguments),
        input="".join(f"{line}\n" for line in typed),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )


class Referee:
    """Plays against the program, line by line."""

    def __init__(self, process: subprocess.Popen[str], game: Game) -> None:
        self.process = process
        self.game = game
        self.position = game.initial

    def write(self, cell: str) -> None:
        assert self.process.stdin is not None
        print(cell, file=self.process.stdin, flush=True)

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def play(self, cell: str) -> None:
        self.write(cell)
        self.follow(cell)

    def follow(self, cell: str) -> None:
        self.position = self.game.play_line([self.game.parse_move(cell)], self.position)

    def watch(self) -> str:
        """The cell of the program's move."""
        line = self.read()
        assert line.startswith(MOVE_PLAYED)
        cell = line.removeprefix(MOVE_PLAYED)
        self.follow(cell)
        return cell

    @property
    def over(self) -> bool:
        return self.game.outcome(self.position) is not None

    @property
    def free(self) -> list[str]:
        return list(map(self.game.format_move, self.game.legal_moves(self.position)))


@contextmanager
def referee(*arguments: object, size: int = 11) -> Iterator[Referee]:
    process = subprocess.Popen(
        command("-n", size, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    try:
        with process:
            yield Referee(process, registry.get(f"gomoku-{size}"))
    finally:
        watchdog.cancel()


def paired_cells() -> dict[str, str]:
    rows = [line.split() for line in PAIRS.split("\n") if line.strip()]
    cells: dict[str, list[str]] = {}
    for row, letters in zip(range(5, 0, -1), rows, strict=True):
        for column, letter in zip("abcde", letters, strict=True):
            cells.setdefault(letter, []).append(f"{column}{row}")
    del cells["."]
    return {cell: other for pair in cells.values() for cell, other in (pair, pair[::-1])}


def test_the_human_wins_with_dark() -> None:
    done = transcript(["a1", "b1", "c1", "d1", "e1"], "-n", 5, "--opponent", "random:seed=2")
    assert done.stdout.splitlines() == [
        "Move played: d4",
        "Move played: e3",
        "Move played: c2",
        "Move played: e2",
        "Dark wins!",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_the_program_wins_with_dark() -> None:
    typed = ["e5", "d5", "c5", "b5", "e4", "d4", "c4", "b4"]
    done = transcript(typed, "-n", 5, "-l", "--opponent", "random:seed=137")
    assert done.stdout.splitlines() == [
        "Move played: a3",
        "Move played: d2",
        "Move played: b3",
        "Move played: d3",
        "Move played: e2",
        "Move played: a5",
        "Move played: b2",
        "Move played: c2",
        "Move played: a2",
        "Dark wins!",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_board_is_a_tie() -> None:
    typed = ["c3", "e3", "b1", "a3", "c5", "b3", "e2", "d2", "e4", "a2", "a5", "e1", "c2"]
    done = transcript(typed, "-n", 5, "--opponent", "random:seed=0")
    assert done.stdout.splitlines() == [
        "Move played: b5",
        "Move played: c1",
        "Move played: d5",
        "Move played: e5",
        "Move played: b2",
        "Move played: c4",
        "Move played: a1",
        "Move played: a4",
        "Move played: d3",
        "Move played: d4",
        "Move played: d1",
        "Move played: b4",
        "Tie!",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_bad_input_gets_a_sentence_and_another_try() -> None:
    typed = ["a1", "", "z9", "a0", "hello", "a1 b1", "\x00é", "A1", "  B1\t", "c1", "D1", "e1"]
    done = transcript(typed, "-n", 5, "--opponent", "random:seed=2")
    assert done.stdout.splitlines() == [
        "Move played: d4",
        "'z9' is no cell of gomoku-5: cells run from a1 to e5",
        "'a0' is no cell of gomoku-5: cells run from a1 to e5",
        "'hello' is no cell of gomoku-5: cells run from a1 to e5",
        "'a1 b1' is no cell of gomoku-5: cells run from a1 to e5",
        "'\x00é' is no cell of gomoku-5: cells run from a1 to e5",
        "illegal move 'a1' in gomoku-5: the cell is taken",
        "Move played: e3",
        "Move played: c2",
        "Move played: e2",
        "Dark wins!",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_input_that_is_no_text_is_bad_input() -> None:
    done = subprocess.run(
        command("--opponent", "random"), input=b"\xff\xfe\n", capture_output=True, check=False
    )
    assert b"is no cell of gomoku-11" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(("side", "end"), [("-l", "Dark wins!"), (None, "Light wins!")])
def test_the_engine_beats_who_does_not_care(side: str | None, end: str) -> None:
    # No two of these cells are neighbours, so they make no row.
    harmless = [f"{column}{row}" for column in "acegi" for row in (1, 3, 5, 7, 9)]
    with referee(*filter(None, [side]), "--nodes", 2000, size=9) as game:
        if side:
            game.watch()
        while not game.over:
            game.play(next(cell for cell in harmless if cell in game.free))
            game.watch()
        assert [game.read(), game.read()] == [end, ""]
    assert game.process.returncode == 0


def test_the_engine_ties_with_who_cannot_lose() -> None:
    other = paired_cells()
    with referee("-l", "--nodes", 1000, size=5) as game:
        while True:
            played = game.watch()
            if game.over:
                break
            answer = other.get(played)
            game.play(answer if answer in game.free else game.free[0])
        assert game.read() == "Tie!"
    assert game.process.returncode == 0


@pytest.mark.parametrize("size", [5, 26])
def test_the_smallest_and_the_largest_board_have_their_corners(size: int) -> None:
    corner = registry.get(f"gomoku-{size}").format_cell(size * size - 1)
    with referee("--opponent", "random:seed=1", size=size) as game:
        game.play(corner.upper())
        assert game.watch() != corner


def test_the_board_has_11_rows_unless_told_otherwise() -> None:
    done = transcript(["l1", "k12"], "--opponent", "random")
    assert done.stdout.count("cells run from a1 to k11") == 2


@pytest.mark.parametrize("size", [4, 27])
def test_other_sizes_are_refused(size: int) -> None:
    done = transcript([], "-n", size)
    assert done.returncode == 2
    assert f"{size} is not in the range 5<=x<=26" in done.stderr
    assert done.stdout == ""


def test_the_end_of_the_input_is_the_end() -> None:
    done = transcript(["a1"], "--opponent", "random:seed=1")
    assert done.stdout.count("\n") == 1
    assert done.stderr == "The input ended before the game did.\n"
    assert done.returncode == 0


def test_a_referee_that_reads_no_more_leaves_no_traceback() -> None:
    with referee("--opponent", "random:seed=1") as game:
        game.play("a1")
        game.watch()
        assert game.process.stdout is not None
        game.process.stdout.close()
        game.write("b1")
        assert game.process.wait() == 1
        assert game.process.stderr is not None
        assert game.process.stderr.read() == ""


def test_the_book_is_asked_first(gomoku_book: Path) -> None:
    done = transcript([], "-n", 9, "-l", "--book", gomoku_book, "--nodes", 1)
    shown = CliRunner().invoke(cli, ["query", str(gomoku_book), "--json"]).output
    assert f'"best": "{done.stdout.strip().removeprefix(MOVE_PLAYED)}"' in shown


def test_only_a_terminal_is_shown_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gobang, "console", Console(force_terminal=True, color_system=None))
    arguments = ["gobang", "-n", "5", "--opponent", "random:seed=2"]
    output = CliRunner().invoke(cli, arguments, input="a1\n").output
    assert "1 (X). . . .\n" in output
    assert "4  . . .(O).\n" in output
    assert "1  X . . . .\n" in output


class Sluggard(Player):
    """Takes all the time it is given, and 20 ms more; notes how much that was."""

    def __init__(self, size: int) -> None:
        self.game = registry.get(f"gomoku-{size}")
        self.limits = Limits(nodes=1)
        self.spent: list[float] = []

    def choose(self, position: Position) -> Choice:
        assert self.limits.movetime is not None
        self.spent.append(self.limits.movetime + 0.02)
        return Choice(0)

    def clock(self) -> float:
        return sum(self.spent)


@pytest.mark.parametrize("size", [5, 11, 26])
@pytest.mark.parametrize("first", [0, 1], ids=["dark", "light"])
def test_a_game_takes_at_most_two_minutes(size: int, first: int) -> None:
    sluggard = Sluggard(size)
    player = PacedEngine(sluggard, movetime=30.0, game_time=120.0, clock=sluggard.clock)
    plies = range(first, size * size, 2)
    for ply in plies:
        player.choose(Position(dark=(1 << ply) - 1))
    assert len(sluggard.spent) == len(plies)
    assert 50.0 < sum(sluggard.spent) <= 120.0
    assert max(sluggard.spent) <= 30.0


def test_a_move_takes_at_most_its_movetime() -> None:
    sluggard = Sluggard(11)
    player = PacedEngine(sluggard, movetime=0.5, game_time=120.0, clock=sluggard.clock)
    player.choose(Position())
    assert sluggard.limits == Limits(movetime=0.5)


def test_a_move_may_make_the_nodes_of_its_share_of_the_time() -> None:
    engine = EnginePlayer(registry.get("gomoku-11"), Limits(nodes=1))
    assert PacedEngine(engine, movetime=0.5, game_time=120.0).nodes_for(Position()) == 500_000
    nodes = PacedEngine(engine, movetime=30.0, game_time=120.0).nodes_for(Position())
    assert nodes is not None
    assert 5_000_000 < nodes < 6_000_000


def test_time_that_a_move_leaves_is_for_later_ones() -> None:
    sluggard = Sluggard(11)
    player = PacedEngine(sluggard, movetime=30.0, game_time=120.0, clock=lambda: 0.0)
    for ply in range(0, 20, 2):
        player.choose(Position(dark=(1 << ply) - 1))
    assert sluggard.spent == sorted(sluggard.spent)

"""As a user: build a book, look into it, ask it, serve it. Everything through the command."""

import csv
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result

from fivebook.cli import cli

_TIMEOUT = 120

COMMANDS = ("games", "build", "info", "export", "query", "serve", "compile")
BUILD = ("--game", "gomoku-9", "--positions", "40", "--nodes", "300", "--jobs", "2")
FAR_OFF = "a1 i9 a9"
FINISHED = "a1 a9 b1 b9 c1 c9 d1 d9 e1"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fivebook.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT,
    )


def fivebook(*arguments: object) -> str:
    """What a command that must succeed prints."""
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Tests of one module run in several processes, each of which comes back to it now and then.
@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "gomoku.db"
    printed = fivebook("build", path, *BUILD)
    assert f"{path}: 40 positions, 40 of them new" in printed
    return path


@contextmanager
def served(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running service and its address, once it has announced that it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "serve", *map(str, arguments), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        announced = process.stdout.readline()
        address = f"http://127.0.0.1:{port}"
        assert address in announced, process.communicate(timeout=_TIMEOUT)
        yield process, address
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=_TIMEOUT)


@pytest.fixture(scope="session")
def address(book: Path) -> Iterator[str]:
    with served(book) as (_, address):
        yield address


def ask(address: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, {"Content-Type": "application/json"} if data else {})
    with urlopen(request, timeout=_TIMEOUT) as response:
        return json.load(response)


def refusal(address: str) -> Any:
    """The problem document that a bad question gets."""
    with pytest.raises(HTTPError) as refused:
        ask(address)
    assert refused.value.headers["Content-Type"] == "application/problem+json"
    document = json.load(refused.value)
    assert document["status"] == refused.value.code
    return document


def query(book: Path, *arguments: object) -> Any:
    return json.loads(fivebook("query", book, *arguments, "--json"))


# The way


def test_info_tells_what_was_built(book: Path) -> None:
    assert "40 positions" in fivebook("info", book)
    told = json.loads(fivebook("info", book, "--json"))
    assert [game["game"] for game in told["games"]] == ["gomoku-9"]
    assert [run["positions"] for run in told["games"][0]["runs"]] == [40]


def test_building_again_has_nothing_to_do(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "gomoku.db"
    path.write_bytes(book.read_bytes())
    state = json.loads(fivebook("build", path, *BUILD, "--json"))
    assert (state["positions"], state["added"], state["searches"]) == (40, 0, 0)
    assert state["complete"] is True


def test_a_book_is_exported_in_every_format(book: Path) -> None:
    rows = json.loads(fivebook("export", book, "--format", "json"))
    assert len(rows) == 40
    lines = fivebook("export", book, "--format", "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == rows
    table = csv.DictReader(StringIO(fivebook("export", book)))
    assert [row["position"] for row in table] == [row["position"] for row in rows]


def test_a_stored_position_is_answered_from_the_book(book: Path) -> None:
    assert "from gomoku.db" in fivebook("query", book)
    answer = query(book)
    assert answer["source"] == "book"
    assert answer["moves"][0]["move"] == answer["best"] == answer["line"][0]
    # Moves are told apart by whether the position behind them is stored.
    known = next(move["move"] for move in answer["moves"] if move["source"] == "book")
    assert query(book, known)["source"] == "book"


def test_a_position_that_is_not_stored_is_searched_live(book: Path) -> None:
    assert "not in gomoku.db, searched live" in fivebook("query", book, FAR_OFF, "--nodes", "500")
    answer = query(book, FAR_OFF, "--nodes", "500")
    assert (answer["source"], answer["ply"], answer["to_move"]) == ("live", 3, "light")
    assert answer["best"] is not None


def test_the_book_answers_over_http(book: Path, address: str) -> None:
    answer = ask(f"{address}/api/v1/position?game=gomoku-9")
    for document in (answer, stored := query(book)):
        del document["elapsed_us"]
        # Over HTTP only the line of the best move is followed.
        for move in document["moves"][1:]:
            del move["line"]
    assert answer == stored
    assert ask(f"{address}/api/v1/best")["best"] == answer["best"]


def test_all_orientations_are_one_position_over_http(address: str) -> None:
    first = ask(f"{address}/api/v1/position?moves=e5,d5")
    turned = ask(f"{address}/api/v1/position?moves=e5,e6")
    assert (first["source"], first["value"]) == (turned["source"], turned["value"])


def test_a_miss_is_searched_over_http(address: str) -> None:
    moves = FAR_OFF.replace(" ", ",")
    answer = ask(f"{address}/api/v1/position?moves={moves}&movetime=50")
    assert answer["source"] == "live"
    assert answer["nodes"] > 0
    assert answer["line"][0] == answer["best"] == answer["moves"][0]["move"]


def test_a_finished_game_is_a_proof(address: str) -> None:
    moves = FINISHED.replace(" ", ",")
    answer = ask(f"{address}/api/v1/position?moves={moves}")
    assert (answer["source"], answer["proven"], answer["outcome"]) == ("proof", True, "dark wins")
    assert answer["best"] is None


def test_a_win_is_found_live_and_told_by_its_distance(address: str) -> None:
    moves = FINISHED.rpartition(" ")[0].replace(" ", ",")
    answer = ask(f"{address}/api/v1/position?moves={moves}&movetime=500")
    assert (answer["source"], answer["proven"], answer["distance"]) == ("proof", True, 1)
    assert answer["best"] == "e1"


def test_a_batch_is_answered_in_its_order(address: str) -> None:
    answers = ask(
        f"{address}/api/v1/positions",
        {"positions": ["", "a1 i9 a9 i1", FINISHED], "book_only": True},
    )["answers"]
    assert [answer and answer["source"] for answer in answers] == ["book", None, "proof"]


def test_the_service_tells_its_books(address: str) -> None:
    (book,) = ask(f"{address}/api/v1/books")["books"]
    assert book["file"] == "gomoku.db"
    assert [(game["game"], game["positions"]) for game in book["games"]] == [("gomoku-9", 40)]
    assert ask(f"{address}/healthz")["status"] == "ok"


@pytest.mark.parametrize(
    ("question", "status", "sentence"),
    [
        ("/api/v1/position?game=chess", 400, "unknown game 'chess'"),
        ("/api/v1/position?moves=z1", 400, "'z1' is no cell of gomoku-9"),
        ("/api/v1/position?moves=e5,e5", 400, "the cell is taken"),
        ("/api/v1/best?moves=a1,a9,b1,b9,c1,c9,d1,d9,e1,e9", 400, "the game is over (dark wins)"),
        ("/api/v1/position?movetime=-5", 400, "movetime '-5'"),
        ("/api/v1/position?movetime=soon", 400, "movetime 'soon'"),
        ("/api/v1/position?moves=a1,i9,a9&book_only=1", 404, "no book holds gomoku-9"),
        ("/api/v1/nothing", 404, "there is nothing at /api/v1/nothing"),
    ],
)
def test_a_bad_question_gets_a_problem_document(
    question: str, status: int, sentence: str, address: str
) -> None:
    problem = refusal(address + question)
    assert problem["status"] == status
    assert sentence in problem["detail"]


def test_ctrl_c_ends_the_service_with_status_0(book: Path) -> None:
    with served(book) as (process, address):
        assert ask(f"{address}/api/v1/best")["source"] == "book"
        # As a terminal sends it: to every process of the foreground group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(_TIMEOUT) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    # Nothing is left of the service, nor beside the book.
    with pytest.raises(OSError, match="refused"):
        ask(f"{address}/healthz")


# Help and bad input


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str, runner: CliRunner) -> None:
    text = runner.invoke(cli, [command, "--help"]).stdout
    assert text.startswith("Usage: ")
    assert "Example" in text
    assert f"  fivebook {command}" in text


def assert_refused(done: Result | subprocess.CompletedProcess[str], sentence: str) -> None:
    status = done.exit_code if isinstance(done, Result) else done.returncode
    assert status == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert sum(line.startswith("Error: ") for line in done.stderr.splitlines()) == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert sentence in last


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--nodes", "-5"], "'--nodes': -5 is not in the range x>=1"),
        (["--nodes", "0"], "'--nodes': 0 is not in the range x>=1"),
        (["--nodes", "many"], "'--nodes': 'many' is not a valid integer"),
        (["--depth", "-1"], "'--depth': -1 is not in the range x>=1"),
        (["--positions", "0"], "'--positions': 0 is not in the range x>=1"),
        (["--positions", "-1"], "'--positions': -1 is not in the range x>=1"),
        (["--plies", "-1"], "'--plies': -1 is not in the range x>=0"),
        (["--time", "0s"], "'--time': '0s' is no duration greater than zero"),
        (["--time", "-2m"], "'--time': '-2m' is no duration greater than zero"),
        (["--movetime", "0"], "'--movetime': '0' is no duration greater than zero"),
        (["--jobs", "0"], "'--jobs': 0 is not in the range x>=1"),
        (["--jobs", "-2"], "'--jobs': -2 is not in the range x>=1"),
        (["--positions", "5", "--plies", "2"], "cannot be combined"),
        (["--game", "chess"], "unknown game 'chess'; there are "),
        (["--game", "gomoku-4"], "unknown game 'gomoku-4'; there are "),
    ],
)
def test_a_build_that_makes_no_sense_is_refused_and_makes_no_file(
    options: list[str], sentence: str, tmp_path: Path, runner: CliRunner
) -> None:
    game = [] if "--game" in options else ["--game", "gomoku-9"]
    book = str(tmp_path / "book.db")
    assert_refused(runner.invoke(cli, ["build", book, *game, *options]), sentence)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (["e5 e5"], "illegal move 'e5' in gomoku-9 after 'e5': the cell is taken"),
        (
            [f"{FINISHED} e9"],
            f"illegal move 'e9' in gomoku-9 after '{FINISHED}': the game is over (dark wins)",
        ),
        (["j1"], "'j1' is no cell of gomoku-9: cells run from a1 to i9"),
        (["--game", "chess"], "unknown game 'chess'; there are "),
        (["--nodes", "-5"], "'--nodes': -5 is not in the range x>=1"),
        (["--nodes", "0"], "'--nodes': 0 is not in the range x>=1"),
        (["--movetime", "0s"], "'--movetime': '0s' is no duration greater than zero"),
        ([FAR_OFF, "--book-only"], "no book holds gomoku-9 after 'a1 i9 a9'"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    question: list[str], sentence: str, book: Path, runner: CliRunner
) -> None:
    assert_refused(runner.invoke(cli, ["query", str(book), *question]), sentence)


def test_an_unknown_command_is_refused() -> None:
    assert_refused(run("bulid"), "No such command 'bulid'")


# Pentago and Pentago-Twist


@pytest.mark.parametrize(
    ("game_id", "move", "far_off"),
    [
        ("pentago-twist", "b2:1F", "b2:3R e5:2F a1:1R"),
        ("pentago", "b2:1L", "b2:3R e5:2L a1:1R"),
    ],
)
@pytest.mark.slow
def test_pentago_goes_the_whole_way(tmp_path: Path, game_id: str, move: str, far_off: str) -> None:
    book = tmp_path / "quadrants.db"
    built = fivebook("build", book, "--game", game_id, "--positions", "20", "--nodes", "300")
    assert "20 positions, 20 of them new" in built
    assert query(book)["source"] == "book"
    assert query(book, far_off, "--nodes", "500")["source"] == "live"
    refused = run("query", book, "b2:1X")
    assert refused.returncode == 2
    assert f"'b2:1X' is no move of {game_id}" in refused.stderr
    with served(book) as (_, address):
        answer = ask(f"{address}/api/v1/best?moves={move}&movetime=50")
        assert (answer["game"], answer["position"]) == (game_id, move)
        assert answer["best"] is not None
    match = ("engine:nodes=2000", "random:seed=1", "--game", game_id, "--games", "4")
    told = json.loads(fivebook("arena", *match, "--json", "--save", tmp_path / "arena"))
    assert (told["wins"], told["draws"], told["losses"]) == (4, 0, 0)
    played = fivebook("play", "--game", game_id, "--human", "none", "--nodes", "300")
    assert "wins" in played or "draw" in played

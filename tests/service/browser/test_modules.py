"""The page's modules that need no browser, by node: against the engine's rules and records."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.game import Game, Outcome
from engine.position import Move, cells_of
from service.play.records import GameRecord, format_record, parse_records

MODULES = Path(__file__).parent / "modules"
GAMES = (
    "gomoku-5",
    "gomoku-9",
    "gomoku-9-standard",
    "pentago",
    "pentago-swap",
    "pentago-twist",
    "connect-four-4x4",
    "connect-four-7x6",
)


@pytest.fixture(scope="module", autouse=True)
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed, by which the page's modules are tested")
    return found


def told_by(node: str, script: str, question: object) -> Any:
    done = subprocess.run(
        [node, str(MODULES / script)],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def random_game(game: Game, chooser: random.Random) -> list[Move]:
    """A game to its end."""
    position, line = game.initial, []
    while moves := game.legal_moves(position):
        line.append(chooser.choice(moves))
        position = game.play(position, line[-1])
    return line


@pytest.mark.parametrize("name", GAMES)
def test_stones_lie_and_games_end_as_the_engine_has_it(node: str, name: str) -> None:
    game, chooser = registry.get(name), random.Random(1)
    lines = [random_game(game, chooser) for _ in range(20)]
    told = told_by(
        node, "replay.mjs", [{"game": name, "moves": game.format_line(line)} for line in lines]
    )
    for line, found in zip(lines, told, strict=True):
        assert found["images"] == [
            game.format_move(game.map_move(line[-1], symmetry)) for symmetry in game.symmetries
        ]
        assert len(found["positions"]) == len(line) + 1
        position = game.initial
        for move, place in zip([None, *line], found["positions"], strict=True):
            if move is not None:
                assert place["last"] == game.landing(position, move)
                position = game.play(position, move)
            outcome = game.outcome(position)
            assert place["dark"] == cells_of(position.dark)
            assert place["light"] == cells_of(position.light)
            assert place["outcome"] == (None if outcome is None else outcome.value)


@pytest.mark.parametrize("name", ["gomoku-15", "gomoku-19-renju", "gomoku-26-standard"])
def test_the_page_reads_the_sgf_that_fivebook_writes_and_the_other_way(
    node: str, name: str
) -> None:
    game = registry.get(name)
    moves = "a1 b2 c5 e3" if game.width < 26 else "a1 z26 c5 e3"
    line = tuple(game.parse_line(moves))
    record = GameRecord(game, "one [a] \\", "two", line, Outcome.DARK_WINS, "light resigned")
    written = {"game": name, "moves": moves.split(), "dark": "one ]", "result": "B+Resign"}
    read, sgf = told_by(node, "records.mjs", [{"read": format_record(record)}, {"write": written}])
    assert read["game"] == name
    assert read["moves"] == moves.split()
    assert (read["dark"], read["light"], read["result"]) == (record.dark, "two", "B+Resign")
    (parsed,) = parse_records(sgf)
    assert parsed.game is game
    assert game.format_line(parsed.moves) == moves
    assert (parsed.dark, parsed.outcome) == ("one ]", Outcome.DARK_WINS)


@pytest.mark.parametrize(
    ("sgf", "problem"),
    [
        ("", "sgf.none"),
        ("a game", "sgf.none"),
        ("(;FF[4]GM[1]SZ[19];B[aa])", "sgf.kind"),
        ("(;GM[4]SZ[4])", "sgf.size"),
        ("(;GM[4]SZ[15]RU[gomoku-19])", "sgf.size"),
        ("(;GM[4]SZ[15]AB[aa])", "sgf.setup"),
        ("(;GM[4]SZ[15];W[aa])", "sgf.order"),
        ("(;GM[4]SZ[15];B[pa])", "sgf.point"),
        ("(;GM[4]SZ[15];B[aa];W[aa])", "sgf.illegal"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(node: str, sgf: str, problem: str) -> None:
    assert told_by(node, "records.mjs", [{"read": sgf}]) == [{"problem": problem}]


def test_of_a_tree_the_main_line_is_read(node: str) -> None:
    sgf = "(;GM[4]SZ[15]C[\\](;];B[hh](;W[ig];B[hf])(;W[aa]))(;GM[4]SZ[15])"
    (read,) = told_by(node, "records.mjs", [{"read": sgf}])
    assert read["moves"] == ["h8", "i9", "h10"]


def test_the_26_openings_have_their_names(node: str) -> None:
    done = subprocess.run(
        [node, "--test", str(MODULES / "openings.test.mjs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout

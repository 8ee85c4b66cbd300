"""A proof's strategy as a book: complete, true, and found again after an interruption."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from book.reader import BookReader
from book.whole.export import records
from engine import registry
from engine.position import Move, Position
from engine.search import Limits
from engine.values import WIN
from fivebook.cli import cli
from precompute.builder import Builder, BuildOptions
from precompute.knowledge import Knowledge, KnowledgeError
from precompute.modes.explore import Explore
from precompute.modes.prove_by_solver import (
    ProofOptions,
    ProofState,
    ProveBySolver,
    StrategyBuilder,
)
from tests.oracles import quick_pentago_swap as quick
from tests.oracles.book_checker import assert_sound

SWAP = registry.get("pentago-swap")
# Dark wins in seven plies.
LINE = tuple(SWAP.parse_line("c5:23 e2:34 d6:23 e3:13 d6:14 a6:24 b5:23 b1:13 b5:34 b3:23"))
OPTIONS = ProofOptions(SWAP, ProveBySolver(plies=2, memory=16), line=LINE)


def proven(path: Path, options: ProofOptions = OPTIONS) -> ProofState:
    builder = StrategyBuilder(path, options)
    state = builder.run()
    assert builder.complete
    return state


def fivebook(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def stopped_after(path: Path, reports: int) -> None:
    """Begin a proof, and stop after so many reports."""
    left = reports

    def stop(state: ProofState) -> None:
        nonlocal left
        left -= 1
        if not left:
            builder.stop()

    builder = StrategyBuilder(path, OPTIONS, stop)
    builder.run()
    assert not builder.complete


def content(path: Path) -> list[dict[str, object]]:
    """What a book says, without the effort it took."""
    return [
        {name: value for name, value in record.items() if name not in ("nodes", "milliseconds")}
        for record in records(path, reproducible=True)
    ]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solved") / "solved.db"
    proven(path)
    return path


def test_the_book_of_a_proof_is_sound(book: Path) -> None:
    assert_sound(book, SWAP)


def test_the_winner_has_a_move_against_every_reply(book: Path) -> None:
    root = SWAP.play_line(LINE)
    with BookReader(book) as reader:
        entry = reader.get(SWAP, root)
        assert entry is not None
        assert (entry.value, entry.proven) == (WIN - 7, True)
        lost = SWAP.play(root, entry.moves[0].move)
        replies = reader.get(SWAP, lost)
        assert replies is not None
        assert (replies.value, replies.proven) == (6 - WIN, True)
        for reply in SWAP.legal_moves(lost):
            position = SWAP.play(lost, reply)
            if SWAP.outcome(position) is None:
                answer = reader.get(SWAP, position)
                assert answer is not None
                assert answer.proven
                assert WIN - answer.value in (1, 3, 5)
                assert (answer.value == WIN - 1) == wins_at_once(position)


def wins_at_once(position: Position) -> bool:
    """By brute force."""
    board = quick.board_of(position.dark, position.light)
    return quick.solve(board, position.ply % 2, 1)[0] == ("win", 1)


def test_several_threads_store_the_same_values(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    proven(path, replace(OPTIONS, jobs=2))
    with BookReader(book) as one, BookReader(path) as other:
        root = SWAP.play_line(LINE)
        entries = [reader.get(SWAP, root) for reader in (one, other)]
    assert entries[0] is not None
    assert entries[1] is not None
    assert (entries[0].value, entries[0].proven) == (entries[1].value, entries[1].proven)
    assert_sound(path, SWAP)


def test_a_proof_goes_on_where_it_was_stopped(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "stopped.db"
    for reports in (1, 30, 100):
        stopped_after(path, reports)
    proven(path)
    assert content(path) == content(book)


def test_a_second_run_changes_nothing(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.db"
    proven(path)
    before = content(path)
    proven(path)
    assert content(path) == before == content(book)


def test_a_proof_joins_a_book_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    Builder(path, BuildOptions(SWAP, Explore(5), Limits(nodes=300))).run()
    proven(path)
    assert_sound(path, SWAP)


def test_gomoku_is_proven_as_well(tmp_path: Path) -> None:
    game = registry.get("gomoku-15")
    line = tuple(game.parse_line("h8 a1 i8 a15 j8 o1 k8 o15"))
    path = tmp_path / "gomoku.db"
    state = proven(path, ProofOptions(game, ProveBySolver(plies=0, memory=64), line=line))
    assert state.proof.won
    with BookReader(path) as reader:
        entry = reader.get(game, game.play_line(line))
    assert entry is not None
    assert entry.proven
    assert entry.value > 0


def test_what_is_not_won_is_no_book(tmp_path: Path) -> None:
    late = late_draw()
    builder = StrategyBuilder(tmp_path / "draw.db", replace(OPTIONS, line=late))
    state = builder.run()
    assert state.proof.won is False
    assert (state.stored, builder.complete) == (0, True)


def late_draw() -> tuple[Move, ...]:
    """A line to a position with three free cells that the side to move does not win."""
    rng = random.Random(3)
    while True:
        line: list[Move] = []
        position = SWAP.initial
        while len(line) < 33 and SWAP.outcome(position) is None:
            line.append(rng.choice(SWAP.legal_moves(position)))
            position = SWAP.play(position, line[-1])
        if SWAP.outcome(position) is None:
            board = quick.board_of(position.dark, position.light)
            if quick.solve(board, position.ply % 2, 3)[0][0] != "win":
                return tuple(line)


def test_limits_end_a_proof_that_goes_on_later(tmp_path: Path) -> None:
    path = tmp_path / "limited.db"
    options = ProofOptions(SWAP, ProveBySolver(plies=0, memory=16, nodes=200_000))
    builder = StrategyBuilder(path, options)
    state = builder.run()
    assert (state.proof.won, builder.complete) == (None, False)
    assert 9 <= state.proof.horizon < 19
    assert len(Knowledge(path, SWAP).read()) > 0


def test_a_game_without_a_prover_of_its_own_is_proven_by_the_plain_one(tmp_path: Path) -> None:
    game, path = registry.get("connect-four-7x6"), tmp_path / "won.db"
    line = tuple(game.parse_line("c1 c2 d1 d2"))
    builder = StrategyBuilder(
        path, ProofOptions(game, ProveBySolver(plies=2, memory=16), line=line)
    )
    state = builder.run()
    assert builder.complete
    assert (state.proof.won, state.proof.distance) == (True, 3)
    with BookReader(path) as reader:
        entry = reader.find(game, game.play_line(line))
        assert entry is not None
        assert (entry.value, entry.proven) == (WIN - 3, True)
    assert_sound(path, game)


@pytest.mark.parametrize("damage", ["", "{}\n", "no json\nabc"])
def test_a_damaged_file_of_a_proof_is_refused(book: Path, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "damaged.db"
    Knowledge(path, SWAP).path.write_text(damage)
    with pytest.raises(KnowledgeError, match="delete it"):
        Knowledge(path, SWAP).read()


def test_a_changed_byte_in_the_file_of_a_proof_is_noticed(book: Path, tmp_path: Path) -> None:
    data = bytearray(Knowledge(book, SWAP).path.read_bytes())
    data[-1] ^= 1
    path = tmp_path / "changed.db"
    Knowledge(path, SWAP).path.write_bytes(data)
    with pytest.raises(KnowledgeError, match="damaged"):
        Knowledge(path, SWAP).read()


def test_the_commands_prove_certify_and_check(tmp_path: Path) -> None:
    root = SWAP.format_line(LINE)
    book, cert = tmp_path / "solved.db", tmp_path / "solved.cert"
    build = ("build", book, "--game", "pentago-swap", "--mode", "prove", "--root", root)
    told = json.loads(fivebook(*build, "--plies", 0, "--memory", "16MB", "--json").output)
    assert (told["won"], told["distance"], told["complete"]) == (True, 7, True)
    assert "win in 7 proven" in fivebook(*build, "--plies", 0, "--memory", "16MB").output
    written = fivebook("certify", book, "-o", cert, "--root", root, "--memory", "16MB", "--leaf", 5)
    assert "won within 7 plies" in written.output
    assert "accepted" in fivebook("prove-check", cert).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mode", "prove", "--positions", 5), "has no --positions"),
        (("--mode", "prove", "--memory", "lots"), "no size like"),
        (("--mode", "full"), "needs --plies"),
        (("--mode", "explore", "--plies", 2), "has no --plies"),
        (("--mode", "prove", "--root", "a9"), "a9"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    book = tmp_path / "none.db"
    result = fivebook("build", book, "--game", "pentago-swap", *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert not book.exists()

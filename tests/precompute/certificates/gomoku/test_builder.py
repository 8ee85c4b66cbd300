"""A proof by parts fills a book with the winner's strategy, whoever did the work."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku.file import Start, certificate_of
from book.certificates.gomoku.writer import EFFORT
from book.reader import BookReader
from book.whole.export import records
from engine import registry
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position, Side
from engine.values import Bound, distance
from fivebook.cli import cli
from fivebook.displays.parts import describe_parts_build
from precompute.backend import Backend, Workers
from precompute.certificates.gomoku.book_rows import StrategyRows, UnansweredReply
from precompute.certificates.gomoku.builder import (
    PartsBuilder,
    PartsBuildState,
    PartsOptions,
    has_parts,
    rounds_within,
)
from precompute.certificates.gomoku.part import game_of, rules_for
from precompute.certificates.gomoku.proof import (
    UNKNOWN,
    NotProved,
    PartWork,
    ProofByParts,
    Proved,
)
from tests.precompute.clusters import LocalCluster

GAME = game_of("gomoku-9")
ROOT = "e5 a1 f6 i1"
OPTIONS = PartsOptions(GAME, 2, line=tuple(GAME.parse_line(ROOT)))
OPENING = tuple(GAME.parse_line("e5 a1"))
THIRDS = (tuple(GAME.parse_line("e5 a1 f6")),)
# With so many nodes most parts of the opening resist.
FEW = (20_000,)


def built(path: Path, **others: object) -> PartsBuildState:
    options = {"line": OPTIONS.line} | others
    return PartsBuilder(path, PartsOptions(GAME, 2, **options)).run()  # type: ignore[arg-type]


def content(path: Path) -> list[dict[str, object]]:
    return list(records(path, reproducible=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "book.db"
    assert built(path).distance is not None
    return path


def test_the_root_and_every_stored_position_are_proven(whole: Path) -> None:
    with BookReader(whole) as reader:
        root = reader.find(GAME, OPTIONS.root)
    assert (root.proven, root.bound) == (True, Bound.LOWER)
    assert all(record["proven"] for record in content(whole) if "proven" in record)


def test_no_fault_is_in_the_book(whole: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(whole)])
    assert "no fault" in result.output


def test_the_winner_wins_by_threats_at_once_where_the_book_has_no_answer(whole: Path) -> None:
    solver, stored = ThreatSolver(GAME), 0
    with BookReader(whole) as reader:
        move = reader.find(GAME, OPTIONS.root).moves[0].move
        after = GAME.play(OPTIONS.root, move)
        for reply in GAME.legal_moves(after):
            position = GAME.play(after, reply)
            entry = reader.get(GAME, position)
            if entry is None:
                assert solver.vct(position, nodes=100_000).won
            else:
                assert (entry.proven, entry.value > 0) == (True, True)
                stored += 1
    assert stored


def test_the_loser_is_told_what_lasts_longest(whole: Path) -> None:
    position = OPTIONS.root
    with BookReader(whole) as reader:
        before = distance(reader.find(GAME, position).value)
        assert before is not None
        while (entry := reader.get(GAME, position)) is not None:
            left = distance(entry.value)
            assert left is not None
            assert left <= before
            assert (entry.value > 0) == (position.to_move is Side.DARK)
            best = entry.moves[0]
            assert distance(best.value) == left
            position, before = GAME.play(position, best.move), left - 1


def test_dask_workers_build_the_same_book(
    whole: Path, two_workers: LocalCluster, tmp_path: Path
) -> None:
    path = tmp_path / "book.db"
    built(path, backend=Backend.DASK, scheduler=two_workers.address)
    assert content(path) == content(whole)


@pytest.mark.slow
def test_a_build_that_was_cut_off_comes_to_the_same_book(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    cut = built(path, seconds=1e-9)
    assert (cut.distance, cut.stored) == (None, 0)
    built(path, jobs=2)
    assert content(path) == content(whole)


def test_a_second_run_changes_nothing(whole: Path) -> None:
    before = content(whole)
    assert built(whole).stored == len([record for record in before if "proven" in record])
    assert content(whole) == before


def test_parts_that_resist_are_named_and_the_book_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    with pytest.raises(
        NotProved, match="1 part of the strategy is not proved: after 'e5 e6 d4 a2'"
    ):
        built(path, line=tuple(GAME.parse_line("e5 e6 d4 a2")), rounds=(10,))
    with BookReader(path) as reader:
        assert reader.positions(GAME) == 0


def test_the_book_has_what_is_proved_where_parts_resist(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    message = r"37 parts of the strategy are not proved, .*; what is proved is in the book"
    with pytest.raises(NotProved, match=message):
        built(path, line=OPENING, thirds=THIRDS, rounds=FEW)
    with ProofByParts(GAME, tmp_path / "book.db.parts", root=OPENING, rounds=FEW) as proof:
        won = {part.line for part in proof.tried_parts if part.won}
        resisting = set(proof.open_parts)
    assert len(won) == 5
    with BookReader(path) as reader:
        for line in won:
            entry = reader.find(GAME, GAME.play_line(line))
            assert (entry.proven, entry.value > 0) == (True, True)
        assert not any(reader.get(GAME, GAME.play_line(line)) for line in resisting)
        assert reader.get(GAME, GAME.play_line(OPENING)) is None
    assert all(record["proven"] for record in content(path) if "proven" in record)
    assert "no fault" in CliRunner().invoke(cli, ["verify", str(path)]).output


@pytest.mark.slow
def test_a_build_whose_parts_resisted_goes_on_to_the_same_book_as_one_run(tmp_path: Path) -> None:
    first, whole = tmp_path / "first.db", tmp_path / "whole.db"
    with pytest.raises(NotProved):
        built(first, line=OPENING, thirds=THIRDS, rounds=FEW)
    for path in (first, whole):
        assert built(path, line=OPENING, thirds=THIRDS, rounds=(*FEW, 2_000_000)).distance == 33
    assert content(first) == content(whole)


def test_a_strategy_with_open_parts_is_not_called_won_while_it_is_looked_at() -> None:
    parts = replace(UNKNOWN, decided=1, parts=42, won=7)
    state = PartsBuildState(parts, 0, 24, 10, 0, None, 0.0)
    looked = "10 of 24 positions of the strategy looked at"
    assert describe_parts_build(state) == f"7 of 42 parts won; {looked}"
    assert describe_parts_build(replace(state, parts=replace(parts, won=42))) == f"won; {looked}"


@pytest.mark.slow
def test_of_the_whole_game_an_opening_that_is_won_begins_above_its_parts(tmp_path: Path) -> None:
    parts = tmp_path / "book.db.parts"
    with ProofByParts(GAME, parts, root=OPENING, thirds=THIRDS) as proof:
        with Workers().open(PartWork(GAME.id)) as dispatch:
            list(proof.steps(dispatch))
        assert proof.proved().starts == (proof.certificate().start,)
    with ProofByParts(GAME, parts) as proof:
        assert not proof.complete
        (start,) = proof.proved().starts
    assert (start.dark, start.light) == (tuple(GAME.parse_line("e5")), OPENING[1:])


def test_a_strategy_without_what_follows_a_move_is_no_rows() -> None:
    line = OPTIONS.line
    start = Start(line[::2], line[1::2], move=GAME.parse_move("e6"))
    nothing = certificate_of(rules_for(GAME.id), start, EFFORT, ())
    rows = StrategyRows(GAME, Proved(nothing, (start,)), (), plies=2, nodes={})
    with pytest.raises(UnansweredReply, match="no entry follows e6"):
        list(rows.rows())


@pytest.mark.parametrize(
    ("game_id", "line", "expected"),
    [
        ("gomoku-15", "", True),
        ("gomoku-9-standard", "e5 e6", True),
        ("gomoku-9", "e5", False),
        ("gomoku-8", "", False),
        ("gomoku-15-renju", "", False),
        ("pentago-swap", "", False),
    ],
)
def test_only_dark_wins_by_parts_and_only_where_no_move_is_forbidden(
    game_id: str, line: str, expected: bool
) -> None:
    game = registry.get(game_id)
    position: Position = game.play_line(game.parse_line(line))
    assert has_parts(game, position) is expected


def test_rounds_end_with_the_nodes_that_are_given() -> None:
    assert rounds_within(5_000_000) == (2_000_000, 5_000_000)
    assert rounds_within(100) == (100,)
    assert rounds_within(None)[-1] == 2_000_000_000


def test_the_command_builds_and_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "book.db")
    command = ["build", path, "--game", GAME.id, "--mode", "prove", "--root", ROOT, "--plies", "2"]
    result = CliRunner().invoke(cli, [*command, "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["won"] is True
    assert told["complete"] is True
    assert told["positions"] > 0
    result = CliRunner().invoke(cli, command)
    assert f"win in {told['distance']} proven" in result.output
    refused = CliRunner().invoke(cli, [*command, "--memory", "1GB"])
    assert "--mode prove has no --memory by parts" in refused.output


def test_the_command_takes_the_second_stones_from_a_file(tmp_path: Path) -> None:
    thirds = tmp_path / "thirds.txt"
    # An image of e5 a1 d4.
    thirds.write_text("e5 i1 f4\n")
    command = ["build", str(tmp_path / "book.db"), "--game", GAME.id, "--mode", "prove"]
    command += ["--nodes", "1", "--root", "e5 a1", "--thirds", str(thirds)]
    result = CliRunner().invoke(cli, command)
    assert "not proved, the first of them after 'e5 a1 d4 b1'" in result.output


def test_the_command_refuses_what_is_no_second_stone_and_makes_no_book(tmp_path: Path) -> None:
    path, thirds = tmp_path / "book.db", tmp_path / "thirds.txt"
    command = ["build", str(path), "--game", GAME.id, "--mode", "prove", "--thirds", str(thirds)]
    thirds.write_text("e5 a1 f6\nd4 e5 f6\n")
    result = CliRunner().invoke(cli, command)
    assert "'d4 e5 f6' is no first stone in the centre" in result.output
    assert list(tmp_path.iterdir()) == [thirds]
    command += ["--root", "e5 a1 f6 i1"]
    assert "is no first stone" in CliRunner().invoke(cli, command).output
    refused = CliRunner().invoke(cli, [*command[:4], "--thirds", str(thirds)])
    assert "--mode explore has no --thirds" in refused.output

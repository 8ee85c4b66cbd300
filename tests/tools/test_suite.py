"""Opening suites: what makes them, and those that are shipped."""

from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine import registry
from engine.game import Game
from engine.search import Limits
from fivebook import prove
from service.play.arena.openings import read_openings, suite
from tests.checkout import DATA
from tools.suite import HELD_OUT, PROOF_MEMORY, main

SUITES = DATA / "openings"
SHIPPED = [path.stem for path in sorted(SUITES.glob("*.txt"))]
NODES, MARGIN = 3_000, 200
PROOF_NODES = 400_000

shipped = pytest.mark.parametrize("game", [registry.get(name) for name in SHIPPED], ids=SHIPPED)


def made(folder: Path, game_id: str, *more: str, seed: int = 1) -> tuple[list[str], list[str]]:
    """The openings of a small suite, in notation, and those held out."""
    options = ["--openings", "4", "--nodes", NODES, "--margin", MARGIN, "--seed", seed, *more]
    result = CliRunner().invoke(main, [game_id, *map(str, [folder, *options])])
    assert result.exit_code == 0, result.output
    used, held_out = (
        [line for line in file.read_text().splitlines() if not line.startswith("#")]
        for file in (folder / f"{game_id}.txt", folder / HELD_OUT / f"{game_id}.txt")
    )
    return used, held_out


@pytest.mark.parametrize("game_id", ["gomoku-9", "pentago-swap"])
def test_every_opening_is_within_the_margin_of_equal(game_id: str, tmp_path: Path) -> None:
    game = registry.get(game_id)
    searcher = game.searcher()
    used, held_out = made(tmp_path, game_id)
    assert len(used) == len(held_out) == 2
    for line in used + held_out:
        position = game.play_line(game.parse_line(line))
        result = searcher.search(position, Limits(nodes=NODES))
        assert abs(result.value) <= MARGIN
        assert not result.proven


def test_what_a_proof_decides_is_no_opening(tmp_path: Path) -> None:
    def decided(*more: str) -> int:
        lines = [*chain(*made(tmp_path, "pentago-swap", "--openings", "8", *more))]
        assert len(lines) == 8
        known = (
            prove("pentago-swap", line, nodes=PROOF_NODES, memory=PROOF_MEMORY) for line in lines
        )
        return sum(proof.result != "open" for proof in known)

    assert decided() > 0
    assert decided("--proof-nodes", str(PROOF_NODES)) == 0
    head = (tmp_path / "pentago-swap.txt").read_text().splitlines()[:4]
    assert head[2].endswith("'s engine,")
    assert head[3] == "# and open to a proof by 400,000 nodes."


def test_a_suite_is_the_same_for_the_same_seed_alone_whatever_the_jobs(tmp_path: Path) -> None:
    first = made(tmp_path / "first", "gomoku-9")
    again = made(tmp_path / "again", "gomoku-9", "--jobs", "2")
    assert first == again != made(tmp_path / "other", "gomoku-9", seed=2)


def test_no_root_of_a_book_is_held_out(tmp_path: Path) -> None:
    used, held_out = made(tmp_path / "before", "gomoku-9")
    roots = tmp_path / "roots.txt"
    roots.write_text("".join(f"{line}\n" for line in held_out))
    assert made(tmp_path / "after", "gomoku-9", "--roots", str(roots)) == (held_out, used)


def test_roots_that_are_none_of_the_game_are_told(tmp_path: Path) -> None:
    roots = tmp_path / "roots.txt"
    roots.write_text("a1 j10\n")
    result = CliRunner().invoke(main, ["gomoku-9", str(tmp_path), "--roots", str(roots)])
    assert result.exit_code == 2
    assert f"Invalid value for --roots: {roots}, line 1: 'j10' is no cell" in result.output


def test_a_file_tells_how_it_was_made(tmp_path: Path) -> None:
    made(tmp_path, "gomoku-9")
    text = (tmp_path / HELD_OUT / "gomoku-9.txt").read_text()
    assert text.startswith("# 2 openings for gomoku-9: 3 to 7 random moves near\n")
    assert f"python -m tools.suite gomoku-9 {tmp_path} --openings 4 --margin 200" in text


@shipped
def test_no_two_shipped_openings_are_alike_not_even_one_held_out(game: Game) -> None:
    file = SUITES / HELD_OUT / f"{game.id}.txt"
    lines = [*suite(game), *(read_openings(game, file) if file.exists() else ())]
    keys = {game.canonical(game.play_line(line)).key for line in lines}
    assert len(keys) == len(lines) == (500 if file.exists() else 100)


@shipped
def test_shipped_openings_leave_the_game_to_be_played(game: Game) -> None:
    for line in suite(game):
        assert 3 <= len(line) <= 7
        assert game.outcome(game.play_line(line)) is None


@shipped
@pytest.mark.slow
def test_shipped_openings_are_not_lost_to_a_short_search(game: Game) -> None:
    searcher = game.searcher()
    for line in suite(game):
        result = searcher.search(game.play_line(line), Limits(nodes=200_000))
        assert not result.proven


def test_renjus_26_openings_are_all_there() -> None:
    renju = registry.get("gomoku-15-renju")
    file = DATA / "roots" / "gomoku-15-renju.txt"
    lines = read_openings(renju, file)
    assert len({renju.canonical(renju.play_line(line)).key for line in lines}) == 26
    # All that there are: the second stone beside the first, the third within two cells of it.
    firsts = {renju.format_line(line[:2]) for line in lines}
    assert firsts == {"h8 h9", "h8 i9"}
    assert len({name.split("# ")[1] for name in file.read_text().splitlines()[1:]}) == 26

"""Which openings of a suite a book is to grow from."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import registry
from engine.search import Limits
from service.play.arena.openings import read_openings, suite
from tests.checkout import DATA
from tools.roots import main

LEVEL = DATA / "roots" / "level"
GAME = registry.get("gomoku-9")
NODES = 3_000
SUITE = ["e5 f6", "d5 d6 f4", "e5 d4 c5", "a1 i9", "e5 e6 f5 a1 d5", "e5 f5 d6"]


def choose(folder: Path, lines: list[str], *options: str) -> tuple[Result, Path]:
    source, file = folder / "suite.txt", folder / "new" / "roots.txt"
    source.write_text("".join(f"{line}\n" for line in lines))
    size = ["--roots", "3", "--nodes", str(NODES), *options]
    return CliRunner().invoke(main, [GAME.id, str(source), str(file), *size]), file


def test_the_nearest_to_equal_are_chosen_in_the_order_of_the_suite(tmp_path: Path) -> None:
    result, file = choose(tmp_path, SUITE)
    assert result.exit_code == 0, result.output
    chosen = [GAME.format_line(line) for line in read_openings(GAME, file)]
    assert chosen == [line for line in SUITE if line in chosen]
    off = {}
    for line in SUITE:
        found = GAME.searcher().search(GAME.play_line(GAME.parse_line(line)), Limits(nodes=NODES))
        off[line] = (found.proven, abs(found.value))
    assert set(chosen) == set(sorted(SUITE, key=lambda line: off[line])[:3])
    assert not any(off[line][0] for line in chosen)


def test_what_is_proven_is_no_root(tmp_path: Path) -> None:
    result, file = choose(tmp_path, ["e5 a1 e6 a9 e7 i1", "e5 f6"])
    assert result.exit_code == 0, result.output
    assert [GAME.format_line(line) for line in read_openings(GAME, file)] == ["e5 f6"]


def test_the_number_of_jobs_does_not_matter(tmp_path: Path) -> None:
    _, file = choose(tmp_path, SUITE)
    chosen = file.read_text()
    _, file = choose(tmp_path, SUITE, "--jobs", "2")
    assert file.read_text() == chosen


def test_a_suite_that_is_none_of_the_game_is_told(tmp_path: Path) -> None:
    result, file = choose(tmp_path, ["e5 f6", "q20"])
    assert result.exit_code == 2
    assert "q20" in result.output
    assert not file.exists()


@pytest.mark.parametrize("name", [file.name for file in LEVEL.iterdir()])
def test_none_of_the_shipped_ones_is_held_out(name: str) -> None:
    game = registry.get(Path(name).stem)
    roots = read_openings(game, LEVEL / name)
    # Of Pentago-swap those that the field plays, of the others those below which books grow.
    assert len(roots) == (50 if game.id == "pentago-swap" else 40)
    assert set(roots) <= set(suite(game))


def test_the_suite_of_pentago_swap_begins_with_the_level_ones() -> None:
    swap = registry.get("pentago-swap")
    level = read_openings(swap, LEVEL / "pentago-swap.txt")
    assert suite(swap)[: len(level)] == level

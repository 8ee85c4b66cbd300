"""What a build tells of how far it is."""

from pathlib import Path

from engine import registry
from engine.search import Limits
from fivebook.displays.building import BuildView
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from precompute.modes.frontier import SearchMode
from precompute.modes.refine import Refine

GAME = registry.get("gomoku-7")


def last_told(book: Path, mode: SearchMode, nodes: int) -> str:
    """The last line of a build."""
    options = BuildOptions(GAME, mode, Limits(nodes=nodes))
    view = BuildView(book, options)
    lines: list[str] = []
    Builder(book, options, lambda state: lines.append(view.describe(state))).run()
    return lines[-1]


def test_growth_tells_its_positions_and_refining_its_searches(tmp_path: Path) -> None:
    book = tmp_path / "some.db"
    assert last_told(book, Explore(5), 100).startswith("5 positions, ")
    assert "searches" not in last_told(book, Explore(6), 100)
    assert last_told(book, Refine(searches=4), 200).startswith("6 positions, 4 searches, ")

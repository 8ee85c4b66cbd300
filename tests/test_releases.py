"""A version says what it guards: a search, weights or schema that changed needs a new version.

Builders that share a book, workers of a cluster and `verify --deep` compare versions to know
whether two searches would find the same. `releases.json` says what each version stands for; to
change any of it, raise `engine.__version__`, add a record here and a section to CHANGELOG.md.
"""

import json
import re
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import pytest
from packaging.version import Version

from book.storage.schema import REVISIONS
from book.writer import evaluation_hash
from engine import __version__, registry
from engine.search import Limits
from service.play.arena.openings import read_openings
from tests.checkout import DATA, ROOT

RELEASES: list[dict[str, Any]] = json.loads((ROOT / "tests" / "releases.json").read_text())
DEPTHS = {"gomoku-15": 10, "pentago-swap": 5}


def test_the_last_release_is_this_version() -> None:
    assert RELEASES[-1]["version"] == __version__


def test_versions_ascend() -> None:
    versions = [Version(release["version"]) for release in RELEASES]
    assert all(earlier < later for earlier, later in pairwise(versions))


def test_the_change_log_has_a_section_for_every_release_the_last_one_first() -> None:
    headings = re.findall(r"^## ([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    versions = [release["version"] for release in reversed(RELEASES)]
    assert headings[: len(versions)] == versions


@pytest.mark.parametrize("game_id", DEPTHS)
def test_this_version_searches_as_many_nodes_as_it_is_recorded_with(game_id: str) -> None:
    game = registry.get(game_id)
    searcher = game.searcher()
    lines = read_openings(game, DATA / "bench" / f"{game_id}.txt")
    limits = Limits(depth=DEPTHS[game_id])
    nodes = sum(searcher.search(game.play_line(line), limits).nodes for line in lines)
    assert nodes == RELEASES[-1]["search nodes"][game_id]


def test_this_version_finds_by_nodes_what_it_is_recorded_with() -> None:
    game = registry.get("pentago-swap")  # which searches otherwise without a limit by depth
    searcher = game.searcher()
    lines = read_openings(game, DATA / "bench" / f"{game.id}.txt")
    results = (searcher.search(game.play_line(line), Limits(nodes=200_000)) for line in lines)
    found = str([(result.move, result.value, result.depth) for result in results])
    digest = blake2b(found.encode(), digest_size=8).hexdigest()
    assert digest == RELEASES[-1]["found by nodes"][game.id]


def test_this_version_evaluates_by_the_weights_it_is_recorded_with() -> None:
    found = {name: evaluation_hash(registry.get(name)) for name in RELEASES[-1]["evaluation"]}
    assert found == RELEASES[-1]["evaluation"]


def test_this_version_writes_the_schema_it_is_recorded_with() -> None:
    assert REVISIONS[-1] == RELEASES[-1]["schema"]

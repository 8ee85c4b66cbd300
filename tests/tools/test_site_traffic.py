"""The simulation of visitors asks for what the page itself would ask for."""

from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from book.storage.address import Address
from fivebook.whole_exports import write_whole
from tests.checkout import DATA
from tools.site_traffic import Site, main, share_missed, visit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host") / "site"
    write_whole("site", Address.of(DATA / "pentago-swap.db"), None, folder, force=False)
    return folder


def test_every_position_of_the_book_is_in_a_piece_and_in_the_index(folder: Path) -> None:
    site = Site.read(folder)
    assert len(site.rows) == 24_268
    assert {site.index_of(stones) for stones in site.rows} <= set(site.sizes)


def test_visitors_ask_for_less_the_more_they_have_kept(folder: Path) -> None:
    site = Site.read(folder)
    traffic = visit(site, 50, Random(1))
    assert traffic.answers >= 50
    assert traffic.most_requests <= 3
    assert 2 * 50 <= len(traffic.asked) < 2 * traffic.answers


def test_a_cache_of_everything_misses_each_file_once_and_one_of_nothing_every_time(
    folder: Path,
) -> None:
    site = Site.read(folder)
    asked = visit(site, 20, Random(1)).asked
    whole = sum(site.sizes.values())
    assert share_missed(site, asked, whole) == len(set(asked)) / len(asked)
    assert share_missed(site, asked, 0) == 1


def test_the_figures_are_printed(folder: Path) -> None:
    result = CliRunner().invoke(main, [str(folder), "--visitors", "5"])
    assert result.exit_code == 0
    assert "at most 2 requests" in result.stdout

"""What tries random parts of a win."""

from dataclasses import replace
from random import Random

import pytest
from click.testing import CliRunner

from engine.games.gomoku import Gomoku
from precompute.certificates.gomoku.part import game_of
from tools import pairs

GAME: Gomoku = game_of("gomoku-9")
NODES = 20_000


@pytest.mark.slow
def test_a_table_counts_what_is_won_and_names_the_others() -> None:
    options = ["--second-moves", "2", "--fourth-moves", "3", "--nodes", str(NODES)]
    result = CliRunner().invoke(pairs.main, [GAME.id, *options])
    assert result.exit_code == 0, result.output
    table = result.stdout.splitlines()
    cells = [cell.strip() for cell in table[2].split("|")[1:-1]]
    assert cells[:2] == [GAME.id, "14"]
    # Nearly all have all 78 free cells for the fourth stone, some half of them up to symmetry.
    assert 14 * 39 < int(cells[2].replace(",", "")) <= 14 * 78
    assert cells[3] == "6"
    others = [line.removeprefix("open: ") for line in table[3:]]
    assert int(cells[4]) == 6 - len(others)
    assert all(len(GAME.parse_line(line)) == 4 for line in others)


@pytest.mark.slow
def test_pairs_are_the_same_again_and_keep_to_their_nodes() -> None:
    second = GAME.parse_move("a1")
    first, again = (pairs.attempt(GAME.id, second, 3, NODES, seed=1) for _ in range(2))
    assert [replace(each, seconds=0.0) for each in first] == [
        replace(each, seconds=0.0) for each in again
    ]
    assert len({each.line for each in first}) == 3
    assert any(each.won for each in first)


def test_no_more_are_drawn_than_there_are() -> None:
    assert sorted(pairs.draw([3, 1, 2], 5, Random(1))) == [1, 2, 3]
    assert len(set(pairs.draw(list(range(9)), 5, Random(1)))) == 5


def test_other_games_are_refused() -> None:
    result = CliRunner().invoke(pairs.main, ["gomoku-15-renju"])
    assert "no proof of gomoku-15-renju is made of parts" in result.output

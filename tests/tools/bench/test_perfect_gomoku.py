"""``perfect-gomoku``: games from every second move, and what is told of them."""

from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.openings import second_moves
from engine.players.base import Choice, Player
from engine.position import Position
from tools.bench import perfect_gomoku
from tools.bench.perfect_play import play_out

GAME = registry.get("gomoku-15")


class _Lowest(Player):
    """Plays the first free cell, and says that this wins."""

    name = "lowest"
    game = GAME

    def choose(self, position: Position) -> Choice:
        return Choice(self.game.legal_moves(position)[0], 29_990)


def test_games_start_with_every_second_move_and_then_with_a_random_fourth() -> None:
    assert isinstance(GAME, Gomoku)
    seconds = second_moves(GAME)
    found = list(perfect_gomoku.openings(GAME, 2 * len(seconds) + 3, Random(1)))
    assert [moves[1] for moves, _ in found] == seconds + seconds + seconds[:3]
    fourths = [fourth for _, fourth in found]
    assert fourths[: len(seconds)] == [None] * len(seconds)
    for moves, fourth in found[len(seconds) :]:
        assert fourth is not None
        assert fourth not in moves


def test_a_game_is_told_as_it_was_played() -> None:
    start = GAME.play_line(GAME.parse_line("h8 a15"))
    played = play_out(GAME, _Lowest(), lambda position: GAME.legal_moves(position)[-1], start)
    assert played.won
    assert GAME.outcome(played.end) is Outcome.DARK_WINS
    assert played.end.ply == 11
    assert len(played.choices) == len(played.milliseconds) == 5


def test_opponents_are_those_who_play_gomoku() -> None:
    names = list(perfect_gomoku.opponents(GAME, None, 3))
    assert names[0] == "random"
    assert names[-2:] == ["engine", "stubborn"]
    assert "closeness" not in names
    assert len(names) == 7


@pytest.mark.slow
def test_without_a_book_the_engine_beats_random_play() -> None:
    assert isinstance(GAME, Gomoku)
    row = next(perfect_gomoku.play_all(GAME, None, 2, 1))
    assert (row.opponent, row.games, row.won, row.distinct) == ("random", 2, 2, 2)
    assert row.over_ms == pytest.approx(max(0.0, row.slowest_ms - 100), abs=0.02)

"""Wins by threats at the root of searches where moves may be forbidden."""

import time
from random import Random

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku
from engine.games.gomoku.forced_threats import ForcedThreats
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.search import Limits
from engine.values import WIN
from tests.engine.games.gomoku.test_strategy import scattered_positions


def renju() -> Gomoku:
    game = registry.get("gomoku-15-renju")
    assert isinstance(game, Gomoku)
    return game


def test_a_search_proves_what_threats_win() -> None:
    game = renju()
    solver, searcher = ThreatSolver(game), game.searcher()
    won = 0
    for position in scattered_positions(game, Random(8), 60):
        win = solver.vcf(position, nodes=500)
        if not win.won or win.distance is None:
            continue
        result = searcher.search(position, Limits(nodes=8_000))
        assert result.proven
        assert result.value == WIN - win.distance
        won += 1
    assert won > 5


def test_lines_are_legal_and_end_with_the_win() -> None:
    game = renju()
    forced, won = ForcedThreats(game), 0
    for position in scattered_positions(game, Random(9), 60):
        found = forced.settle(position, nodes=4_000)
        assert forced.spent <= 4_000
        if found is None:
            continue
        assert found.wins
        assert len(found.line) == found.distance
        end = game.play_line(found.line, position)
        wins = Outcome.DARK_WINS if position.dark_to_move else Outcome.LIGHT_WINS
        assert game.outcome(end) is wins
        won += 1
    assert won > 5


def test_nothing_is_looked_for_after_the_deadline() -> None:
    forced = ForcedThreats(renju())
    for position in scattered_positions(renju(), Random(10), 5):
        assert forced.settle(position, deadline=time.monotonic_ns() - 1) is None
        assert forced.spent == 0

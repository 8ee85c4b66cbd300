"""Proofs that follow advice: bad advice proves nothing, and alpha-beta's is good."""

from random import Random

import pytest

from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.strategy import advised
from engine.games.gomoku.strategy.advised import AdvisedFinder
from engine.games.gomoku.strategy.finder import StrategyFinder
from engine.position import Move, Position
from tests.engine.games.gomoku.test_proofs import crowded_positions
from tests.engine.games.gomoku.test_strategy import game_of
from tests.engine.threat_claims import sides
from tests.oracles.exhaustive import Exhaustive

SMALL = [f"gomoku-{size}{rule}" for size in (5, 6) for rule in ("", "-standard")]
# A win that advice proves within these nodes, and the finder alone does not.
FAR_OFF, ENOUGH = "f6 f3 e7 g3", 3_000_000


class AnyMove:
    """Advises any move; `asked` tells how often."""

    spent = 0

    def __init__(self, game: Gomoku, random: Random) -> None:
        self._game, self._random = game, random
        self.asked = 0

    def advice(self, position: Position, nodes: int) -> Move | None:
        self.asked += 1
        return self._random.choice(list(self._game.legal_moves(position)))

    def forget(self) -> None:
        pass


@pytest.mark.parametrize("name", SMALL)
def test_what_is_proven_is_won_whatever_the_advice(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for nodes in ("_TOO_FEW_FOR_ADVICE", "_NODES_AT_FIRST", "_NODES_BEFORE"):
        monkeypatch.setattr(advised, nodes, 5)
    game, random = game_of(name), Random(name)
    truth = Exhaustive(game.size, exactly_five=game.rule is Rule.STANDARD)
    adviser = AnyMove(game, random)
    finder = AdvisedFinder(game, adviser)
    positions = crowded_positions(game, random, range(2, 9))
    proven = 0
    for _ in range(25):
        position = next(positions)
        result = finder.prove(position, nodes=2_000)
        if result.won:
            plies = truth.plies(*sides(game, position))
            assert result.distance is not None
            assert 0 < plies <= result.distance
            proven += 1
        truth.forget()
    assert proven > 1
    assert adviser.asked > 15


@pytest.mark.slow
def test_alpha_betas_advice_proves_what_the_finder_alone_does_not() -> None:
    game = game_of("gomoku-11-standard")
    position = game.play_line(game.parse_line(FAR_OFF))
    assert StrategyFinder(game).prove(position, nodes=ENOUGH).won is None
    first = AdvisedFinder(game)
    result, store = first.prove(position, nodes=ENOUGH), first.finder.store
    assert result.won
    assert result.nodes < ENOUGH
    for again in first, AdvisedFinder(game):
        assert again.prove(position, nodes=ENOUGH) == result
        assert again.finder.store == store


@pytest.mark.parametrize("nodes", [1, 100, 5_000, 600_000, 1_800_000])
def test_hardly_more_nodes_are_spent_than_given(nodes: int) -> None:
    game = game_of("gomoku-11-standard")
    position = game.play_line(game.parse_line(FAR_OFF))
    result = AdvisedFinder(game).prove(position, nodes=nodes)
    assert result.won is None
    assert result.nodes <= nodes


def test_after_the_deadline_nothing_is_spent() -> None:
    game = game_of("gomoku-11-standard")
    position = game.play_line(game.parse_line(FAR_OFF))
    assert AdvisedFinder(game).prove(position, nodes=ENOUGH, deadline=1).nodes == 0


def test_a_game_that_forbids_moves_is_refused() -> None:
    with pytest.raises(ValueError, match="gomoku-15-renju forbids moves"):
        AdvisedFinder(game_of("gomoku-15-renju"))


def test_a_finished_game_is_an_error() -> None:
    game = game_of("gomoku-9")
    finished = game.play_line(game.parse_line("a1 a9 b1 b9 c1 c9 d1 d9 e1"))
    with pytest.raises(ValueError, match="game is over"):
        AdvisedFinder(game).prove(finished, nodes=ENOUGH)

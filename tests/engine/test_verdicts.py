"""What a proof says of each move, against brute force."""

import random

import pytest

from engine import registry
from engine.game import Outcome
from engine.position import Move, Position, Side
from engine.verdicts import Question, Step, answer, moves_alike
from tests.engine.games.quadrants.test_pentago_swap_solver import random_position
from tests.oracles import quick_pentago_swap as quick

GAME = registry.get("pentago-swap")
NODES = 1_000_000
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


def each_move(
    position: Position, side: Side | None = None, within: int | None = None
) -> list[Step]:
    """The rows for all moves, by provers as the command has them."""
    question = Question(GAME, position, side, NODES, within, each_move=True)
    win, loss = (GAME.prover(table=4) if asked else None for asked in question.claims)
    return moves_alike(answer(question, (win, loss)))


def brute_force(position: Position, move: Move) -> tuple[str, int]:
    """What a move leads to for who plays it, and in how many plies; 0 of a draw."""
    after = GAME.play(position, move)
    outcome = GAME.outcome(after)
    if outcome is Outcome.DRAW:
        return "draw", 0
    if outcome is not None:
        return "win" if outcome.winner is position.to_move else "loss", 1
    board = quick.board_of(after.dark, after.light)
    (kind, plies), _moves = quick.solve(board, after.ply % 2, 36 - after.ply)
    return OPPOSITE[kind], plies + 1 if plies else 0


@pytest.mark.parametrize("empty", [3, 4])
def test_every_move_is_told_once_and_as_brute_force_tells_it(empty: int) -> None:
    rng = random.Random(empty)
    results = set()
    for _ in range(15):
        position = random_position(rng, empty)
        rows = each_move(position)
        moves = sorted(move for row in rows for move in row.moves)
        assert moves == GAME.legal_moves(position)
        for row in rows:
            verdict = row.verdict
            results.add(verdict.result)
            for move in row.moves:
                kind, plies = brute_force(position, move)
                assert verdict.result == kind
                proof = verdict.win if kind == "win" else verdict.loss
                # A swap of the loser's may bring the win a ply sooner.
                assert kind == "draw" or plies <= (proof.distance or 0) <= plies + 1
    assert results == {"win", "loss", "draw"}


def test_what_is_known_within_some_plies_holds_for_every_move() -> None:
    rng = random.Random(40)
    for _ in range(15):
        position = random_position(rng, 4)
        for side in Side:
            for row in each_move(position, side, within=2):
                wins = side is position.to_move
                claim = row.verdict.win if wins else row.verdict.loss
                for move in row.moves:
                    kind, plies = brute_force(position, move)
                    holds = kind == ("win" if wins else "loss")
                    if claim.won is not None:
                        assert claim.won == holds
                    elif holds:
                        assert plies > claim.horizon


def test_moves_come_with_the_best_first() -> None:
    rng = random.Random(41)
    order = ["win", None, "draw", "loss"]
    for _ in range(10):
        rows = each_move(random_position(rng, 4), within=2)
        ranks = [order.index(row.verdict.result) for row in rows]
        assert ranks == sorted(ranks)

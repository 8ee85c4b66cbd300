"""The prover of Pentago-swap against brute force; threads, and what is kept of a proof."""

import random
from dataclasses import replace

import pytest

from engine.game import Outcome
from engine.games.quadrants.pentago_swap import SWAPS, PentagoSwap, swap_quadrants
from engine.games.quadrants.swap import exact as kernels
from engine.games.quadrants.swap import prover as prover_module
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.prover import PentagoSwapProver
from engine.games.quadrants.swap.solver import ExactSolver, boards_of
from engine.games.quadrants.swap.supernodes import ALL
from engine.position import Position
from tests.engine.games.quadrants.test_pentago_swap_solver import quiet_position, random_position
from tests.oracles import quick_pentago_swap as quick

GAME = PentagoSwap()
NODES = 2_000_000


def won_position(seed: int, distance: int, empty: int) -> Position:
    """A position that the side to move wins in just so many plies."""
    rng = random.Random(seed)
    solver = ExactSolver(GAME, table=16)
    while True:
        position = quiet_position(rng, empty)
        answer = solver.solve(position, horizon=distance, list_moves=False)
        if (answer.outcome, answer.distance) == ("win", distance):
            return position


@pytest.mark.parametrize("empty", [3, 4, 5])
def test_a_proof_says_what_brute_force_says(empty: int) -> None:
    rng = random.Random(300 + empty)
    prover = PentagoSwapProver(GAME, table=4)
    for _ in range(60):
        position = quiet_position(rng, empty)
        board = quick.board_of(position.dark, position.light)
        (kind, plies), _moves = quick.solve(board, position.ply % 2, empty)
        for loses, wanted in ((False, "win"), (True, "loss")):
            proof = prover.prove(position, loses=loses)
            assert proof.won == (kind == wanted)
            if proof.won:
                assert proof.distance is not None
                assert plies <= proof.distance <= plies + 1
                assert proof.horizon < plies
                assert len(proof.line) == plies
                assert GAME.outcome(GAME.play_line(proof.line, position)) is not None


@pytest.mark.parametrize("loses", [False, True])
def test_a_proof_within_so_many_plies_rules_out_no_longer_win(loses: bool) -> None:
    rng = random.Random(303 + loses)
    prover = PentagoSwapProver(GAME, table=4)
    answers = set()
    for number in range(60):
        position = (quiet_position if number % 2 else random_position)(rng, 5)
        board = quick.board_of(position.dark, position.light)
        (kind, plies), _moves = quick.solve(board, position.ply % 2, 5)
        holds = kind == ("loss" if loses else "win")
        for within in range(1, 6):
            *_, proof = prover.steps(position, nodes=NODES, loses=loses, within=within)
            answers.add(proof.won)
            if proof.won:
                assert holds
                assert proof.distance is not None
                assert plies <= proof.distance <= within
            elif within == 5:
                assert proof.won is False
                assert not holds
            else:
                assert proof.won is None
                assert within - 2 < proof.horizon <= within
                assert not holds or plies > proof.horizon
    assert answers == {True, False, None}


def test_positions_that_differ_by_symmetry_and_swaps_are_kin() -> None:
    rng = random.Random(23)
    prover = PentagoSwapProver(GAME, table=1)
    for _ in range(20):
        position = quiet_position(rng, 20)
        for symmetry in GAME.symmetries:
            assert prover.kin(GAME.map_position(position, symmetry)) == prover.kin(position)
        for swap in range(len(SWAPS)):
            dark, light = (swap_quadrants(own, swap) for own in (position.dark, position.light))
            assert prover.kin(Position(dark, light)) == prover.kin(position)
        assert prover.kin(quiet_position(rng, 20)) != prover.kin(position)


def test_an_interrupted_proof_goes_on_to_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    position = quiet_position(random.Random(12), 16)
    whole = PentagoSwapProver(GAME, table=16).prove(position, nodes=NODES)
    monkeypatch.setattr(prover_module, "_NODES_A_STEP", 500)
    steps = list(PentagoSwapProver(GAME, table=16).steps(position, nodes=NODES))
    assert len(steps) > 1
    assert (steps[-1].won, steps[-1].distance) == (whole.won, whole.distance)


def test_threads_settle_what_one_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover_module, "_SHARED_NODES_A_STEP", 5_000)
    rng = random.Random(16)
    for _ in range(12):
        position = quiet_position(rng, rng.randint(14, 18))
        for loses in (False, True):
            alone = PentagoSwapProver(GAME, table=16).prove(position, nodes=NODES, loses=loses)
            assert alone.won is not None
            shared = PentagoSwapProver(GAME, table=16, threads=3)
            proof = shared.prove(position, nodes=100 * NODES, loses=loses)
            assert (proof.won, proof.distance, proof.horizon) == (
                alone.won,
                alone.distance,
                alone.horizon,
            )


def test_threads_on_a_tiny_table_settle_what_one_settles_for_all_arrangements() -> None:
    rng = random.Random(17)
    for _ in range(20):
        mine, theirs = boards_of(quiet_position(rng, rng.randint(14, 24)))
        alone, shared = Claims(table=16), Claims(table=1, threads=4)
        shared._table = shared._table[: 64 * kernels.WAYS]
        for plies in range(1, 8):
            for attacks in (False, True):
                claim = (mine, theirs, attacks, plies, int(ALL))
                assert shared.settle(*claim) == alone.settle(*claim)


def test_a_proof_is_followed_to_its_end() -> None:
    position = won_position(18, 9, 20)
    prover = PentagoSwapProver(GAME, table=16)
    proof = prover.prove(position, nodes=NODES)
    assert proof.distance == 9
    rng = random.Random(19)
    for _ in range(20):
        here, within = position, 9
        while GAME.outcome(here) is None:
            found = prover.follow(here, within=within)
            assert found.won
            assert found.distance is not None
            assert found.distance <= within
            assert found.horizon == found.distance - 2 or found.distance == 1
            within = found.distance - 2
            here = GAME.play(here, found.line[0])
            if GAME.outcome(here) is None:
                here = GAME.play(here, rng.choice(GAME.legal_moves(here)))
        assert GAME.outcome(here) is (
            Outcome.DARK_WINS if position.dark_to_move else Outcome.LIGHT_WINS
        )


def test_what_is_not_won_is_not_followed() -> None:
    prover = PentagoSwapProver(GAME, table=4)
    assert prover.follow(GAME.initial, within=7).won is False


def test_a_prover_goes_on_from_what_another_one_knew() -> None:
    position = won_position(20, 11, 22)
    first = PentagoSwapProver(GAME, table=64)
    proof = first.prove(position, nodes=10 * NODES)
    assert proof.distance == 11
    known = first.knowledge()
    assert known
    second = PentagoSwapProver(GAME, table=16)
    second.learn(known)
    again = second.prove(position, nodes=10 * NODES)
    assert (again.won, again.distance) == (True, 11)
    assert again.nodes < proof.nodes / 3
    assert replace(again, nodes=0, table=0.0, line=()) == replace(
        proof, nodes=0, table=0.0, line=()
    )


def test_knowledge_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="buffer size"):
        PentagoSwapProver(GAME, table=1).learn(b"123")

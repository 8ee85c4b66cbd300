"""The Gomoku prover: what it proves is true, and it proves what threats alone cannot."""

from collections.abc import Iterator
from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku, Rule, dfpn
from engine.games.gomoku.prover import GomokuProver
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position
from engine.proof import Proof, prove_by_turns
from tests.engine.records import content
from tests.engine.threat_claims import follower, sides
from tests.oracles.boards import board_of as drawn
from tests.oracles.exhaustive import Exhaustive
from tests.oracles.mnk import solve
from tests.oracles.proof_checker import ProofChecker
from tests.oracles.slow_rules import SlowGomoku
from tests.oracles.solver import WIN, Solver

SMALL = [f"gomoku-{size}{rule}" for size in (5, 6, 7) for rule in ("", "-standard")]

# From games of the engine against itself: the side to move wins, but not by threats alone.
QUIET_WINS = [
    (
        "gomoku-15",
        "i8 e10 e5 f5 i9 f9 g8 f8 i10 f7 f6 i7 g7 h8 d4 c3 f10 g9 h10 j8 j10 g10 k10 l10 k9 i12 "
        "h11 j6",
    ),
    ("gomoku-9", "g5 b7 b5 h7 g4 g7 e7 h4 e5 h5"),
    ("gomoku-19", "g8 i13 k12 h12 g11 i11 i10 g13 j10 h13 j13 f14"),
]

small_boards = pytest.mark.parametrize("name", SMALL)
quiet_wins = pytest.mark.parametrize(
    ("name", "moves"), QUIET_WINS, ids=[name for name, _ in QUIET_WINS]
)
both_claims = pytest.mark.parametrize("loses", [False, True], ids=["wins", "loses"])


def game_of(name: str) -> Gomoku:
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return game


def after(name: str, moves: str) -> tuple[Gomoku, Position]:
    game = game_of(name)
    return game, game.play_line(game.parse_line(moves))


def crowded_positions(game: Gomoku, random: Random, free: range) -> Iterator[Position]:
    """Positions of random stones that nobody has won yet, with so many free cells."""
    while True:
        position = game.initial
        count = game.cell_count - random.choice(free)
        for move in random.sample(range(game.cell_count), count):
            position = game.play(position, move)
        if game.outcome(position) is None:
            yield position


@small_boards
def test_what_is_proven_agrees_with_trying_everything(name: str) -> None:
    compare(name, Random(name), count=100, free=range(2, 9))


@pytest.mark.slow
@small_boards
def test_what_is_proven_agrees_with_trying_everything_in_many_positions(name: str) -> None:
    compare(name, Random(f"slow {name}"), count=10_000 // len(SMALL) + 1, free=range(3, 9))


def compare(name: str, random: Random, count: int, free: range) -> None:
    """Both claims, of a win and of a loss, are settled, and as they should be."""
    game = game_of(name)
    solver = GomokuProver(game, table=1)
    truth = Exhaustive(game.size, exactly_five=game.rule is Rule.STANDARD)
    positions = crowded_positions(game, random, free)
    decided = 0
    for _ in range(count):
        position = next(positions)
        plies = truth.plies(*sides(game, position))
        truth.forget()
        for loses, won in ((False, plies > 0), (True, plies < 0)):
            proof = solver.prove(position, loses=loses)
            assert proof.won is won
            if won:
                assert_leads_to_five(game, position, proof, loses=loses)
                assert proof.distance is not None
                assert proof.distance >= abs(plies)
            else:
                assert (proof.line, proof.distance) == ((), None)
        decided += plies != 0
    assert decided > 0


def assert_leads_to_five(game: Gomoku, position: Position, proof: Proof, *, loses: bool) -> None:
    assert proof.distance is not None
    assert len(proof.line) <= proof.distance
    assert len(proof.line) % 2 == proof.distance % 2 == (0 if loses else 1)
    end = game.play_line(proof.line, start=position)
    dark_wins = position.dark_to_move is not loses
    assert game.outcome(end) is (Outcome.DARK_WINS if dark_wins else Outcome.LIGHT_WINS)


def test_trying_everything_has_the_values_of_the_slow_rules() -> None:
    random = Random(1)
    for name in ("gomoku-5", "gomoku-6-standard"):
        game = game_of(name)
        truth = Exhaustive(game.size, exactly_five=game.rule is Rule.STANDARD)
        slow = Solver(SlowGomoku(game.size, exactly_five=game.rule is Rule.STANDARD))
        positions = crowded_positions(game, random, range(5, 7))
        for _ in range(10):
            position = next(positions)
            value = slow.value(drawn(game, position))
            plies = truth.plies(*sides(game, position))
            assert value == (WIN - plies if plies > 0 else -WIN - plies if plies < 0 else 0)


@quiet_wins
def test_wins_with_quiet_moves_are_proven_and_hold_against_every_reply(
    name: str, moves: str
) -> None:
    game, position = after(name, moves)
    assert ThreatSolver(game).vct(position).won is False
    solver = GomokuProver(game)
    proof = solver.prove(position)
    assert proof.won
    assert_leads_to_five(game, position, proof, loses=False)
    checker = ProofChecker(game.size, exactly_five=game.rule is Rule.STANDARD)
    assert checker.hole(*sides(game, position), follower(game, solver)) is None


@quiet_wins
def test_the_other_side_is_proven_to_lose_after_the_winning_move(name: str, moves: str) -> None:
    game, position = after(name, moves)
    solver = GomokuProver(game)
    winner, loser = sides(game, position)
    move = solver.prove(position).line[0]
    position = game.play(position, move)
    proof = solver.prove(position, loses=True)
    assert proof.won
    assert proof.distance is not None
    assert_leads_to_five(game, position, proof, loses=True)
    checker = ProofChecker(game.size, exactly_five=game.rule is Rule.STANDARD)
    hole = checker.hole_after_replies(
        winner | {divmod(move, game.size)}, loser, proof.distance, follower(game, solver)
    )
    assert hole is None


@pytest.mark.parametrize("size", [5, 6])
def test_nobody_wins_on_a_board_that_is_too_small(size: int) -> None:
    game = game_of(f"gomoku-{size}-standard")
    position = game.play_line(game.parse_line("c3 c4 d3 d4" if size == 6 else ""))
    *_, verdict = prove_by_turns((game.prover(), game.prover()), position, nodes=2_000_000)
    assert verdict.result == "draw"


def test_a_position_is_open_while_nodes_are_wanting() -> None:
    game, position = after(*QUIET_WINS[0])
    solver = GomokuProver(game, table=1)
    needed = solver.prove(position).nodes
    for nodes in (1, 2, 3, 100, needed // 3, needed - 1):
        proof = solver.prove(position, nodes=nodes)
        assert proof.nodes <= nodes
        assert (proof.won, proof.line, proof.distance) == (None, (), None)


def test_a_search_in_steps_tells_how_far_it_is() -> None:
    game, position = game_of("gomoku-9"), game_of("gomoku-9").initial
    solver = GomokuProver(game, table=1)
    proofs = list(solver.steps(position, nodes=350_000))
    assert len(proofs) >= 3
    assert [proof.nodes for proof in proofs] == sorted(proof.nodes for proof in proofs)
    assert all(proof.won is None for proof in proofs)
    assert 0 < proofs[0].table <= proofs[-1].table <= 1
    assert proofs[-1].nodes <= 350_000


@both_claims
def test_a_table_that_is_too_small_proves_nothing_false(loses: bool) -> None:
    game, random = game_of("gomoku-6"), Random(6)
    truth = Exhaustive(6, exactly_five=False)
    solver = GomokuProver(game, table=1)
    solver._entries, solver._list_count = 8 * dfpn.WAYS, 8
    positions = crowded_positions(game, random, range(6, 10))
    settled = 0
    for _ in range(60):
        position = next(positions)
        proof = solver.prove(position, loses=loses, nodes=50_000)
        plies = truth.plies(*sides(game, position))
        assert proof.won in (None, plies < 0 if loses else plies > 0)
        assert proof.table <= 1
        settled += proof.won is not None
    assert settled > 30


def test_results_depend_on_the_arguments_alone() -> None:
    game, position = after(*QUIET_WINS[0])
    solver = GomokuProver(game, table=2)
    first = solver.prove(position)
    solver.prove(game.initial, nodes=5_000, loses=True)
    assert solver.prove(position) == GomokuProver(game, table=2).prove(position) == first


@pytest.mark.parametrize("rule", ["", "-standard"], ids=["freestyle", "standard"])
def test_a_search_leaves_the_record_as_it_was(rule: str) -> None:
    game, random = game_of(f"gomoku-11{rule}"), Random(rule)
    solver = GomokuProver(game, table=1)
    positions = crowded_positions(game, random, range(50, 90))
    for _ in range(10):
        position = next(positions)
        solver._search(position, 0, 0, 0)
        before = content(solver._state)
        solver.prove(position, nodes=5_000)
        assert content(solver._state) == before


@pytest.mark.parametrize(("limit", "value"), [("deadline", 1), ("stop", 1)], ids=str)
def test_the_limits_of_the_record_are_obeyed(limit: str, value: int) -> None:
    game = game_of("gomoku-9")
    solver = GomokuProver(game, table=1)
    solver._search(game.initial, 0, 0, 0)
    solver._forget()
    solver._state["node_limit"] = solver._prover["pause_at"] = 1_000_000
    solver._state["stop"] = 0
    solver._state[limit] = value
    dfpn.prove(solver._state, solver._threats, solver._prover, solver._table, solver._lists)
    assert solver._answer() is None
    assert solver._state["nodes"] < 1_000


def test_a_finished_game_is_an_error() -> None:
    game, finished = after("gomoku-9", "a1 a9 b1 b9 c1 c9 d1 d9 e1")
    solver = GomokuProver(game, table=1)
    for ask in (solver.prove, solver.follow):
        with pytest.raises(ValueError, match="game is over"):
            ask(finished)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_what_is_proven_on_open_boards_agrees_with_the_solver_of_such_games(size: int) -> None:
    """Where that one finds an end too, with its quite other means."""
    game, random = game_of(f"gomoku-{size}"), Random(size)
    provers = game.prover(table=4), game.prover(table=4)
    positions = crowded_positions(game, random, range(size * size // 3, 3 * size * size // 4))
    results = []
    for _ in range(100):
        position = next(positions)
        *_, verdict = prove_by_turns(provers, position, nodes=40_000)
        truth = solve(size, size, 5, position, nodes=200_000).outcome
        if truth is not None and verdict.result is not None:
            assert truth is outcome_of(position, verdict.result)
            results.append(verdict.result)
    assert len(results) > 50
    assert set(results) >= ({"draw"} if size == 5 else {"win", "draw"})


def outcome_of(position: Position, result: str) -> Outcome:
    """How a game ends that is a "win", a "loss" or a "draw" for the side to move."""
    if result == "draw":
        return Outcome.DRAW
    dark_wins = position.dark_to_move is (result == "win")
    return Outcome.DARK_WINS if dark_wins else Outcome.LIGHT_WINS


@pytest.mark.parametrize("size", [5, 6, 7])
def test_what_is_proven_in_renju_agrees_with_trying_everything(size: int) -> None:
    game, random = game_of(f"gomoku-{size}-renju"), Random(f"renju {size}")
    solver = GomokuProver(game, table=1)
    positions = crowded_positions(game, random, range(2, 8))
    decided = 0
    for _ in range(150):
        position = next(positions)
        plies = plies_by_rules(game, position, {})
        for loses, won in ((False, plies > 0), (True, plies < 0)):
            proof = solver.prove(position, loses=loses)
            assert proof.won is won
            if won:
                assert proof.distance is not None
                assert proof.distance >= abs(plies)
                assert len(proof.line) <= proof.distance
                game.play_line(proof.line, start=position)
        decided += plies != 0
    assert decided > 0


def plies_by_rules(game: Gomoku, position: Position, known: dict[Position, int]) -> int:
    """`Exhaustive.plies` by the game's own rules; a game over is won or lost in no plies."""
    if position not in known:
        results = []
        for move in game.legal_moves(position):
            after = game.play(position, move)
            outcome = game.outcome(after)
            if outcome is Outcome.DRAW:
                results.append(0)
            elif outcome is not None:
                won = (outcome is Outcome.DARK_WINS) is position.dark_to_move
                results.append(1 if won else -1)
            else:
                result = plies_by_rules(game, after, known)
                results.append(0 if result == 0 else 1 - result if result < 0 else -1 - result)
        wins = [result for result in results if result > 0]
        if wins:
            known[position] = min(wins)
        else:
            known[position] = 0 if 0 in results else min(results)
    return known[position]

"""The search and the prover that every game has, against trying everything by the slow rules."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.plain_prover import PlainProver
from engine.plain_search import BoundedTable, PlainSearcher
from engine.position import Move, Position, Side
from engine.proof import Proof
from engine.search import Limits, SearchOptions
from engine.values import WIN, Bound
from tests.oracles.boards import board_of, slow_rules_of
from tests.oracles.brute_connect_four import BruteConnectFour
from tests.oracles.solver import Solver

GAME_IDS = ("connect-four-5x4", "connect-four-4x5", "gomoku-5", "gomoku-5-renju")
NODES = 1_000_000


def late_positions(game: Game, count: int, free: int, seed: int) -> Iterator[Position]:
    """Unfinished positions of random games with so many free cells."""
    return map(game.play_line, islice(late_lines(game, free, seed), count))


def late_lines(game: Game, free: int, seed: int) -> Iterator[list[Move]]:
    """The moves of random games up to such positions."""
    rng = Random(seed)
    while True:
        line, position = list[Move](), game.initial
        while game.cell_count - position.ply > free and (moves := game.legal_moves(position)):
            line.append(rng.choice(moves))
            position = game.play(position, line[-1])
        if game.outcome(position) is None:
            yield line


def proof(game: Game, position: Position, *, loses: bool = False, **options: int) -> Proof:
    """What a new prover finds in the end."""
    steps = PlainProver(game, table=16).steps(
        position, nodes=options.pop("nodes", NODES), loses=loses, within=options.pop("within", None)
    )
    *_, last = steps
    return last


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_a_search_to_the_end_finds_the_value_that_trying_everything_finds(game_id: str) -> None:
    game = registry.get(game_id)
    truth, values = Solver(slow_rules_of(game)), set[int]()
    for position in late_positions(game, 15, 6, seed=1):
        result = PlainSearcher(game).search(position, Limits(depth=game.cell_count))
        assert (result.value, result.bound) == (truth.value(board_of(game, position)), Bound.EXACT)
        assert result.proven
        after = game.play_line(result.line, position)
        if result.distance is not None:
            assert len(result.line) == result.distance
            assert game.outcome(after) is not None
        values.add((result.value > 0) - (result.value < 0))
    assert len(values) > 1


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_excluded_moves_are_as_if_they_were_not_there(game_id: str) -> None:
    game, rng = registry.get(game_id), Random(2)
    slow = slow_rules_of(game)
    truth = Solver(slow)
    for position in late_positions(game, 10, 6, seed=2):
        moves = game.legal_moves(position)
        left = rng.sample(moves, max(1, len(moves) - 2))
        gone = set(moves) - set(left)
        result = PlainSearcher(game).search(position, Limits(depth=9), exclude=gone)
        names = list(map(game.format_move, left))
        assert result.value == truth.value_of_moves(board_of(game, position), names)
        assert result.move in left


def test_nothing_is_proven_before_it_is_seen_to_its_end() -> None:
    game = registry.get("connect-four-7x6")
    result = PlainSearcher(game).search(game.initial, Limits(depth=4))
    assert (result.depth, result.proven, len(result.line)) == (4, False, 4)


def test_a_search_keeps_to_its_nodes_and_repeats_itself() -> None:
    game = registry.get("connect-four-7x6")
    results = [PlainSearcher(game).search(game.initial, Limits(nodes=3_000)) for _ in range(2)]
    assert results[0].nodes == results[1].nodes == 3_000
    assert results[0].line == results[1].line
    assert PlainSearcher(game).search(game.initial, Limits(nodes=1)).move is not None


def test_a_small_table_changes_the_effort_and_not_the_result() -> None:
    game = registry.get("connect-four-4x4")
    position = game.play_line(game.parse_line("b c b"))
    small = PlainSearcher(game, SearchOptions(table=1)).search(position, Limits(depth=16))
    large = PlainSearcher(game, SearchOptions(table=64)).search(position, Limits(depth=16))
    assert (small.value, small.proven) == (large.value, large.proven) == (0, True)


def test_several_lines_are_of_moves_that_lead_to_different_positions() -> None:
    game = registry.get("connect-four-7x6")
    lines = PlainSearcher(game).search_lines(game.initial, Limits(nodes=20_000), 7)
    assert len(lines) == len({game.map_move(line.move or 0, 0) % 7 for line in lines}) == 4


def test_a_full_table_forgets_its_older_half() -> None:
    table: BoundedTable[int, int] = BoundedTable(1)
    for key in range(table.most + 1):
        table.put(key, key)
        table.put(0, key)
    assert len(table) <= table.most
    assert 0 in table
    assert table.most in table
    assert 1 not in table


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_proofs_are_what_trying_everything_finds(game_id: str) -> None:
    game = registry.get(game_id)
    truth, values = Solver(slow_rules_of(game)), set[int]()
    for position in late_positions(game, 15, 6, seed=3):
        value = truth.value(board_of(game, position))
        win, loss = proof(game, position), proof(game, position, loses=True)
        assert (win.won, loss.won) == (value > 0, value < 0)
        for each in (win, loss):
            if each.won:
                assert each.distance == len(each.line) == WIN - abs(value)
                assert game.outcome(game.play_line(each.line, position)) is not None
                assert each.horizon < each.distance
        values.add((value > 0) - (value < 0))
    assert len(values) > 1


def test_wins_are_looked_for_within_the_plies_that_are_asked_for() -> None:
    game = registry.get("connect-four-7x6")
    position = game.play_line(game.parse_line("c c d d"))
    assert proof(game, position, within=2).won is None
    assert proof(game, position, within=2).horizon == 2
    assert proof(game, position, within=3).distance == 3
    assert proof(game, position, nodes=20).won is None


def test_a_prover_follows_its_own_proof_to_the_end_against_every_reply() -> None:
    game = registry.get("connect-four-7x6")
    start = game.play_line(game.parse_line("d d e e c c b"), game.initial)
    assert start.to_move is Side.LIGHT
    start = game.play_line(game.parse_line("c1 c2 d1 d2"))
    prover = PlainProver(game)
    *_, found = prover.steps(start, nodes=NODES)
    prover.learn(prover.knowledge())
    assert found.distance is not None

    def won_by(position: Position, within: int) -> None:
        step = prover.follow(position, within=within, nodes=NODES)
        assert step.won
        assert step.distance is not None
        assert step.distance <= within
        after = game.play_line(step.line, position)
        if game.outcome(after) is None:
            for reply in game.legal_moves(after):
                won_by(game.play(after, reply), step.distance - 2)

    won_by(start, found.distance)


def test_knowledge_that_it_did_not_give_is_refused() -> None:
    prover = PlainProver(registry.get("connect-four-4x4"))
    with pytest.raises(ValueError, match="cannot be taken up"):
        prover.learn(b"what")


def test_a_finished_game_is_refused() -> None:
    game = registry.get("connect-four-7x6")
    over = game.play_line(game.parse_line("a b a b a b a"))
    with pytest.raises(ValueError, match="over"):
        next(PlainProver(game).steps(over, nodes=1))
    with pytest.raises(ValueError, match="over"):
        PlainSearcher(game).search(over, Limits(nodes=1))


@pytest.mark.parametrize(
    ("width", "height"),
    [(4, 4), (4, 5), *(pytest.param(5, height, marks=pytest.mark.slow) for height in (4, 5))],
)
def test_small_boards_of_connect_four_are_draws(width: int, height: int) -> None:
    game = registry.get(f"connect-four-{width}x{height}")
    wins = [proof(game, game.initial, nodes=10_000_000, loses=loses) for loses in (False, True)]
    assert [each.won for each in wins] == [False, False]
    assert BruteConnectFour(width, height).result([]) == "draw"


@pytest.mark.parametrize("size", ["4x5", "5x4"])
def test_openings_of_connect_four_are_what_brute_force_says(size: str) -> None:
    game = registry.get(f"connect-four-{size}")
    brute = BruteConnectFour(game.width, game.height)
    results = set()
    for line in islice(late_lines(game, game.cell_count - 8, seed=4), 30):
        expected = brute.result([cell % game.width for cell in line])
        position = game.play_line(line)
        win, loss = proof(game, position), proof(game, position, loses=True)
        assert (win.won, loss.won) == (expected == "win", expected == "loss")
        results.add(expected)
    assert results == {"win", "draw", "loss"}

"""The finder of winning strategies: what it proves is true, and it proves openings."""

from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.prover import GomokuProver
from engine.games.gomoku.strategy import openings
from engine.games.gomoku.strategy.finder import Entry, Kind, StrategyFinder
from engine.games.gomoku.strategy.guide import Guide
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position
from tests.engine.games.gomoku.test_proofs import crowded_positions
from tests.engine.threat_claims import sides
from tests.oracles.exhaustive import Exhaustive

SMALL = [f"gomoku-{size}{rule}" for size in (5, 6, 7) for rule in ("", "-standard")]

# Each of two stones a side, the third one of the strategy; quick to prove.
PAIRS = [
    ("gomoku-15", "h8 d8 g9 a2"),
    ("gomoku-15", "h8 k12 i7 j6"),
    ("gomoku-15-standard", "h8 l7 i7 c12"),
    ("gomoku-19", "k10 o12 l11 c4"),
]

pairs = pytest.mark.parametrize(("name", "moves"), PAIRS, ids=[" ".join(pair) for pair in PAIRS])
small_boards = pytest.mark.parametrize("name", SMALL)


def game_of(name: str) -> Gomoku:
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return game


def after(name: str, moves: str) -> tuple[Gomoku, Position]:
    game = game_of(name)
    return game, game.play_line(game.parse_line(moves))


def scattered_positions(game: Gomoku, random: Random, count: int) -> list[Position]:
    """Unfinished positions of 4 to 13 stones near the centre."""
    centre = game.size // 2
    cells = [
        row * game.size + column
        for row in range(centre - 3, centre + 4)
        for column in range(centre - 3, centre + 4)
    ]
    found: list[Position] = []
    while len(found) < count:
        position = game.initial
        for move in random.sample(cells, random.randint(4, 13)):
            position = game.play(position, move)
        if game.outcome(position) is None:
            found.append(position)
    return found


@small_boards
@pytest.mark.parametrize("loses", [False, True], ids=["wins", "loses"])
def test_what_is_proven_agrees_with_trying_everything(name: str, loses: bool) -> None:
    game, random = game_of(name), Random(name)
    finder = StrategyFinder(game)
    truth = Exhaustive(game.size, exactly_five=game.rule is Rule.STANDARD)
    positions = crowded_positions(game, random, range(2, 9))
    proven = 0
    for _ in range(80):
        position = next(positions)
        result = finder.prove(position, loses=loses, nodes=3_000)
        plies = truth.plies(*sides(game, position)) * (-1 if loses else 1)
        truth.forget()
        if result.won:
            assert plies > 0
            assert result.distance is not None
            assert result.distance >= plies
        proven += result.won is True
        finder.store.clear()
    assert proven > (0 if loses else 5)


@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15", "gomoku-15-standard"])
def test_threats_win_where_the_search_for_the_shortest_win_says_so(name: str) -> None:
    game = game_of(name)
    finder, solver = StrategyFinder(game), ThreatSolver(game)
    won = 0
    for position in scattered_positions(game, Random(name), 100):
        shortest = solver.vct(position, nodes=20_000)
        entry = finder.move(position, nodes=20_000)
        if shortest.won is False:
            assert entry is None
        if entry is not None:
            assert shortest.distance is None or entry.distance >= shortest.distance
            child = game.play(position, entry.move)
            assert game.outcome(child) is not None or shortest.won is not False
        if shortest.won and shortest.nodes < 2_000:
            assert entry is not None
            won += 1
    assert won > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15", "gomoku-15-standard"])
def test_every_reply_that_is_left_out_loses_to_threats(name: str) -> None:
    """Replies far from a threat are left out without a search, which is checked by searches."""
    game = game_of(name)
    finder, solver = StrategyFinder(game), ThreatSolver(game)
    checked = 0
    for position in scattered_positions(game, Random(f"replies {name}"), 16):
        candidate, _ = finder._list_replies(position, 100_000)
        for reply in set(game.legal_moves(position)) - set(candidate.children):
            child = game.play(position, reply)
            assert game.outcome(child) is None
            assert solver.vct(child, nodes=2_000_000).won, game.format_move(reply)
            checked += 1
    assert checked > 100


@pairs
def test_a_strategy_answers_every_reply(name: str, moves: str) -> None:
    """At each stored position: by another stored one or by threats, which win sooner."""
    game, position = after(name, moves)
    result = openings.pair(name, game.parse_line(moves), nodes=2_000_000)
    assert result.won
    store = dict(result.entries)
    finder = StrategyFinder(game, store)
    assert game.canonical(position).stones in store
    for stones, entry in result.entries.items():
        if entry.kind is Kind.THREAT:
            continue
        quiet = game.play(game.unpack(stones), entry.move)
        for reply in game.legal_moves(quiet):
            answer = finder.move(game.play(quiet, reply))
            assert answer is not None, game.format_line([entry.move, reply])
            assert answer.kind is Kind.THREAT or answer.distance <= entry.distance - 2


@pairs
def test_a_strategy_wins_against_random_and_against_threatening_play(name: str, moves: str) -> None:
    game, start = after(name, moves)
    finder, solver, random = StrategyFinder(game), ThreatSolver(game), Random(moves)
    assert finder.prove(start, nodes=2_000_000).won
    for attempt in range(12):
        position = start
        while game.outcome(position) is None:
            answer = finder.move(position)
            assert answer is not None
            position = game.play(position, answer.move)
            if game.outcome(position) is None:
                replies = game.legal_moves(position)
                if attempt % 2:
                    threat = solver.vct(position, nodes=5_000, after_pass=True)
                    replies = [move for move in threat.line if move in replies] or replies
                position = game.play(position, random.choice(replies))
        assert game.outcome(position) is Outcome.DARK_WINS


def test_the_store_is_all_that_is_needed_in_any_orientation() -> None:
    game, position = after(*PAIRS[0])
    first = StrategyFinder(game)
    proven = first.prove(position, nodes=2_000_000)
    second = StrategyFinder(game, first.store)
    for symmetry in game.symmetries:
        turned = game.map_position(position, symmetry)
        result = second.prove(turned, nodes=1)
        assert (result.won, result.nodes, result.distance) == (True, 0, proven.distance)
        there, here = second.move(turned), first.move(position)
        assert there is not None
        assert here is not None
        child = game.play(turned, there.move)
        assert game.canonical(child) == game.canonical(
            game.map_position(game.play(position, here.move), symmetry)
        )


@pairs
def test_results_depend_on_the_arguments_alone(name: str, moves: str) -> None:
    game = game_of(name)
    line = game.parse_line(moves)
    finder = StrategyFinder(game)
    finder.prove(game.play_line(line[:2]), nodes=20_000)
    finder.store.clear()
    result = finder.prove(game.play_line(line), nodes=2_000_000)
    again = openings.pair(name, line, nodes=2_000_000)
    assert (again.won, again.nodes, again.distance) == (
        result.won,
        result.nodes,
        result.distance,
    )
    assert openings.pair(name, line, nodes=2_000_000) == again


@pytest.mark.parametrize("nodes", [1, 2, 3, 100, 5_000, 15_000])
@pytest.mark.parametrize("loses", [False, True], ids=["wins", "loses"])
def test_no_more_nodes_are_spent_than_given(nodes: int, loses: bool) -> None:
    game, position = after("gomoku-15", "h8 h9 g9 e8")
    result = StrategyFinder(game).prove(position, nodes=nodes, loses=loses)
    assert result == type(result)(None, result.nodes, None)
    assert result.nodes <= nodes


def test_a_loss_is_proven_with_the_loser_to_move() -> None:
    game, position = after(*PAIRS[0])
    finder = StrategyFinder(game)
    won = finder.prove(position, nodes=2_000_000)
    entry = finder.move(position)
    assert entry is not None
    lost = StrategyFinder(game).prove(game.play(position, entry.move), loses=True, nodes=4_000_000)
    assert lost.won
    assert won.distance is not None
    assert lost.distance is not None


def test_who_can_make_a_five_does_not_lose() -> None:
    game, position = after("gomoku-15", "h8 a1 h9 b1 h10 c1 o15 d1 h11")
    finder = StrategyFinder(game)
    assert not position.dark_to_move
    assert finder.prove(position, loses=True, nodes=50_000).won is None
    assert finder.prove(position, nodes=50_000).distance == 1


def test_openings_have_the_replies_that_symmetry_leaves() -> None:
    counts = {
        name: len(openings.second_moves(game_of(name)))
        for name in ("gomoku-15", "gomoku-11-standard", "gomoku-20")
    }
    assert counts == {"gomoku-15": 35, "gomoku-11-standard": 20, "gomoku-20": 209}
    game = game_of("gomoku-15")
    thirds = openings.third_moves(game, game.parse_move("h9"))
    assert sorted(map(game.format_move, thirds)) == ["g7", "g9"]
    assert len(openings.fourth_moves(game, *map(game.parse_move, ("h9", "g9")))) == 222


@pytest.mark.slow
def test_a_third_stone_is_chosen_among_those_beside_the_first() -> None:
    game = game_of("gomoku-15")
    second = game.parse_move("a1")
    third = openings.choose_third(game, second, nodes=20_000)
    assert third in openings.third_moves(game, second)


def test_a_game_that_forbids_moves_is_refused() -> None:
    with pytest.raises(ValueError, match="gomoku-15-renju forbids moves"):
        StrategyFinder(game_of("gomoku-15-renju"))
    with pytest.raises(ValueError, match="pentago is no game of Gomoku"):
        openings.pair("pentago", [])


def test_a_finished_game_is_an_error() -> None:
    game, finished = after("gomoku-9", "a1 a9 b1 b9 c1 c9 d1 d9 e1")
    finder = StrategyFinder(game)
    for ask in (finder.prove, finder.move):
        with pytest.raises(ValueError, match="game is over"):
            ask(finished)


def test_an_unknown_position_has_no_move() -> None:
    finder = StrategyFinder(game_of("gomoku-15"), {b"\0": Entry(1, Kind.QUIET, 9)})
    assert finder.move(game_of("gomoku-15").initial) is None


def test_a_guide_forgets_what_it_was_asked() -> None:
    game, position = after("gomoku-15", "h8 h9 i9 a15")
    guide = Guide(game, table=4)
    first = guide.ask(position, 20_000).value, guide.spent
    guide.forget()
    assert (guide.ask(position, 20_000).value, guide.spent) == first
    assert guide.ask(position, 20_000).value != first[0]


def test_the_prover_proves_an_opening() -> None:
    game, position = after("gomoku-15", "h8 h9 i9 a15")
    solver = GomokuProver(game, table=4)
    proof = solver.prove(position, nodes=1_000_000)
    assert proof.won
    assert proof.distance is not None
    assert proof.nodes <= 1_000_000
    assert len(proof.line) <= proof.distance
    assert game.outcome(game.play_line(proof.line, start=position)) is Outcome.DARK_WINS
    assert solver.prove(position, nodes=1_000_000) == proof
    followed = solver.follow(position)
    assert followed.line == proof.line[:1]
    assert followed.distance == proof.distance


def test_the_prover_proves_that_an_opening_is_lost() -> None:
    game, position = after("gomoku-15", "h8 d8 g9")
    fourth = game.play(position, game.parse_move("a2"))
    move = GomokuProver(game, table=4).prove(fourth, nodes=1_000_000).line[0]
    proof = GomokuProver(game, table=4).prove(game.play(fourth, move), loses=True, nodes=1_000_000)
    assert proof.won
    assert proof.distance is not None
    assert proof.distance % 2 == 0

"""Proofs before a search: what is called forced is true, and a search that finds it is over."""

import time
from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.strategy.finder import StrategyFinder
from engine.games.gomoku.strategy.forced import Forced, ForcedSearch
from engine.position import Position
from engine.search import Limits, SearchOptions
from engine.values import WIN, Bound
from tests.engine.games.gomoku.test_proofs import crowded_positions
from tests.engine.games.gomoku.test_strategy import SMALL, game_of, scattered_positions
from tests.engine.threat_claims import sides
from tests.oracles.exhaustive import Exhaustive

small_boards = pytest.mark.parametrize("name", SMALL)
both_rules = pytest.mark.parametrize("name", ["gomoku-15", "gomoku-15-standard"])


def truth_about(game: Gomoku) -> Exhaustive:
    return Exhaustive(game.size, exactly_five=game.rule is Rule.STANDARD)


def check_line(game: Gomoku, position: Position, found: Forced) -> None:
    """The line is legal, no longer than promised, and ends with the winner's five."""
    end = game.play_line(found.line, start=position)
    winner = position.to_move if found.wins else position.to_move.other
    assert game.outcome(end) is Outcome.won_by(winner)
    assert len(found.line) <= found.distance


@small_boards
def test_what_is_forced_agrees_with_trying_everything(name: str) -> None:
    game, random = game_of(name), Random(name)
    search, truth = ForcedSearch(game), truth_about(game)
    positions = crowded_positions(game, random, range(2, 9))
    settled = {True: 0, False: 0}
    for _ in range(300):
        position = next(positions)
        found = search.settle(position, nodes=4_000)
        assert search.spent <= 8_000
        if found is None:
            continue
        plies = truth.plies(*sides(game, position))
        truth.forget()
        assert (plies > 0) is found.wins
        assert plies != 0
        assert found.distance >= abs(plies)
        check_line(game, position, found)
        settled[found.wins] += 1
    assert min(settled.values()) > 1, settled


@small_boards
def test_a_search_without_some_moves_is_right_about_the_others(name: str) -> None:
    game, random = game_of(name), Random(f"excluded {name}")
    searcher, truth = game.searcher(), truth_about(game)
    positions = crowded_positions(game, random, range(3, 8))
    proven = 0
    for _ in range(80):
        position = next(positions)
        legal = game.legal_moves(position)
        excluded = random.sample(legal, random.randint(1, len(legal) - 1))
        result = searcher.search(position, Limits(nodes=3_000), exclude=excluded)
        assert result.move not in excluded
        if not result.proven:
            continue
        best = max(value_after(game, truth, position, move) for move in {*legal} - {*excluded})
        truth.forget()
        assert (result.value > 0) - (result.value < 0) == (best > 0) - (best < 0)
        if result.bound is Bound.EXACT:
            assert result.value == best
        assert result.value <= best if result.value > 0 else result.value >= best
        proven += 1
    assert proven > 20


def value_after(game: Gomoku, truth: Exhaustive, position: Position, move: int) -> int:
    """The exact value of playing `move`, for the side that plays it."""
    child = game.play(position, move)
    outcome = game.outcome(child)
    if outcome is not None:
        return 0 if outcome is Outcome.DRAW else WIN - 1
    plies = truth.plies(*sides(game, child))
    return 0 if plies == 0 else WIN + plies - 1 if plies < 0 else plies + 1 - WIN


@both_rules
def test_wins_and_losses_hold_against_the_finder(name: str) -> None:
    """After a winning move every reply loses, and after every reply to a loss there is a win."""
    game = game_of(name)
    search, finder, random = ForcedSearch(game), StrategyFinder(game), Random(name)
    settled = {True: 0, False: 0}
    for position in scattered_positions(game, random, 120):
        found = search.settle(position, nodes=20_000)
        if found is None:
            continue
        check_line(game, position, found)
        settled[found.wins] += 1
        lost = game.play(position, found.line[0]) if found.wins else position
        if game.outcome(lost) is not None:
            continue
        for reply in random.sample(game.legal_moves(lost), 12):
            child = game.play(lost, reply)
            assert finder.prove(child, nodes=500_000).won, game.format_move(reply)
    assert min(settled.values()) > 2, settled


@both_rules
def test_a_result_depends_on_the_position_and_the_nodes_alone(name: str) -> None:
    game = game_of(name)
    positions = scattered_positions(game, Random(f"again {name}"), 12)
    used, found = ForcedSearch(game), []
    for position in positions:
        found.append((used.settle(position, nodes=10_000), used.spent))
    for position, expected in zip(reversed(positions), reversed(found), strict=True):
        fresh = ForcedSearch(game)
        assert (fresh.settle(position, nodes=10_000), fresh.spent) == expected
        assert (used.settle(position, nodes=10_000), used.spent) == expected


def test_after_the_deadline_only_what_is_at_hand_is_found() -> None:
    game = game_of("gomoku-15")
    search = ForcedSearch(game)
    for position in scattered_positions(game, Random(1), 20):
        found = search.settle(position, deadline=time.monotonic_ns() - 1)
        assert found is None or found.distance <= 4


@pytest.mark.parametrize("limits", [Limits(nodes=20_000), Limits(movetime=10.0)], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_over_once_its_position_is_proven(limits: Limits, threads: int) -> None:
    game = game_of("gomoku-15")
    searcher = game.searcher(SearchOptions(threads=threads))
    settled = 0
    for position in scattered_positions(game, Random(2), 20):
        found = ForcedSearch(game).settle(position, nodes=2_000)
        if found is None:
            continue
        result = searcher.search(position, limits)
        assert result.proven
        assert (result.value > 0) is found.wins
        assert result.move == result.line[0]
        assert result.nodes < 20_000
        settled += 1
    assert settled > 5


def test_the_first_of_several_lines_is_the_proven_one() -> None:
    game = game_of("gomoku-15")
    searcher, both = game.searcher(), set()
    for position in scattered_positions(game, Random(3), 30):
        found = ForcedSearch(game).settle(position, nodes=2_000)
        if found is None:
            continue
        lines = searcher.search_lines(position, Limits(nodes=20_000), 3)
        assert lines[0].proven
        assert (lines[0].value > 0) is found.wins
        assert len({line.move for line in lines}) == len(lines) == 3
        assert sum(line.nodes for line in lines) <= 20_000
        if not found.wins:
            assert all(line.proven and line.value <= lines[0].value for line in lines)
        both.add(found.wins)
    assert both == {True, False}


def test_a_move_that_symmetry_repeats_is_proven_as_the_one_that_is_shown() -> None:
    """With several lines the image of a move that is shown is none; a win is told by its twin."""
    game = game_of("gomoku-15")
    position = game.play_line(game.parse_line("h8 a1 h7 a15 h9 o1 i8 o15"))
    searcher = game.searcher()
    first, *others = searcher.search_lines(position, Limits(nodes=20_000), 4)
    assert first.proven
    assert first.value > 0
    children = {game.canonical(game.play(position, line.line[0])).key for line in (first, *others)}
    assert len(children) == 4


def test_renju_has_no_such_proofs() -> None:
    game = registry.get("gomoku-15-renju")
    position = game.play_line(game.parse_line("h8 a1 h7 a3 h9 a5"))
    assert game.searcher().search(position, Limits(nodes=1_000)).proven

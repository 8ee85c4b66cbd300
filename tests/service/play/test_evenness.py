"""Positions that are even are found among others, and openings are chosen by them."""

import time
from collections.abc import Iterator
from random import Random

import pytest

from engine import registry
from engine.errors import FivebookError, IllegalMove
from engine.players.base import UnsuitableGame
from engine.search import Limits
from service.answerer import Answerer
from service.inquiry import Inquiry
from service.play.evenness import (
    Effort,
    even_lines,
    most_even,
    scattered,
    single_moves,
    unevenness,
    weigher,
)
from service.play.swapping import (
    Colour,
    Decider,
    Decision,
    Opening,
    OpeningRule,
    Seat,
    WrongChoice,
)

GAME = registry.get("gomoku-9")
RENJU = registry.get("gomoku-15-renju")


@pytest.fixture(scope="module")
def answerer() -> Iterator[Answerer]:
    with Answerer([]) as answerer:
        answerer.prepare(GAME)
        yield answerer


def inquiry(line: str = "") -> Inquiry:
    return Inquiry.read(GAME, line)


def cells(line: str) -> tuple[int, ...]:
    return tuple(GAME.parse_line(line))


# Light is lost against an open four, wins against nothing, and is even at most against the third.
LOST, WON, OPEN = "e5 a1 f5 a3 g5 a7 h5", "a1 e5 a9 f5 i1 g5 i9", "e5 e6 c3"


def test_the_most_even_come_first_as_searches_see_it(answerer: Answerer) -> None:
    asked = [inquiry(line) for line in (LOST, OPEN, WON)]
    found = most_even(weigher(answerer, Effort(nodes=6000)), asked, 2)
    assert found[0].played == cells(OPEN)
    assert len(found) == 2
    assert unevenness(found[0]) <= unevenness(found[1]) == 0.5


def test_what_time_there_is_is_kept(answerer: Answerer) -> None:
    asked = scattered(inquiry("e5"), 2, 20, Random(3))
    started = time.monotonic()
    most_even(weigher(answerer, Effort(deadline=started + 0.3)), asked)
    # Many times as much, if searches did not end; on a busy machine it may be a little more.
    assert 0.1 < time.monotonic() - started < 1.5


def test_scattered_stones_are_new_legal_near_and_different() -> None:
    asked = inquiry("e5 e6")
    found = scattered(asked, 2, 30, Random(1))
    assert len({GAME.canonical(each.position).key for each in found}) == len(found) == 30
    for each in found:
        assert each.played[:2] == asked.played
        assert GAME.play_line(each.played) == each.position
        for move in each.played[2:]:
            row, column = divmod(move, 9)
            assert abs(row - 4) <= 4
            assert abs(column - 4) <= 3
    assert scattered(asked, 2, 30, Random(1)) == found != scattered(asked, 2, 30, Random(2))


def test_where_there_is_no_room_fewer_are_found() -> None:
    game = registry.get("gomoku-5")
    rows = ["a1 b1 c1 d1 e1 a2 b2 c2 d2 e2", "b3 a3 d3 c3 a4 e3 c4 b4 e4 d4", "a5 b5 c5"]
    nearly_full = Inquiry.read(game, " ".join(rows))
    assert [game.format_line(each.played[-1:]) for each in scattered(nearly_full, 1, 9, Random(1))]
    assert scattered(nearly_full, 3, 9, Random(1)) == []


def test_single_moves_are_counted_once_up_to_symmetry() -> None:
    assert len(single_moves(inquiry())) == 15
    assert single_moves(inquiry("a1 b1 a2 b2 a3 b3 a4 b4 a5")) == []


def test_even_lines_have_intervals_that_hold_their_values(answerer: Answerer) -> None:
    asked = inquiry("e5 e6")
    found = even_lines(answerer, asked, single_moves(asked), nodes=400, count=3)
    assert len(found) == 3
    assert [unevenness(line.answer) for line in found] == sorted(
        unevenness(line.answer) for line in found
    )
    for line in found:
        assert line.low <= line.answer.value <= line.high
        assert line.win_rates[0] <= line.answer.win_rate <= line.win_rates[1]
        assert len(line.moves) == 1
    again = even_lines(answerer, asked, single_moves(asked), nodes=400, count=3)
    assert [(line.moves, line.low, line.high) for line in again] == [
        (line.moves, line.low, line.high) for line in found
    ]


def opening(rule: OpeningRule, *, line: str = "") -> Opening:
    begun = Opening(GAME, rule)
    for move in cells(line):
        begun.put(move)
    return begun


def test_swap2_goes_from_three_stones_to_a_choice_or_to_two_more() -> None:
    begun = opening(OpeningRule.SWAP2)
    assert (begun.actor, begun.to_put, begun.options) == (Seat.FIRST, 3, ())
    begun = opening(OpeningRule.SWAP2, line="e5 e6 c3")
    assert (begun.actor, begun.to_put) == (Seat.SECOND, 0)
    assert begun.options == (Colour.LIGHT, Colour.DARK, Colour.ADD)
    begun.choose(Colour.ADD)
    assert (begun.actor, begun.to_put, begun.options) == (Seat.SECOND, 2, ())
    for move in cells("a1 b2"):
        begun.put(move)
    assert (begun.actor, begun.options) == (Seat.FIRST, (Colour.LIGHT, Colour.DARK))
    begun.choose(Colour.LIGHT)
    assert (begun.actor, begun.dark, begun.options) == (None, Seat.SECOND, ())


@pytest.mark.parametrize(
    ("choice", "dark"), [(Colour.DARK, Seat.SECOND), (Colour.LIGHT, Seat.FIRST)]
)
def test_by_swap_the_second_player_takes_a_colour(choice: Colour, dark: Seat) -> None:
    begun = opening(OpeningRule.SWAP, line="e5 e6 c3")
    assert begun.options == (Colour.LIGHT, Colour.DARK)
    with pytest.raises(WrongChoice, match="'add' cannot be chosen: light, dark"):
        begun.choose(Colour.ADD)
    begun.choose(choice)
    assert begun.dark is dark


def test_renju_has_26_openings() -> None:
    assert len(Opening(RENJU, OpeningRule.RIF).all_ways()) == 26


def test_renjus_stones_have_their_squares() -> None:
    begun = Opening(RENJU, OpeningRule.RIF)
    for bad, good, where in (
        ("a1", "h8", "on the centre"),
        ("j8", "i9", r"within the 3×3 cells"),
        ("k8", "j10", r"within the 5×5 cells"),
    ):
        with pytest.raises(IllegalMove, match=where):
            begun.put(RENJU.parse_move(bad))
        begun.put(RENJU.parse_move(good))
    assert begun.actor is Seat.SECOND


@pytest.mark.parametrize(
    ("game_id", "rule"),
    [("pentago-swap", OpeningRule.SWAP), ("connect-four-7x6", OpeningRule.RIF)],
)
def test_some_games_have_no_such_openings(game_id: str, rule: OpeningRule) -> None:
    with pytest.raises(UnsuitableGame):
        Opening(registry.get(game_id), rule)


@pytest.mark.parametrize(
    ("line", "decision", "said"),
    [
        ("", Decision(Colour.DARK, ()), "3 stones are to be put"),
        ("", Decision(None, cells("e5 e6")), "3 stones are to be put, not 2"),
        ("", Decision(None, cells("e5 e5 e6")), "the cell is taken"),
        ("e5 e6 c3", Decision(None, cells("a1")), "a choice is due"),
        ("e5 e6 c3", Decision(Colour.ADD, cells("a1")), "2 stones are to be put, not 1"),
        ("e5 e6 c3", Decision(Colour.LIGHT, cells("e6")), "the cell is taken"),
        ("e5 e6 c3", Decision(Colour.LIGHT, cells("a1 b1")), "one move is to be made and no more"),
        ("e5 e6 c3", Decision(Colour.DARK, cells("a1")), "the other side is to move"),
    ],
)
def test_a_decision_that_the_rule_does_not_allow_is_told(
    line: str, decision: Decision, said: str
) -> None:
    begun = opening(OpeningRule.SWAP2, line=line)
    with pytest.raises(FivebookError, match=said):
        begun.obey(decision)


def test_the_better_colour_is_chosen_by_a_search(answerer: Answerer) -> None:
    decider, random, limits = Decider(answerer), Random(0), Limits(nodes=3000)
    strong = opening(OpeningRule.SWAP, line="e5 a1 f5")
    assert decider.decide(strong, limits, random) == Decision(Colour.DARK, ())
    weak = opening(OpeningRule.SWAP, line="a1 e5 i9")
    decision = decider.decide(weak, limits, random)
    assert decision.choice is Colour.LIGHT
    assert len(decision.moves) == 1


@pytest.mark.parametrize("limits", [Limits(nodes=500), Limits(depth=2), Limits(3, 900, 5.0)])
def test_limits_by_nodes_or_depth_decide_the_same_again(answerer: Answerer, limits: Limits) -> None:
    def decisions() -> list[Decision]:
        begun, random, found = opening(OpeningRule.SWAP2), Random(4), []
        while begun.actor is not None:
            found.append(Decider(answerer).decide(begun, limits, random))
            begun.obey(found[-1])
        return found

    assert decisions() == decisions()


@pytest.mark.parametrize("rule", list(OpeningRule))
def test_an_engine_opens_by_every_rule_and_in_time(answerer: Answerer, rule: OpeningRule) -> None:
    begun, decider, random = opening(rule), Decider(answerer), Random(4)
    while begun.actor is not None:
        started = time.monotonic()
        decision = decider.decide(begun, Limits(movetime=0.2), random)
        assert time.monotonic() - started < 1.5
        begun.obey(decision)
    assert begun.dark is not None

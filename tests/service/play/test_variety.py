"""Which of a book's good moves is played, and how often."""

from collections import Counter
from typing import NamedTuple

import pytest

from engine.position import Position
from engine.values import WIN
from service.play.variety import ALWAYS_THE_BEST, Variety


class Move(NamedTuple):
    value: int
    proven: bool = False


# Chances of 62, 60, 56 and 27 %.
BEST, GOOD, FAIR, BAD = Move(200), Move(160), Move(100), Move(-400)
MOVES = [BEST, GOOD, FAIR, BAD]
SOMEWHERE = Position(1, 2)


def chosen(variety: Variety, moves: list[Move], times: int = 3000) -> Counter[Move]:
    return Counter(variety.choose(moves, SOMEWHERE, number) for number in range(times))


def test_without_a_margin_it_is_always_the_best_move() -> None:
    assert chosen(ALWAYS_THE_BEST, MOVES) == {BEST: 3000}
    assert chosen(Variety(0.0, seed=4), MOVES) == {BEST: 3000}


def test_a_move_is_chosen_the_less_the_more_it_gives_away_and_never_beyond_the_margin() -> None:
    counts = chosen(Variety(0.1, seed=1), MOVES)
    assert counts.keys() == {BEST, GOOD, FAIR}
    assert counts[BEST] > counts[GOOD] > counts[FAIR]
    # Weights 1, 1 - 0.9 · 0.24 and 1 - 0.9 · 0.60.
    assert counts[GOOD] / counts[BEST] == pytest.approx(0.79, abs=0.08)
    assert counts[FAIR] / counts[BEST] == pytest.approx(0.46, abs=0.06)


def test_the_whole_margin_weighs_a_tenth() -> None:
    loss = 0.6225 - 0.5622
    counts = chosen(Variety(loss, seed=1), [BEST, FAIR], 10_000)
    assert counts[FAIR] / counts[BEST] == pytest.approx(0.1, abs=0.02)


def test_a_seed_chooses_the_same_again_and_differs_from_game_to_game() -> None:
    one, same, other = Variety(0.1, 7), Variety(0.1, 7), Variety(0.1, 8)

    def line(variety: Variety) -> list[Move]:
        return [variety.choose(MOVES, SOMEWHERE, number) for number in range(30)]

    assert line(one) == line(same) != line(other)
    assert len(set(line(one))) > 1


def test_without_a_seed_chance_chooses() -> None:
    variety = Variety(0.1)
    assert len({variety.choose(MOVES, SOMEWHERE) for _ in range(200)}) == 3


def test_a_proven_win_is_exchanged_only_for_one_as_short() -> None:
    short, as_short, long = Move(WIN - 3, True), Move(WIN - 3, True), Move(WIN - 9, True)
    assert chosen(Variety(1.0, 1), [short, as_short, long, BEST]).keys() == {short}


def test_nobody_chooses_a_proven_loss() -> None:
    lost = Move(-(WIN - 8), True)
    assert chosen(Variety(1.0, 1), [BAD, lost]) == {BAD: 3000}
    assert chosen(Variety(1.0, 1), [lost, Move(-(WIN - 4), True)]) == {lost: 3000}


def test_a_better_move_further_down_weighs_no_more_than_the_first() -> None:
    counts = chosen(Variety(0.2, 1), [GOOD, BEST])
    assert counts[BEST] / counts[GOOD] == pytest.approx(1.0, abs=0.1)

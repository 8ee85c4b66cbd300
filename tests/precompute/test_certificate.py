"""Writing certificates from a solver's answers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine import games
from engine.position import Position
from precompute.certificate import (
    Exporter,
    ExportState,
    NoStrategy,
    Remembered,
    Win,
    to_board,
    to_position,
)
from tests.book.certificate.samples import POSITIONS, certificate, entries, hole, position
from tests.book.certificate.strategies import Searched

GAME = games.get("pentago-swap")
START = position(POSITIONS[7])


class Failing:
    """A strategy that is cut off after so many answers."""

    def __init__(self, answers: int) -> None:
        self._strategy = Searched(7)
        self._left = answers

    def wins(self, positions: Sequence[Position]) -> Iterator[Win | None]:
        for win in self._strategy.wins(positions):
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            yield win


def test_an_export_goes_on_with_the_answers_it_has(tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    with pytest.raises(KeyboardInterrupt), Remembered(Failing(9), answers) as strategy:
        Exporter(strategy, START, short=1, leaf=3).certificate()
    # A kill in the midst of a line.
    answers.write_text(answers.read_text()[:-4])
    searched = Searched(7)
    with Remembered(searched, answers) as strategy:
        right = Exporter(strategy, START, short=1, leaf=3).certificate()
    with Remembered(searched, answers) as strategy:
        again = Exporter(strategy, START, short=1, leaf=3).certificate()
    whole = Searched(7)
    Exporter(whole, START, short=1, leaf=3).certificate()
    assert searched.asked == whole.asked - 8
    assert entries(right) == entries(again) == entries(certificate(7, 1, 3))
    assert hole(right) is None


def test_a_strategy_that_does_not_win_is_refused() -> None:
    with pytest.raises(NoStrategy, match="does not win"):
        Exporter(Searched(5), START).certificate()


def test_progress_is_told_ply_by_ply() -> None:
    states: list[ExportState] = []
    right = Exporter(Searched(7), START, short=1, leaf=3, report=states.append).certificate()
    assert states[0] == ExportState(START.ply, 1, 1)
    assert states[-1].entries == right.entries
    assert [state.ply for state in states] == sorted(state.ply for state in states)


def test_boards_of_both_sides_are_the_same() -> None:
    position = Position()
    for move in GAME.parse_line("b2:13 d4:24 a6:12 f1:34 c3:14"):
        position = GAME.play(position, move)
        assert to_position(to_board(position)) == position
    assert str(to_board(Position(1, 1 << 35))) == ".....O/....../....../....../....../X....."

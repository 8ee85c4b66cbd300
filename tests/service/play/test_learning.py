"""Where a lost game went wrong, and what a program that sees positions alone remembers of it."""

import pytest

from book.lessons import Lesson
from engine import registry
from engine.players.base import Choice
from engine.position import Position, Side
from engine.values import WIN
from service.play.learning import GameNotes, first_wrong

GAME = registry.get("gomoku-9")
LOST = 6 - WIN


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        # Chances of 50, 50, 27 and 0 %: what was even at the second is given away with it.
        ({0: 0, 2: 0, 4: -400, 6: LOST}, 2),
        # It came back in between.
        ({1: 0, 3: -400, 5: 0, 7: LOST}, 5),
        ({1: LOST, 3: LOST}, None),
        ({2: None, 4: 0, 6: None, 8: LOST}, 4),
        # The last move alone lost it.
        ({0: 0, 2: 0}, 2),
        ({}, None),
    ],
)
def test_the_first_move_after_which_it_was_never_as_good(
    values: dict[int, int | None], wrong: int | None
) -> None:
    assert first_wrong(values) == wrong


def played(*turns: tuple[str, str, int]) -> GameNotes:
    """Notes of turns: the line to each, the move, and its value."""
    notes = GameNotes(GAME)
    for line, move, value in turns:
        position = GAME.play_line(GAME.parse_line(line))
        assert notes.goes_on(position)
        notes.note(position, Choice(GAME.parse_move(move), value))
    return notes


def test_a_game_is_put_together_from_its_turns() -> None:
    notes = played(("e5", "a1", 0), ("e5 a1 f5", "a3", -50), ("e5 a1 f5 a3 g5", "a7", LOST))
    assert notes.lesson() == Lesson(
        GAME, Side.LIGHT, tuple(GAME.parse_line("e5 a1 f5 a3 g5 a7")), first=1, wrong=3
    )


def test_a_game_that_may_still_be_won_is_none() -> None:
    assert played(("e5", "a1", 0), ("e5 a1 f5", "a3", -300)).lesson() is None
    assert GameNotes(GAME).lesson() is None


def test_a_position_from_elsewhere_does_not_go_on() -> None:
    notes = played(("", "e5", 0))
    assert not notes.goes_on(GAME.initial)
    assert not notes.goes_on(GAME.play_line(GAME.parse_line("e4 a1")))
    assert notes.goes_on(GAME.play_line(GAME.parse_line("e5 a1")))


def test_a_game_that_began_with_stones_leads_to_them() -> None:
    start = GAME.play_line(GAME.parse_line("c3 d4 e5 f6 g7"))
    notes = GameNotes(GAME)
    notes.note(start, Choice(GAME.parse_move("a1"), LOST))
    lesson = notes.lesson()
    assert lesson is not None
    assert (
        GAME.play_line(lesson.moves[: lesson.first]) == start == Position(start.dark, start.light)
    )

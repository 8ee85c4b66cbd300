"""A game between two players ends on the board, or by what one of them does wrong."""

from typing import Any

import pytest

from engine import clock as engine_clock
from engine import registry
from engine.game import Outcome
from engine.players.base import Choice
from engine.position import Position
from service.play.arena.referee import Effort, Forfeit, PlayedGame, Rules, play_game
from tests.service.play.arena.players import GAME, Clock, Scripted

NAMES = ("Ann", "Ben")


def played(
    dark: Scripted,
    light: Scripted,
    opening: str = "",
    clock: Clock | None = None,
    control: engine_clock.Clock | None = None,
) -> PlayedGame:
    line = GAME.parse_line(opening)
    return play_game((dark, light), NAMES, line, Rules(0.05, control), clock=clock or Clock())


def test_a_game_goes_on_from_its_opening_to_its_end_on_the_board() -> None:
    game = played(Scripted("c1 d1 e1"), Scripted("c5 d5"), opening="a1 a5 b1 b5")
    assert GAME.format_line(game.moves) == "a1 a5 b1 b5 c1 c5 d1 d5 e1"
    assert game.outcome is Outcome.DARK_WINS
    assert (game.forfeit, game.ending) == (None, "")


def test_after_an_odd_opening_light_goes_on() -> None:
    game = played(Scripted("c5 d5 b3"), Scripted("b1 c1 d1 e1"), opening="a5 a1 b5")
    assert game.outcome is Outcome.LIGHT_WINS


def test_a_full_board_is_a_draw() -> None:
    lines = ["a1 b1 c1 d1 e1 a2 b2 c2 d2 e2", "b3 a3 d3 c3 a4 e3 c4 b4 e4 d4", "a5 b5 c5 d5 e5"]
    moves = " ".join(lines).split()
    game = played(Scripted(" ".join(moves[::2])), Scripted(" ".join(moves[1::2])))
    assert game.outcome is Outcome.DRAW
    assert len(game.moves) == 25


def test_what_each_player_spent_is_counted() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=0.25)
    light = Scripted("a5 b5 c5 d5", clock, seconds=2.0)
    game = played(dark, light, clock=clock)
    assert game.efforts == (
        Effort(moves=5, seconds=1.25, longest=0.25, nodes=50, depth=15),
        Effort(moves=4, seconds=8.0, longest=2.0, nodes=40, depth=12),
    )


def test_efforts_add_up_but_for_the_longest_move() -> None:
    total = Effort(2, 3.0, 2.0, 5, 6) + Effort(1, 4.0, 4.0, 7, 8)
    assert total == Effort(3, 7.0, 4.0, 12, 14)


def test_who_oversteps_the_time_loses_whatever_the_move() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=0.312, movetime=0.1)
    game = played(dark, Scripted("a5"), opening="a1 a5", clock=clock)
    assert (game.outcome, game.forfeit) == (Outcome.LIGHT_WINS, Forfeit.TIME)
    assert game.ending == "Ann overstepped its time: 312 ms of 100 ms"
    assert GAME.format_line(game.moves) == "a1 a5"
    assert game.efforts[0].longest == pytest.approx(0.312)


def test_the_margin_is_free() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=0.75, movetime=0.71)
    game = played(dark, Scripted("a5 b5 c5 d5"), clock=clock)
    assert (game.outcome, game.forfeit) == (Outcome.DARK_WINS, None)


def test_who_promised_no_time_may_take_any() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=3600)
    assert played(dark, Scripted("a5 b5 c5 d5"), clock=clock).forfeit is None


class Watching(Scripted):
    """Remembers the clocks it is told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.told: list[engine_clock.Clock] = []

    def choose_by_clock(self, position: Position, clock: engine_clock.Clock) -> Choice:
        self.told.append(clock)
        return self.choose(position)


def test_each_side_has_a_clock_of_its_own() -> None:
    clock = Clock()
    dark = Watching("a1 b1 c1 d1 e1", clock, 2.0)
    light = Watching("a5 b5 c5 d5", clock, 3.0)
    game = played(dark, light, clock=clock, control=engine_clock.Clock(20.0, 0.5))
    assert game.outcome is Outcome.DARK_WINS
    assert [told.left for told in dark.told] == [20.0, 18.5, 17.0, 15.5, 14.0]
    assert [told.left for told in light.told] == [20.0, 17.5, 15.0, 12.5]


def test_who_oversteps_its_clock_loses() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=4.0)
    game = played(dark, Scripted("a5 b5 c5 d5"), clock=clock, control=engine_clock.Clock(9.5))
    assert (game.outcome, game.forfeit) == (Outcome.LIGHT_WINS, Forfeit.TIME)
    assert game.ending == "Ann overstepped its clock by 2500 ms"
    assert GAME.format_line(game.moves) == "a1 a5 b1 b5"


def test_the_margin_of_a_clock_is_for_the_whole_game() -> None:
    clock = Clock()
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=0.25)
    light = Scripted("a5 b5 c5 d5")
    control = engine_clock.Clock(1.22)
    assert played(dark, light, clock=clock, control=control).forfeit is None
    dark = Scripted("a1 b1 c1 d1 e1", clock, seconds=0.26)
    light = Scripted("a5 b5 c5 d5")
    assert played(dark, light, clock=clock, control=control).forfeit is Forfeit.TIME


def test_an_illegal_move_loses() -> None:
    game = played(Scripted("a1 b1"), Scripted("a1"))
    assert (game.outcome, game.forfeit) == (Outcome.DARK_WINS, Forfeit.ILLEGAL)
    assert game.ending == "Ben played an illegal move: a1 (the cell is taken)"
    assert GAME.format_line(game.moves) == "a1"


def test_a_forbidden_move_loses_and_the_reason_is_told() -> None:
    class Renju(Scripted):
        game = registry.get("gomoku-9-renju")

        def __init__(self, moves: str) -> None:
            super().__init__("")
            self._moves = self.game.parse_line(moves)

    game = played(Renju("c5 d5 e6 e7 e5"), Renju("a1 i1 a9 i9"))
    assert (game.outcome, game.forfeit) == (Outcome.LIGHT_WINS, Forfeit.ILLEGAL)
    reason = "a double three is forbidden to dark"
    assert game.ending == f"Ann played an illegal move: e5 ({reason})"


@pytest.mark.parametrize("move", [-1, 25, 999])
def test_a_move_beyond_the_board_is_illegal_too(move: int) -> None:
    class Beyond(Scripted):
        def choose(self, position: Position) -> Choice:
            return Choice(move)

    game = played(Beyond(""), Scripted("a1"))
    assert (game.outcome, game.forfeit) == (Outcome.LIGHT_WINS, Forfeit.ILLEGAL)
    assert game.ending == f"Ann played an illegal move: {move}"


def test_a_player_that_fails_loses() -> None:
    game = played(Scripted("a1"), Scripted("a5"))
    assert (game.outcome, game.forfeit) == (Outcome.LIGHT_WINS, Forfeit.FAILED)
    assert game.ending == "Ann failed: nothing is left to play"
    assert game.efforts[0].moves == 2


def test_any_other_error_is_nobodys_loss() -> None:
    class Broken(Scripted):
        def choose(self, position: Position) -> Choice:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        played(Broken(""), Scripted(""))

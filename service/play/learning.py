"""Lost games as lessons for a book: where their values first went wrong."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from book.lessons import Lesson
from engine.game import Game
from engine.players.base import Choice
from engine.position import Move, Position, cells_of
from engine.values import Value, winning_probability

# A move after which the chance is never again within this of what it was has given it away.
_GIVEN_AWAY = 0.1
# Nobody tells a program that it has lost: it has to see that itself.
_LOST = 0.05


def first_wrong(values: Mapping[int, Value | None]) -> int | None:
    """The index of the move with which a lost game first went wrong.

    `values` are the loser's own for its moves, by index: those which its searches gave them. None
    where these saw nothing to lose from the first.
    """
    best_after = 0.0
    wrong = None
    for index in sorted(values, reverse=True):
        value = values[index]
        if value is None:
            continue
        chance = winning_probability(value)
        if chance - best_after >= _GIVEN_AWAY:
            wrong = index
        best_after = max(best_after, chance)
    return wrong


class GameNotes:
    """What a program that is told positions only remembers of a game, from turn to turn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._start: Position | None = None
        self._moves: list[Move] = []
        self._after: Position | None = None
        self._values: dict[int, Value | None] = {}

    def goes_on(self, position: Position) -> bool:
        """Whether `position`, of the next turn, comes after the last one."""
        if self._start is None or self._after is None:
            return True
        return self._reply(position) is not None

    def note(self, position: Position, choice: Choice) -> None:
        """Remember a turn, which goes on with the game: its position and what was chosen."""
        if self._start is None:
            self._start = position
        elif (reply := self._reply(position)) is not None:
            self._moves.append(reply)
        self._values[position.ply] = choice.value
        self._moves.append(choice.move)
        self._after = self.game.play(position, choice.move)

    def lesson(self) -> Lesson | None:
        """The game, if it is lost by the last turn's value."""
        if self._start is None or self._after is None:
            return None
        last = self._values[max(self._values)]
        if last is None or winning_probability(last) >= _LOST:
            return None
        side = self._start.to_move
        moves = (*_in_some_order(self._start), *self._moves)
        first = self._start.ply
        return Lesson(self.game, side, moves, first, first_wrong(self._values))

    def _reply(self, position: Position) -> Move | None:
        """The other side's move since the last turn; None if `position` is not one move later."""
        assert self._after is not None
        after = self._after
        for move in self.game.legal_moves(after) if position.ply == after.ply + 1 else ():
            if self.game.play(after, move) == position:
                return move
        return None


def _in_some_order(position: Position) -> Sequence[Move]:
    """Moves of a game of stones that lead to `position`."""
    pairs = zip_longest(cells_of(position.dark), cells_of(position.light))
    return [cell for pair in pairs for cell in pair if cell is not None]

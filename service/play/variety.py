"""Choosing among a book's good moves, so that games differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

from engine.position import Position
from engine.values import Value, is_decisive
from service.answers import win_rate

# How often the move that gives away the whole margin is chosen, for each time the best one is.
_WORST_WEIGHT = 0.1


class Valued(Protocol):
    """A move with its value for the side to move."""

    @property
    def value(self) -> Value:
        """In centi-units."""

    @property
    def proven(self) -> bool:
        """Whether the value is the game's own truth."""


_Valued = TypeVar("_Valued", bound=Valued)


@dataclass(frozen=True, slots=True)
class Variety:
    """Chooses among the moves that give away at most `margin` of the winning chance, 0 to 1.

    With a `seed` a choice depends on the seed, the position and the number of the game alone;
    without one it is left to chance. A margin of 0 always takes the best move. `excluded` names a
    file of lines: a move from the book does not go where they lead, unless it is a proven win.
    """

    margin: float = 0.0
    seed: int | None = None
    excluded: str | None = None

    def choose(self, moves: Sequence[_Valued], position: Position, game_number: int = 0) -> _Valued:
        """One of `moves` of `position`, which are best first.

        The best is the likeliest. Weights fall evenly to a tenth of its own, which is that of a
        move that gives away the whole margin. A proven win is never exchanged for anything but one
        as short, nor an open position for a proven loss.
        """
        rivals = self._rivals(moves)
        if len(rivals) == 1:
            return rivals[0]
        random = self._random(position, game_number)
        return random.choices(rivals, [self._weight(moves[0], each) for each in rivals])[0]

    def _rivals(self, moves: Sequence[_Valued]) -> list[_Valued]:
        best = moves[0]
        if self.margin == 0:
            return [best]
        if best.proven and is_decisive(best.value):
            return [each for each in moves if each.proven and each.value == best.value]
        return [each for each in moves if not is_lost(each) and _loss(best, each) <= self.margin]

    def _weight(self, best: Valued, move: Valued) -> float:
        return 1 - (1 - _WORST_WEIGHT) * max(_loss(best, move), 0.0) / self.margin

    def _random(self, position: Position, game_number: int) -> Random:
        if self.seed is None:
            return Random()
        return Random(f"{self.seed} {game_number} {position.dark} {position.light}")


ALWAYS_THE_BEST = Variety()


def is_won(move: Valued) -> bool:
    """Whether the move is a proven win."""
    return move.proven and is_decisive(move.value) and move.value > 0


def is_lost(move: Valued) -> bool:
    """Whether the move is a proven loss."""
    return move.proven and is_decisive(move.value) and move.value < 0


def _loss(best: Valued, move: Valued) -> float:
    """What `move` gives away of the winning chance."""
    return win_rate(best.value, best.proven) - win_rate(move.value, move.proven)

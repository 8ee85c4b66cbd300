"""What a tournament manager says of time and of the board, kept for the program it talks to."""

from dataclasses import dataclass, replace

from engine.clock import LAG, Clock
from engine.errors import FivebookError
from engine.position import Bitboard, Cell, Position
from engine.search import Limits

# What a turn takes if the manager says nothing of time, and one for which there is none.
_USUAL_TURN = 1.0
_SHORTEST = 0.01


class Refused(FivebookError):
    """A command that is not obeyed: the rest of an ERROR line."""


@dataclass(slots=True)
class Stones:
    """The stones on the board: the program's own and the other side's.

    `own_is_dark` is known from the first turn on: dark put the first stone.
    """

    own: Bitboard = 0
    other: Bitboard = 0
    own_is_dark: bool = True

    @property
    def taken(self) -> Bitboard:
        """All of them."""
        return self.own | self.other

    def add(self, cell: Cell, *, is_own: bool) -> None:
        """Put a stone on a free cell."""
        if is_own:
            self.own |= 1 << cell
        else:
            self.other |= 1 << cell

    def remove(self, cell: Cell) -> None:
        """Take a stone away."""
        self.own &= ~(1 << cell)
        self.other &= ~(1 << cell)

    def begin_turn(self) -> Position:
        """The position, in which it is the program's own turn.

        Raises:
            Refused: if the numbers of stones do not allow that.
        """
        own, other = self.own.bit_count(), self.other.bit_count()
        if own not in (other, other - 1):
            raise Refused(f"{own} stones of mine and {other} of the other side: it is not my turn")
        self.own_is_dark = own == other
        return self.position

    @property
    def position(self) -> Position:
        """The position as it stands, whoever's turn it is."""
        if self.own_is_dark:
            return Position(self.own, self.other)
        return Position(self.other, self.own)

    def give(self, position: Position, *, own_is_dark: bool) -> None:
        """Have the stones of `position`."""
        self.own_is_dark = own_is_dark
        self.own, self.other = position.dark, position.light
        if not own_is_dark:
            self.own, self.other = self.other, self.own

    def copy(self) -> "Stones":
        """The stones as they are now."""
        return replace(self)


class TimeControl:
    """What the manager has said of limits. Times are in seconds; None: nothing.

    `turn` is for each turn, `match` for a whole game, 0 if it is not limited, and `left` what is
    left of that. `increment` is added to it after every move. `depth`, in plies, and `nodes` limit
    each search besides.
    """

    def __init__(self) -> None:
        self.turn: float | None = None
        self.match: float | None = None
        self.left: float | None = None
        self.increment = 0.0
        self.depth: int | None = None
        self.nodes: int | None = None

    def start_game(self) -> None:
        """Have the whole of a game's time again, where that is known."""
        if self.match:
            self.left = self.match

    def spend(self, seconds: float) -> None:
        """Count, for a manager that does not send what is left before every turn."""
        if self._known_left is not None:
            self.left = self._known_left - seconds + self.increment

    @property
    def _known_left(self) -> float | None:
        return self.match if self.left is None else self.left

    def limits(self, spent: float) -> Limits:
        """The limits of a search that begins when so much of its turn is spent."""
        clock = None
        if self._known_left is not None and self.match != 0:
            clock = Clock(max(self._known_left - spent, _SHORTEST), self.increment)
        turn = self.turn
        if clock is not None and not turn:
            # A turn of 0 asks to be as fast as possible. With a game's time besides it, managers
            # mean that turns have none.
            return Limits(self.depth, self.nodes, clock=clock)
        if turn is None:
            turn = _USUAL_TURN
        movetime = max(max(turn - LAG, turn / 2) - spent, _SHORTEST)
        return Limits(self.depth, self.nodes, movetime, clock)

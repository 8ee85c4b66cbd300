"""The clocks of a game, as whoever lets it be played keeps them."""

from engine.clock import Clock

# What a player is told to have left where it has overstepped, but within a margin.
_NOTHING_LEFT = 0.001


class GameClock:
    """One side's clock, which starts as `control`. Times are in seconds."""

    def __init__(self, control: Clock) -> None:
        self._control = control
        self._left = control.left
        self._moves_to_go = control.moves_to_go

    @property
    def reading(self) -> Clock:
        """What the player is told before its move."""
        left = max(self._left, _NOTHING_LEFT)
        return Clock(left, self._control.increment, self._moves_to_go)

    def spend(self, seconds: float) -> float:
        """Take the time of a move away, and give what a move adds.

        Returns what was left after the move, negative if it was overstepped.
        """
        left = self._left - seconds
        self._left = left + self._control.increment
        if self._moves_to_go is not None:
            self._moves_to_go -= 1
            if self._moves_to_go == 0:
                self._moves_to_go = self._control.moves_to_go
                self._left += self._control.left
        return left

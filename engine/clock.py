"""The clock of a whole game, and how much of it a move may take."""

from dataclasses import dataclass
from math import isfinite

from engine.errors import InvalidLimits

# Held back for each move that is still to be made, in seconds: a search may end 20 ms after its
# deadline, and the rest is for pipes and a busy machine. Stockfish calls this Move Overhead.
LAG = 0.03
# Moves of one side that a game without a time control is expected to last from any move on: the
# time left is spent in ever smaller shares, and a fifth of it is there after 40 moves. Most games
# between equals end after 15 to 45 moves of each side.
_USUAL_MOVES = 25
# A search that begins its next depth just before the soft limit ends up to b times as late, b
# being the effective branching factor; the logarithm of its end is about evenly spread between
# the two, so that it takes (b - 1) / ln b of the soft limit on the average: 1.8 for b = 3. So a
# search takes its share on the average if the soft limit is 1 / 1.8 of that.
_SOFT = 0.55
# The depth that is being searched may go on to this many shares, which few need.
_HARD = 2.5
# As in Stockfish's time management: no move takes more of the time left, if others follow.
_MOST = 0.8
# Where what is held back would be nearly all, this part is shared nevertheless.
_LEAST = 1 / 8
# With one stone or none on the board there is nothing yet to read.
_FIRST_PLIES, _FIRST_SHARE = 2, 0.25


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the side to move, in seconds, as the referee has it before the move.

    `left` is for `moves_to_go` moves, this one included, after which there will be more; None:
    for all moves to the end of the game. `increment` is added after every move.

    Raises:
        InvalidLimits: if a number makes no sense.
    """

    left: float
    increment: float = 0.0
    moves_to_go: int | None = None

    def __post_init__(self) -> None:
        if not (self.left > 0 and isfinite(self.left)):
            raise InvalidLimits(f"the time left must be greater than zero, not {self.left}")
        if not (self.increment >= 0 and isfinite(self.increment)):
            raise InvalidLimits(f"the increment must be zero or more, not {self.increment}")
        if self.moves_to_go is not None and self.moves_to_go < 1:
            raise InvalidLimits(f"moves to go must be one or more, not {self.moves_to_go}")


@dataclass(frozen=True, slots=True)
class Allotment:
    """Seconds for one search: it begins no new depth after `soft`, and ends at `hard`.

    ``0 < soft <= hard``.
    """

    soft: float
    hard: float


def allot(clock: Clock, ply: int, cells: int) -> Allotment:
    """What a move at `ply`, on a board of that many cells, may take of `clock`.

    The hard limit is always less than the time left, by `LAG` wherever there is twice as much.
    It depends on its arguments alone.
    """
    moves = max((cells - ply + 1) // 2, 1)
    moves = min(moves, clock.moves_to_go or _USUAL_MOVES)
    in_all = clock.left + clock.increment * (moves - 1)
    usable = max(in_all - LAG * moves, _LEAST * in_all)
    share = usable / moves
    if ply < _FIRST_PLIES and moves > 1:
        share *= _FIRST_SHARE
    most = clock.left - min(LAG, clock.left / 2)
    if moves > 1:
        most = min(most, _MOST * clock.left, usable)
    return Allotment(soft=min(_SOFT * share, most), hard=min(_HARD * share, most))


def describe_clock(clock: Clock) -> str:
    """How a clock is written: ``60 s``, ``60 s + 0.5 s``, ``40 moves in 60 s``."""
    base = f"{clock.left:g} s"
    if clock.moves_to_go is not None:
        base = f"{clock.moves_to_go} moves in {base}"
    return f"{base} + {clock.increment:g} s" if clock.increment else base

"""What every check of a certificate tells: how far it is, and where the certificate is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the entries to check have been checked, by this run or an earlier one."""

    checked: int
    of: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Hole:
    """Why a certificate is rejected.

    `line` are the moves from the start position to where the strategy fails; None if the
    certificate's own moves lead from the start to no such board. `board` is that board, rows from
    the top, with X for the stones of the winner, or in a draw of the side that is to be stopped.
    """

    reason: str
    line: tuple[str, ...] | None
    board: str

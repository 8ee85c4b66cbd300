"""What it means to prove who wins, whatever the game."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from engine.position import Move, Position

TABLE_MEBIBYTES = 64
"""How large a prover's table is, unless it is asked for another size."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known of the claim that one side wins whatever the other one does.

    `won` is True where that is proven and False where it is disproven, so that the other side
    can at least draw; None while it is open. A win is over within `distance` plies, but there
    may be a shorter one; `line` is a way there on which the loser resists long. It is a part of
    such a way where the table has forgotten the rest. `table` is the share of the table in use.
    """

    won: bool | None
    line: tuple[Move, ...]
    distance: int | None
    nodes: int
    table: float


class Prover(Protocol):
    """Proves who wins in positions of one game; holds a table, so one thread at a time."""

    def steps(self, position: Position, *, nodes: int, loses: bool = False) -> Iterator[Proof]:
        """Search for a proof that the side to move wins; with `loses`, that it loses.

        Yields what is known, every fraction of a second, until the claim is settled or `nodes`
        are spent. The last of them depends on the arguments alone. A prover goes on with one
        iterator at a time.

        Raises:
            ValueError: if the game is over.
        """
        ...

"""What it means to prove who wins, whatever the game."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

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


OPEN = Proof(None, (), None, 0, 0.0)
"""What is known before any search."""


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of who wins: of the claims that the side to move wins, and that it loses."""

    win: Proof
    loss: Proof

    @property
    def result(self) -> Literal["win", "loss", "draw"] | None:
        """What best play leads to, for the side to move; None while it is open."""
        if self.win.won:
            return "win"
        if self.loss.won:
            return "loss"
        return "draw" if self.win.won is False and self.loss.won is False else None

    @property
    def nodes(self) -> int:
        """Those of both searches."""
        return self.win.nodes + self.loss.nodes

    @property
    def table(self) -> float:
        """The share of both tables in use."""
        return (self.win.table + self.loss.table) / 2


def settle(provers: tuple[Prover, Prover], position: Position, *, nodes: int) -> Iterator[Verdict]:
    """Try to prove that the side to move wins and that it loses, by turns.

    Yields what is known, every fraction of a second, until it is settled or each claim has had
    its half of `nodes`.

    Raises:
        ValueError: if the game is over.
    """
    proofs = [OPEN, OPEN]
    searches = {
        claim: provers[claim].steps(position, nodes=share, loses=bool(claim))
        for claim, share in enumerate((nodes - nodes // 2, nodes // 2))
        if share
    }
    verdict = Verdict(*proofs)
    while searches and verdict.result is None:
        for claim, search in list(searches.items()):
            proof = next(search, None)
            if proof is None:
                del searches[claim]
                continue
            proofs[claim] = proof
            verdict = Verdict(*proofs)
            yield verdict
            if verdict.result is not None:
                break

"""What it means to prove who wins, whatever the game."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.position import Move, Position

TABLE_MEBIBYTES = 64
"""How large a prover's table is, unless it is asked for another size."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known of the claim that one side wins whatever the other one does.

    `won` is True where that is proven and False where it is disproven, so that the other side
    can at least draw; None while it is open. A win is over within `distance` plies, but there
    may be a shorter one, though none within `horizon` plies; `line` is a way there on which the
    loser resists long. It is a part of such a way where the table has forgotten the rest. `table`
    is the share of the table in use.
    """

    won: bool | None
    line: tuple[Move, ...]
    distance: int | None
    nodes: int
    table: float
    horizon: int = 0

    def before_move(self) -> "Proof":
        """The same, told one ply earlier: before the move that led here, which did not end it."""
        distance = None if self.distance is None else self.distance + 1
        return replace(self, line=(), distance=distance, horizon=self.horizon + 1)


OPEN = Proof(None, (), None, 0, 0.0)
"""What is known before any search."""


class Prover(Protocol):
    """Proves who wins in positions of one game; holds a table, so for one caller at a time."""

    by_plies: bool
    """Whether it looks for wins ply by ply, and can be limited to those `within` some plies."""

    def steps(
        self, position: Position, *, nodes: int, loses: bool = False, within: int | None = None
    ) -> Iterator[Proof]:
        """Search for a proof that the side to move wins; with `loses`, that it loses.

        Yields what is known, every fraction of a second, until the claim is settled or `nodes`
        are spent. With `within` it ends where there is no win within that many plies, of which the
        winner plays the last; the claim then stays open, unless no more plies are left. Unless the
        prover has several threads or has learned something, the last proof depends on the
        arguments alone. A prover goes on with one iterator at a time.

        Raises:
            ValueError: if the game is over, or if `within` is given and it is not `by_plies`.
        """
        ...

    def kin(self, position: Position) -> Hashable:
        """Equal for positions of which a proof for one is most of the work for the others."""
        ...

    def follow(self, position: Position, *, within: int | None = None, nodes: int) -> Proof:
        """The next move of the side that was to win last, which is to move in `position`.

        By what is known, within `nodes` where that is not enough, and `within` that many plies if
        there may be such a win. The line is the move alone.

        Raises:
            ValueError: if the game is over.
        """
        ...

    def knowledge(self) -> bytes:
        """What took long to find out, in the prover's own words."""
        ...

    def learn(self, knowledge: bytes) -> None:
        """Take up what another prover of the same game knew, and forget nothing from now on.

        Raises:
            ValueError: if it is no such knowledge.
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
        """The share of the fuller table that is in use."""
        return max(self.win.table, self.loss.table)

    def before_move(self) -> "Verdict":
        """The same for the side that moved last, before its move."""
        return Verdict(self.loss.before_move(), self.win.before_move())


def prove_by_turns(
    provers: tuple[Prover | None, Prover | None],
    position: Position,
    *,
    nodes: int,
    within: int | None = None,
) -> Iterator[Verdict]:
    """Try to prove that the side to move wins and that it loses, by turns.

    There is a prover for each of these claims, None for one that is not asked. Yields what is
    known, every fraction of a second, until it is settled or each claim has had its share of
    `nodes`, or neither side wins `within` that many plies: see `Prover.steps`.

    Raises:
        ValueError: if the game is over, or if `within` is given and a prover is not `by_plies`.
    """
    proofs = [OPEN, OPEN]
    shares = (nodes - nodes // 2, nodes // 2) if all(provers) else (nodes, nodes)
    searches = {
        claim: prover.steps(position, nodes=share, loses=bool(claim), within=within)
        for claim, (prover, share) in enumerate(zip(provers, shares, strict=True))
        if prover and share
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

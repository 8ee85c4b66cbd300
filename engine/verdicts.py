"""Who wins a position, or what each of its moves leads to, by a game's provers."""

import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from engine.game import Game, Outcome
from engine.position import Move, Position, Side
from engine.proof import OPEN, Proof, Prover, Verdict, prove_by_turns

Provers = tuple[Prover | None, Prover | None]


@dataclass(frozen=True, slots=True)
class Question:
    """Who wins an unfinished `position`, within `nodes` and, if given, `within` that many plies.

    With a `side` it is asked only whether that one wins, otherwise for both. With `each_move` it is
    asked after every move, with as many nodes for each, and plies count from before it.
    """

    game: Game
    position: Position
    side: Side | None
    nodes: int
    within: int | None
    each_move: bool

    @property
    def claims(self) -> tuple[bool, bool]:
        """Whether it is asked that the side to move wins, and that it loses."""
        if self.side is None:
            return True, True
        wins = self.side is self.position.to_move
        return wins, not wins


@dataclass(frozen=True, slots=True)
class Step:
    """What is known so far of the position, or of `moves` from it that are equal in this.

    The verdict is of the side to move in the position that was asked about, before its move.
    `left` are the moves that are still to be looked at, up to symmetry.
    """

    moves: tuple[Move, ...]
    kin: Hashable
    verdict: Verdict
    seconds: float
    left: int = 0

    def joined(self, other: "Step") -> "Step":
        """Both as one, with the moves and the effort of both."""
        mine, theirs = self.verdict, other.verdict
        verdict = Verdict(_joined(mine.win, theirs.win), _joined(mine.loss, theirs.loss))
        moves = tuple(sorted(self.moves + other.moves))
        return Step(moves, self.kin, verdict, self.seconds + other.seconds)


def answer(question: Question, provers: Provers) -> Iterator[Step]:
    """Answer by a prover for each of the question's claims, yielding what is known.

    The last step with the same moves is the answer for them.

    Raises:
        ValueError: if there is a `within`, and a prover is not `by_plies`.
    """
    if question.each_move:
        yield from _finished(question)
        yield from _unfinished(question, provers)
        return
    started = time.monotonic()
    verdicts = prove_by_turns(
        provers, question.position, nodes=question.nodes, within=question.within
    )
    for verdict in verdicts:
        yield Step((), None, verdict, time.monotonic() - started)


def moves_alike(steps: Iterable[Step]) -> list[Step]:
    """The moves' last steps, best first: one for moves of the same kin with the same result."""
    last = {step.moves: step for step in steps}
    alike: dict[Hashable, Step] = {}
    for step in last.values():
        what = step.kin, _known(step.verdict.win), _known(step.verdict.loss)
        alike[what] = alike[what].joined(step) if what in alike else step
    return sorted(alike.values(), key=_rank)


def _finished(question: Question) -> Iterator[Step]:
    """The moves that end the game."""
    game, position = question.game, question.position
    outcomes: dict[Outcome, list[Move]] = {}
    for move in game.legal_moves(position):
        outcome = game.outcome(game.play(position, move))
        if outcome is not None:
            outcomes.setdefault(outcome, []).append(move)
    own = Outcome.won_by(position.to_move)
    no, yes = replace(OPEN, won=False), replace(OPEN, won=True, distance=1)
    for outcome, moves in outcomes.items():
        draw = outcome is Outcome.DRAW
        verdict = Verdict(yes if outcome is own else no, no if draw or outcome is own else yes)
        yield Step(tuple(moves), outcome, verdict, 0.0)


def _unfinished(question: Question, provers: Provers) -> Iterator[Step]:
    """The others, those of a kin one after the other."""
    for prover in provers:
        if prover:
            # What was found out for one move helps with the next.
            prover.learn(b"")
    within = None if question.within is None else question.within - 1
    some_prover = provers[0] or provers[1]
    assert some_prover
    kins: dict[Hashable, list[tuple[tuple[Move, ...], Position]]] = {}
    for child in question.game.children(question.position):
        position = child.canonical.position
        kins.setdefault(some_prover.kin(position), []).append((child.moves, position))
    left = sum(map(len, kins.values()))
    for kin, children in kins.items():
        for moves, position in children:
            left -= 1
            started = time.monotonic()
            for verdict in prove_by_turns(
                provers[::-1], position, nodes=question.nodes, within=within
            ):
                seconds = time.monotonic() - started
                yield Step(moves, kin, verdict.before_move(), seconds, left)


def _joined(proof: Proof, other: Proof) -> Proof:
    return replace(proof, nodes=proof.nodes + other.nodes, table=max(proof.table, other.table))


def _known(proof: Proof) -> Proof:
    """A proof without what tells of the effort."""
    return replace(proof, nodes=0, table=0.0, line=())


def _rank(step: Step) -> tuple[int, int]:
    """Wins first, the shortest before others, and losses last, the longest before others."""
    verdict = step.verdict
    match verdict.result:
        case "win":
            return 0, verdict.win.distance or 0
        case "loss":
            return 3, -(verdict.loss.distance or 0)
        case "draw":
            return 2, 0
    return 1, 0

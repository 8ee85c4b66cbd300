"""Proving by the solver: one proof of who wins, and the winner's strategy as rows of a book.

A position of the winner's gets his move, one of the loser's all replies: down to the ply that is
asked for, nothing of the strategy is missing. What the prover found out with much effort lies in
a file beside the book until the book holds the strategy: a proof that was cut off goes on from
there.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from book.rows.encoding import Rest, Searched
from book.storage.address import AnyAddress
from book.writer import BookWriter, Task
from engine.game import Canonical, Game, Key
from engine.position import Move, Position
from engine.proof import OPEN, Proof, Prover
from engine.values import WIN, Bound
from precompute.build import BuildRun, CommonOptions
from precompute.knowledge import Knowledge

_NO_LIMIT = 1 << 62
_SECONDS_BETWEEN_SAVES = 60.0
# What may be spent on finding a win shorter by two plies, or that there is none: in a position
# of the last level, and that many times more in one two plies before, of which there are fewer.
_NODES_FOR_SHORTER, _TIMES_MORE = 300_000, 10
# A win within that many plies is found live, in milliseconds.
_SOON = 9


@dataclass(frozen=True, slots=True)
class ProveBySolver:
    """One proof that the side to move wins the root, by the game's own prover.

    The strategy is stored down to `plies` plies after the root and, of what is not won soon by
    then, further. The jobs share a table of `memory` MiB. `nodes` bounds the proof.
    """

    plies: int
    memory: int
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class ProofOptions(CommonOptions):
    """A build by one proof, with `jobs` threads."""

    mode: ProveBySolver


@dataclass(frozen=True, slots=True)
class ProofState:
    """How far it is: the proof that the root's side to move wins, the positions of its own in
    which its move is known, and those of the game that the book holds."""

    proof: Proof
    positions: int
    stored: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Won:
    """A canonical position of the winner's, his move, and the plies within which he wins.

    `shortest` says that there is no shorter win.
    """

    canonical: Canonical
    move: Move
    distance: int
    shortest: bool
    nodes: int
    milliseconds: int


class StrategyBuilder(BuildRun[ProofState]):
    """A build by one proof. `report` is called every fraction of a second or some seconds.

    `run` raises `KnowledgeError` if the file of an earlier proof is damaged or of something else.
    """

    def __init__(
        self,
        book: AnyAddress,
        options: ProofOptions,
        report: Callable[[ProofState], None] = lambda state: None,
    ) -> None:
        super().__init__(book, options, report)
        self._options = options

    def _run(self) -> ProofState:
        options = self._options
        prover = options.game.prover(table=options.mode.memory, threads=options.jobs)
        with self._open() as writer:
            run = writer.start_run(self._parameters())
            knowledge = Knowledge(self._address, options.game)
            prover.learn(knowledge.read())
            self._state = ProofState(OPEN, 0, writer.count(), 0.0)
            for proof in self._proofs(prover, knowledge):
                self._tell(replace(self._state, proof=proof))
            if self._state.proof.won and not self._over:
                self._store(writer, run, prover, knowledge)
            writer.end_run(run)
        return self._state

    @property
    def complete(self) -> bool:
        """Whether the root is won and the strategy stored, or the root is known not to be won."""
        proof = self._state.proof
        return proof.won is False or (bool(proof.won) and not self._over)

    def _tell(self, state: ProofState) -> None:
        self._state = replace(state, seconds=self._elapsed)
        self._report(self._state)

    def _proofs(self, prover: Prover, knowledge: Knowledge) -> Iterator[Proof]:
        """The states of the root's proof; what is known is saved from time to time."""
        saved = time.monotonic()
        options = self._options
        for proof in prover.steps(options.root, nodes=options.mode.nodes or _NO_LIMIT):
            yield proof
            if time.monotonic() > saved + _SECONDS_BETWEEN_SAVES or self._over:
                knowledge.write(prover.knowledge())
                saved = time.monotonic()
            if self._over:
                return
        knowledge.write(prover.knowledge())

    def _store(self, writer: BookWriter, run: int, prover: Prover, knowledge: Knowledge) -> None:
        """Find the strategy, level by level, and enter it all at once, the last level first."""
        levels = list(self._levels(prover))
        knowledge.write(prover.knowledge())
        if self._over:
            return
        batch = [
            (Task(searched.key, searched.stones, True, frozenset()), searched)
            for level in reversed(levels)
            for searched in self._rows(level)
        ]
        writer.lasting(lambda connection: writer.enter_missing(batch, run))
        self._tell(replace(self._state, stored=writer.count()))

    def _levels(self, prover: Prover) -> Iterator[list[Won]]:
        """The winner's positions that his strategy leads to, by plies, ascending by key."""
        within = self._state.proof.distance
        assert within is not None
        root = self._options.game.canonical(self._options.root)
        level = [self._won(prover, root, within)]
        found = 1
        while level:
            yield level
            following = [won for won in level if self._is_followed(won)]
            replies = {reply.key: reply for won in following for reply in self._replies(won)}
            within -= 2
            level = []
            for key in sorted(replies):
                if self._over:
                    return
                won = self._won(prover, replies[key], within)
                if self._is_kept(won):
                    level.append(won)
                    found += 1
                self._tell(replace(self._state, positions=found))

    def _is_followed(self, won: Won) -> bool:
        """Whether the replies to the winner's move are looked at."""
        return self._above(won.canonical.position) >= 2 or won.distance > _SOON

    def _is_kept(self, won: Won) -> bool:
        """Whether a position is stored: below the last ply only what is not won soon."""
        return self._above(won.canonical.position) >= 0 or won.distance >= _SOON

    def _above(self, position: Position) -> int:
        """How many plies a position is above the last one down to which all are stored."""
        return self._options.root.ply + self._options.mode.plies - position.ply

    def _won(self, prover: Prover, canonical: Canonical, within: int) -> Won:
        started = time.monotonic()
        above = self._above(canonical.position)
        nodes = _NODES_FOR_SHORTER * _TIMES_MORE ** max(0, above // 2)
        proof = prover.follow(canonical.position, within=within, nodes=nodes)
        assert proof.won
        assert proof.distance is not None
        return Won(
            canonical,
            proof.line[0],
            proof.distance,
            proof.horizon + 2 >= proof.distance,
            proof.nodes,
            round((time.monotonic() - started) * 1000),
        )

    def _replies(self, won: Won) -> list[Canonical]:
        """The unfinished positions after the winner's move and each reply, up to symmetry."""
        game = self._options.game
        position = game.play(won.canonical.position, won.move)
        if game.outcome(position) is not None:
            return []
        return [child.canonical for child in game.children(position)]

    def _rows(self, level: list[Won]) -> Iterator[Searched]:
        """The rows of the winner's positions, and of those after his moves whose replies are all
        stored."""
        game = self._options.game
        lost: set[Key] = set()
        for won in level:
            position = won.canonical.position
            after = game.play(position, won.move)
            over = game.outcome(after) is not None
            child = game.canonical(after)
            if self._above(position) >= 2 and not over and child.key not in lost:
                lost.add(child.key)
                yield self._lost(child)
            yield Searched(
                key=won.canonical.key,
                stones=won.canonical.stones,
                rest=Rest(
                    won.move,
                    WIN - won.distance,
                    Bound.EXACT if won.shortest else Bound.LOWER,
                    True,
                    None if over else child.key,
                    (won.move,),
                ),
                depth=won.distance,
                nodes=won.nodes,
                milliseconds=won.milliseconds,
                children=_links(game, position),
            )

    def _lost(self, canonical: Canonical) -> Searched:
        """The row of a position of the loser's, all of whose replies are stored or end the game."""
        game, position = self._options.game, canonical.position
        last = next(
            (m for m in game.legal_moves(position) if game.outcome(game.play(position, m))), None
        )
        return Searched(
            key=canonical.key,
            stones=canonical.stones,
            rest=None if last is None else Rest(last, 1 - WIN, Bound.EXACT, True, None, (last,)),
            depth=0 if last is None else 1,
            nodes=0,
            milliseconds=0,
            children=_links(game, position),
        )

    def _parameters(self) -> dict[str, object]:
        options = self._options
        mode = options.mode
        return {
            "mode": "prove",
            "root": options.game.format_line(options.line),
            "plies": mode.plies,
            "limits": {} if mode.nodes is None else {"nodes": mode.nodes},
            "table": mode.memory,
            "jobs": options.jobs,
            "seconds": options.seconds,
        }


def _links(game: Game, position: Position) -> dict[Key, Move]:
    return {child.canonical.key: child.moves[0] for child in game.children(position)}

"""Proving Gomoku by parts: the first player's win, opening by opening, and his strategy as rows.

What is proved lies in a file beside the book: a proof that was cut off goes on from there, and
`certify` writes the certificate from the same file. The book gets its rows when nothing is open,
or when what is open resists: then those of what is proved.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from book.certificates.gomoku.file import Certificate
from book.rows.encoding import Searched
from book.storage.address import AnyAddress
from book.writer import BookWriter, Task
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.position import Position
from precompute.backend import Backend, Workers
from precompute.build import BuildRun, CommonOptions
from precompute.certificates.gomoku.book_rows import Numbered, Outlook, OutlookWork, StrategyRows
from precompute.certificates.gomoku.opening import WINNER, Line, Opening
from precompute.certificates.gomoku.proof import (
    ROUNDS,
    UNKNOWN,
    NotProved,
    PartsState,
    PartWork,
    ProofByParts,
)

# On smaller boards the general prover is as good, and settles what is no win as well.
_SMALLEST_BOARD = 9
_ENTRIES_A_TASK = 64
_SECONDS_A_LOOK = 0.5


def has_parts(game: Game, root: Position) -> bool:
    """Whether a proof that the side to move wins `root` can be made of parts."""
    return (
        isinstance(game, Gomoku)
        and not game.forbids_moves
        and game.size >= _SMALLEST_BOARD
        and root.to_move is WINNER
    )


def rounds_within(nodes: int | None) -> tuple[int, ...]:
    """The usual rounds, with at most so many nodes for a part."""
    if nodes is None:
        return ROUNDS
    return (*(limit for limit in ROUNDS if limit < nodes), nodes)


@dataclass(frozen=True, slots=True)
class PartsOptions(CommonOptions):
    """A proof that the first player wins `game`, from the position after `line` on, where it is
    his turn.

    His strategy is stored down to `plies` plies after that and, of what is not won at once by
    then, further. `thirds` are those of `ProofByParts`; `jobs`, `backend` and `scheduler` those of
    `Workers`.

    Raises:
        InvalidOptions: if only one of dask and its scheduler is given.
        NoThirdStone: if one of `thirds` is none.
        IllegalMove: if it cannot be played.
    """

    game: Gomoku
    plies: int
    backend: Backend = Backend.LOKY
    scheduler: str | None = None
    rounds: tuple[int, ...] = field(default=ROUNDS)
    thirds: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        assert self.workers
        Opening(self.game, self.line).given(self.thirds)

    @property
    def workers(self) -> Workers:
        """Who proves."""
        return Workers(self.jobs, self.backend, self.scheduler)


@dataclass(frozen=True, slots=True)
class PartsBuildState:
    """How far a build is: its parts, how many of the strategy's `entries` have been looked at
    once nothing more is tried, and what the book holds.

    `nodes` have been searched for the parts, in earlier runs as well. `distance` is the plies
    within which the first player wins, None while that is not proved.
    """

    parts: PartsState
    nodes: int
    entries: int
    looked: int
    stored: int
    distance: int | None
    seconds: float


class PartsBuilder(BuildRun[PartsBuildState]):
    """A build by a proof by parts. `report` is called after each of them.

    `run` raises `PartFileError` if the file of the parts is damaged or of something else,
    `WorkersLost` if a part cannot be tried, and `NotProved` where parts resist, when what is
    proved is stored.
    """

    def __init__(
        self,
        book: AnyAddress,
        options: PartsOptions,
        report: Callable[[PartsBuildState], None] = lambda state: None,
    ) -> None:
        super().__init__(book, options, report)
        self._options = options

    def _run(self) -> PartsBuildState:
        options = self._options
        with self._open() as writer:
            run = writer.start_run(self._parameters())
            self._state = PartsBuildState(UNKNOWN, 0, 0, 0, writer.count(), None, 0.0)
            path = self._address.beside("parts")
            with ProofByParts(
                options.game,
                path,
                root=options.line,
                rounds=options.rounds,
                thirds=options.thirds,
            ) as proof:
                self._prove(proof)
                if not self._over:
                    self._store(writer, run, proof)
                writer.end_run(run)
                if not self._over:
                    self._require_complete(proof)
        return self._state

    @property
    def complete(self) -> bool:
        """Whether the win is proved and the strategy stored."""
        return self._state.distance is not None

    def _tell(self, state: PartsBuildState) -> None:
        self._state = replace(state, seconds=self._elapsed)
        self._report(self._state)

    def _prove(self, proof: ProofByParts) -> None:
        self._state = replace(self._state, parts=proof.state, nodes=proof.nodes)
        if proof.complete:
            return
        with self._options.workers.open(PartWork(self._options.game.id)) as dispatch:
            for parts in proof.steps(dispatch):
                self._tell(replace(self._state, parts=parts, nodes=proof.nodes))
                if self._over:
                    proof.stop()

    def _store(self, writer: BookWriter, run: int, proof: ProofByParts) -> None:
        """Enter the rows of what is proved, all at once."""
        game, proved = self._options.game, proof.proved()
        outlooks = self._outlooks(proved.certificate) if proved.starts else None
        if outlooks is None:
            return
        rows = StrategyRows(
            game,
            proved,
            outlooks,
            plies=self._options.plies,
            nodes={
                game.canonical(game.play_line(part.line)).key: part.nodes
                for part in proof.tried_parts
            },
        )
        batch = [(_task(searched), searched) for searched in rows.rows()]
        writer.lasting(lambda connection: writer.enter_missing(batch, run))
        stored = writer.count()
        distance = rows.distance if proof.complete else None
        self._tell(replace(self._state, stored=stored, distance=distance))

    def _require_complete(self, proof: ProofByParts) -> None:
        try:
            proof.require_complete()
        except NotProved as error:
            kept = "; what is proved is in the book" if self._state.looked else ""
            raise NotProved(f"{error}{kept}") from None

    def _outlooks(self, certificate: Certificate) -> list[Outlook] | None:
        """Those of all entries, in their order; None if the time is over."""
        found: dict[int, Sequence[Outlook]] = {}
        waiting = self._chunks(certificate)
        count = certificate.entries
        self._tell(replace(self._state, entries=count))
        with self._options.workers.open(OutlookWork(self._options.game.id)) as dispatch:
            while len(found) * _ENTRIES_A_TASK < count:
                for _ in range(dispatch.room):
                    chunk = next(waiting, None)
                    if chunk is not None:
                        dispatch.send(chunk)
                for (first, _), outlooks in dispatch.finished(_SECONDS_A_LOOK):
                    found[first] = outlooks
                looked = min(count, len(found) * _ENTRIES_A_TASK)
                self._tell(replace(self._state, looked=looked))
                if self._over:
                    return None
        return [outlook for first in sorted(found) for outlook in found[first]]

    def _chunks(self, certificate: Certificate) -> Iterator[Numbered]:
        for first in range(0, certificate.entries, _ENTRIES_A_TASK):
            last = min(first + _ENTRIES_A_TASK, certificate.entries)
            yield first, tuple(map(certificate.entry, range(first, last)))

    def _parameters(self) -> dict[str, object]:
        options = self._options
        return {
            "mode": "prove",
            "root": options.game.format_line(options.line),
            "plies": options.plies,
            "limits": {"nodes": options.rounds[-1]},
            "backend": options.backend,
            "jobs": options.jobs,
            "seconds": options.seconds,
        }


def _task(searched: Searched) -> Task:
    return Task(searched.key, searched.stones, True, frozenset())

"""The proof of a whole strategy, by parts that are proved side by side.

A part is proved within few nodes first. One that resists is put back, and tried again with more
when all others have been; before very many are spent, another second stone is tried instead. What
a part holds does not depend on the others, nor on who proves it, so that the certificate is the
same for any number of jobs and however often the proof was cut off.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from book.certificates.gomoku.file import Certificate, Start
from book.certificates.gomoku.writer import EFFORT, join
from book.closing import Closing
from engine.errors import FivebookError
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.openings import choose_third, third_moves
from engine.position import Move, cells_of
from precompute.certificates.gomoku.opening import WINNER, Line, Opening
from precompute.certificates.gomoku.part import Part, finders, game_of, make_part, rules_for
from precompute.certificates.gomoku.part_file import PartFile
from precompute.dispatch import Dispatch, Work

ROUNDS = (2_000_000, 20_000_000, 200_000_000, 2_000_000_000)
"""Nodes for each part, round by round."""

_ROUNDS_BEFORE_OTHER_CHOICE = 2
# With so few parts open more nodes are the shorter way than all parts after another stone.
_FEW_OPEN = 12

_SECONDS_A_LOOK = 0.5


class NotProved(FivebookError):
    """Some parts of the strategy have not been proved."""


@dataclass(frozen=True, slots=True)
class PartsState:
    """How far a proof is.

    Of `openings`, the lines after which the winner's second stone is chosen, it is for `decided`
    of them, and the parts are all won of those `finished`. `parts` are known so far, `won` of them
    are. `seconds` have passed, in which `done` parts were tried with `limit` nodes at most.
    """

    openings: int
    decided: int
    finished: int
    parts: int
    won: int
    done: int
    limit: int
    seconds: float

    @property
    def rate(self) -> float:
        """Parts tried in a second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """For the parts that are not won, at this rate; None before there is one.

        Openings that have not been looked at count as many parts as the others have on average.
        """
        if not self.rate:
            return None
        return (self.parts * self.openings / self.decided - self.won) / self.rate


@dataclass(frozen=True, slots=True)
class Proved:
    """What is proved of a strategy: the first player wins from each of `starts`.

    `certificate` has the entries that these need, and no others. It begins at the strategy's root,
    and is unfinished unless that is the only one of `starts`.
    """

    certificate: Certificate
    starts: tuple[Start, ...]


UNKNOWN = PartsState(1, 0, 0, 0, 0, 0, 0, 0.0)
"""Before anything has been looked at."""


@dataclass(frozen=True, slots=True)
class PartTask:
    """A choice to make after `line`, or a part to be proved there within `limit` nodes."""

    line: Line
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class PartWork(Work[PartTask, "Move | Part"]):
    """Choices and parts of one game's proof; the result depends on the game and the task alone."""

    game_id: str

    def prepare(self) -> None:
        finders.of(game_of(self.game_id))

    def do(self, task: PartTask) -> "Move | Part":
        if task.limit is None:
            return choose_third(game_of(self.game_id), task.line[1])
        return make_part(self.game_id, task.line, task.limit)

    def name(self, task: PartTask) -> str:
        line = game_of(self.game_id).format_line(task.line)
        return f"the proof of {self.game_id} after '{line}'"


class ProofByParts(Closing):
    """The proof that the first player wins after `root`, as far as the file at `path` has it.

    `thirds` are lines of three moves each, up to symmetry: the winner's second stone after these
    is the one given, whatever the file says. Where none is given it is chosen by trials.

    Raises:
        PartFileError: if the file cannot be read or written, or is of something else.
        NoThirdStone: if one of `thirds` is no such line.
        IllegalMove: if it cannot be played.
    """

    def __init__(
        self,
        game: Gomoku,
        path: Path,
        *,
        root: Line = (),
        rounds: tuple[int, ...] = ROUNDS,
        thirds: Iterable[Line] = (),
    ) -> None:
        self.game = game
        self._opening = Opening(game, root)
        self._given = self._opening.given(thirds)
        self._rounds = rounds
        self._stopping = False
        self._waiting: deque[PartTask] = deque()
        self._done = 0
        self._limit = rounds[0]
        self._started = time.monotonic()
        self._file = PartFile(path, game.id)
        for line, move in self._given.items():
            if self._file.chosen.get(line) != move:
                self._file.choose(line, move)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def stop(self) -> None:
        """Begin no further part; `steps` ends within a part's time."""
        self._stopping = True

    @property
    def stopped(self) -> bool:
        """Whether `stop` has been called before nothing was left to do."""
        return self._stopping and not self.complete

    @property
    def complete(self) -> bool:
        """Whether all parts are won."""
        return self._is_complete(self._opening)

    def _is_complete(self, opening: Opening) -> bool:
        parts = list(opening.parts(self._file.chosen))
        decided = len(parts) == max(1, len(opening.undecided))
        return decided and all(self._is_won(line) for lines in parts for line in lines)

    @property
    def open_parts(self) -> list[Line]:
        """The lines of known parts that are not won."""
        parts = self._opening.parts(self._file.chosen)
        return [line for lines in parts for line in lines if not self._is_won(line)]

    @property
    def tried_parts(self) -> list[Part]:
        """The parts of this strategy that have been tried, as they were tried last."""
        lines = [line for lines in self._opening.parts(self._file.chosen) for line in lines]
        return [self._file.parts[line] for line in lines if line in self._file.parts]

    @property
    def nodes(self) -> int:
        """The nodes that `tried_parts` took."""
        return sum(part.nodes for part in self.tried_parts)

    @property
    def thirds(self) -> list[Line]:
        """The lines of three moves that end with the winner's second stone, as far as chosen."""
        return [(*line, move) for line, move in sorted(self._file.chosen.items())]

    def steps(self, dispatch: Dispatch[PartTask, Move | Part]) -> Iterator[PartsState]:
        """Prove what is not proved until all rounds are over; yields after every part, and from
        time to time.

        Raises:
            WorkersLost: if a part cannot be tried; what was proved before is kept.
        """
        self._started, self._done = time.monotonic(), 0
        first = self._rounds[:_ROUNDS_BEFORE_OTHER_CHOICE]
        yield from self._run(dispatch, first)
        while self._choose_again():
            yield from self._run(dispatch, first)
        yield from self._run(dispatch, self._rounds[_ROUNDS_BEFORE_OTHER_CHOICE:])

    def _run(
        self, dispatch: Dispatch[PartTask, Move | Part], rounds: Iterable[int]
    ) -> Iterator[PartsState]:
        for limit in rounds:
            if self._stopping or self.complete:
                return
            self._limit = limit
            self._waiting = deque(self._tasks(limit))
            while dispatch.busy or (self._waiting and not self._stopping):
                while self._waiting and dispatch.room and not self._stopping:
                    dispatch.send(self._waiting.popleft())
                for task, result in dispatch.finished(_SECONDS_A_LOOK):
                    self._take(task, result, limit)
                yield self.state
                if self._stopping:
                    dispatch.recall()

    def _choose_again(self) -> bool:
        """Choose another second stone of the winner's where many parts resist; once all have been
        tried, the one with fewest of them. Returns whether there are new parts."""
        if self._stopping:
            return False
        found = False
        for line in self._opening.undecided:
            if line in self._given:
                continue
            tried = self._file.choices[line]
            if self._open_after(line, tried[-1]) <= _FEW_OPEN:
                continue
            others = [move for move in third_moves(self.game, line[1]) if move not in tried]
            found = found or bool(others)
            best = min(tried, key=lambda move: self._open_after(line, move))
            choice = others[0] if others else best
            if choice != self._file.chosen[line]:
                self._file.choose(line, choice)
        return found

    def _open_after(self, line: Line, move: Move) -> int:
        """How many parts are not won after `line` and the winner's `move`."""
        lines = self._opening.after_replies((*line, move))
        return sum(not self._is_won(each) for each in lines)

    def certificate(self) -> Certificate:
        """The certificate of the whole strategy.

        Raises:
            NotProved: if a part is missing.
        """
        self.require_complete()
        return self.proved().certificate

    def require_complete(self) -> None:
        """Raise `NotProved` if a part is missing."""
        if self.complete:
            return
        lines = [f"after '{self.game.format_line(line)}'" for line in self.open_parts]
        if not lines:
            raise NotProved("the proof has not begun")
        if len(lines) == 1:
            raise NotProved(f"1 part of the strategy is not proved: {lines[0]}")
        raise NotProved(
            f"{len(lines):,} parts of the strategy are not proved, the first of them {lines[0]}"
        )

    def proved(self) -> Proved:
        """The whole strategy if it is complete; else that from the ends of the openings whose
        parts are all won, and of the other openings that of the parts that are."""
        chosen = self._file.chosen
        known = (line for lines in self._opening.parts(chosen) for line in lines)
        won = list(filter(self._is_won, known))
        moves: dict[Line, Move] = dict(chosen)
        for line in won:
            move = self._file.parts[line].move
            assert move is not None
            moves[line] = move
        openings = self._won_openings()
        lines = [opening.root for opening in openings]
        below = {part for opening in openings for parts in opening.parts(chosen) for part in parts}
        lines += [line for line in won if line not in below]
        starts = tuple(self._start(line, moves) for line in lines)
        opening_entries = [entry for opening in openings for entry in opening.entries(moves)]
        parts = (
            {entry.board: entry for entry in entries}
            for entries in (opening_entries, *self._file.entries(won))
        )
        root = self._start(self._opening.root, moves)
        certificate = join(rules_for(self.game.id), root, EFFORT, parts, within=starts)
        return Proved(certificate, starts)

    def _won_openings(self) -> list[Opening]:
        """The whole opening if all its parts are won, else its branches of which that is true."""
        if self.complete:
            return [self._opening]
        branches = (Opening(self.game, line) for line in self._opening.undecided)
        return list(filter(self._is_complete, branches))

    def _start(self, line: Line, moves: Mapping[Line, Move]) -> Start:
        """The start after `line`, with the winner's move there if that is known."""
        position = self.game.play_line(line)
        is_known = position.to_move is WINNER and (line in moves or not line)
        move = self._opening.move(line, moves) if is_known else None
        return Start(tuple(cells_of(position.dark)), tuple(cells_of(position.light)), move=move)

    def _is_won(self, line: Line) -> bool:
        part = self._file.parts.get(line)
        return part is not None and part.won

    def _tasks(self, limit: int) -> list[PartTask]:
        """What is to be done in the round of `limit`, in the order of the opening."""
        chosen = self._file.chosen
        known = [line for lines in self._opening.parts(chosen) for line in lines]
        choices = [PartTask(line) for line in self._opening.undecided if line not in chosen]
        return [*self._open_tasks(known, limit), *choices]

    def _open_tasks(self, lines: list[Line], limit: int) -> list[PartTask]:
        """The parts at `lines` that have not been tried with so many nodes."""
        parts = self._file.parts
        return [
            PartTask(line, limit)
            for line in lines
            if line not in parts or not (parts[line].won or parts[line].limit >= limit)
        ]

    def _take(self, task: PartTask, result: Move | Part, limit: int) -> None:
        """Keep what a task has come to."""
        if isinstance(result, Part):
            self._file.keep(result)
            self._done += 1
            return
        self._file.choose(task.line, result)
        lines = self._opening.after_replies((*task.line, result))
        self._waiting.extendleft(reversed(self._open_tasks(lines, limit)))

    @property
    def state(self) -> PartsState:
        """How far it is."""
        parts = list(self._opening.parts(self._file.chosen))
        won = [sum(map(self._is_won, lines)) for lines in parts]
        return PartsState(
            openings=max(1, len(self._opening.undecided)),
            decided=len(parts),
            finished=sum(count == len(lines) for count, lines in zip(won, parts, strict=True)),
            parts=sum(map(len, parts)),
            won=sum(won),
            done=self._done,
            limit=self._limit,
            seconds=time.monotonic() - self._started,
        )

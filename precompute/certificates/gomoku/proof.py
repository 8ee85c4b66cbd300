"""The proof of a whole strategy, by parts that are proved side by side.

A part is proved within few nodes first. One that resists is put back, and tried again with more
when all others have been. What a part holds does not depend on the others, nor on who proves it,
so that the certificate is the same for any number of jobs and however often the proof was cut off.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from book.certificates.gomoku.file import Certificate, Start
from book.certificates.gomoku.writer import EFFORT, join
from book.closing import Closing
from book.processes import workers
from engine.errors import FivebookError
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.openings import choose_third
from engine.position import Move, cells_of
from precompute.certificates.gomoku.opening import WINNER, Line, Opening
from precompute.certificates.gomoku.part import Part, game_of, make_part, rules_for
from precompute.certificates.gomoku.part_file import PartFile

ROUNDS = (2_000_000, 20_000_000, 200_000_000)
"""Nodes for each part, round by round."""

# So many tasks are sent for each job: the next one lies ready.
_AHEAD = 2
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
class _Task:
    """A choice to make after `line`, or a part to be proved there within `limit` nodes."""

    line: Line
    limit: int | None = None


class ProofByParts(Closing):
    """The proof that the first player wins after `root`, as far as the file at `path` has it.

    `report` is called after every part.

    Raises:
        PartFileError: if the file cannot be read or written, or is of something else.
    """

    def __init__(
        self,
        game: Gomoku,
        path: Path,
        *,
        root: Line = (),
        rounds: tuple[int, ...] = ROUNDS,
        report: Callable[[PartsState], None] = lambda state: None,
    ) -> None:
        self._game = game
        self._opening = Opening(game, root)
        self._rounds = rounds
        self._report = report
        self._stopping = False
        self._waiting: deque[_Task] = deque()
        self._done = 0
        self._started = 0.0
        self._file = PartFile(path, game.id)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def stop(self) -> None:
        """Begin no further part; `run` returns within a part's time."""
        self._stopping = True

    @property
    def stopped(self) -> bool:
        """Whether `stop` has been called before nothing was left to do."""
        return self._stopping and not self.complete

    @property
    def complete(self) -> bool:
        """Whether all parts are won."""
        parts = list(self._opening.parts(self._file.chosen))
        decided = len(parts) == max(1, len(self._opening.undecided))
        return decided and all(self._is_won(line) for lines in parts for line in lines)

    @property
    def open_parts(self) -> list[Line]:
        """The lines of known parts that are not won."""
        parts = self._opening.parts(self._file.chosen)
        return [line for lines in parts for line in lines if not self._is_won(line)]

    def run(self, jobs: int = 1) -> None:
        """Prove what is not proved, with so many processes, until all rounds are over."""
        self._started, self._done = time.monotonic(), 0
        if self.complete:
            return
        with workers(jobs) as executor:
            for limit in self._rounds:
                if self._stopping:
                    return
                self._waiting = deque(self._tasks(limit))
                self._run_round(executor, jobs, limit)

    def certificate(self) -> Certificate:
        """The certificate of the whole strategy.

        Raises:
            NotProved: if a part is missing.
        """
        if not self.complete:
            open_ = self.open_parts
            example = self._game.format_line(open_[0]) if open_ else "none"
            raise NotProved(
                f"{len(open_):,} parts of the strategy are not proved, the first of them "
                f"after '{example}'"
            )
        lines = [line for lines in self._opening.parts(self._file.chosen) for line in lines]
        moves: dict[Line, Move] = dict(self._file.chosen)
        for line in lines:
            move = self._file.parts[line].move
            assert move is not None
            moves[line] = move
        opening = tuple(self._opening.entries(moves))
        parts = (
            {entry.board: entry for entry in entries}
            for entries in (opening, *self._file.entries(lines))
        )
        return join(rules_for(self._game.id), self._start(moves), EFFORT, parts)

    def _start(self, moves: dict[Line, Move]) -> Start:
        root = self._opening.root
        position = self._game.play_line(root)
        to_move = position.to_move is WINNER
        move = self._opening.move(root, moves) if to_move else None
        return Start(tuple(cells_of(position.dark)), tuple(cells_of(position.light)), move=move)

    def _is_won(self, line: Line) -> bool:
        part = self._file.parts.get(line)
        return part is not None and part.won

    def _tasks(self, limit: int) -> list[_Task]:
        """What is to be done in the round of `limit`, in the order of the opening."""
        chosen = self._file.chosen
        known = [line for lines in self._opening.parts(chosen) for line in lines]
        choices = [_Task(line) for line in self._opening.undecided if line not in chosen]
        return [*self._open_tasks(known, limit), *choices]

    def _open_tasks(self, lines: list[Line], limit: int) -> list[_Task]:
        """The parts at `lines` that have not been tried with so many nodes."""
        parts = self._file.parts
        return [
            _Task(line, limit)
            for line in lines
            if line not in parts or not (parts[line].won or parts[line].limit >= limit)
        ]

    def _run_round(self, executor: Any, jobs: int, limit: int) -> None:
        running: dict[Future[Any], _Task] = {}
        while True:
            while self._waiting and len(running) < _AHEAD * jobs and not self._stopping:
                task = self._waiting.popleft()
                running[self._submit(executor, task)] = task
            if not running:
                return
            for future in wait(running, _SECONDS_A_LOOK, FIRST_COMPLETED).done:
                self._take(running.pop(future), future.result(), limit)
                self._report(self._state(limit))
            if self._stopping:
                for future in [future for future in running if future.cancel()]:
                    del running[future]

    def _submit(self, executor: Any, task: _Task) -> Future[Any]:
        future: Future[Any]
        if task.limit is None:
            future = executor.submit(_choose, self._game.id, task.line)
        else:
            future = executor.submit(make_part, self._game.id, task.line, task.limit)
        return future

    def _take(self, task: _Task, result: Move | Part, limit: int) -> None:
        """Keep what a task has come to."""
        if isinstance(result, Part):
            self._file.keep(result)
            self._done += 1
            return
        self._file.choose(task.line, result)
        lines = self._opening.after_replies((*task.line, result))
        self._waiting.extendleft(reversed(self._open_tasks(lines, limit)))

    def _state(self, limit: int) -> PartsState:
        parts = list(self._opening.parts(self._file.chosen))
        won = [sum(map(self._is_won, lines)) for lines in parts]
        return PartsState(
            openings=max(1, len(self._opening.undecided)),
            decided=len(parts),
            finished=sum(count == len(lines) for count, lines in zip(won, parts, strict=True)),
            parts=sum(map(len, parts)),
            won=sum(won),
            done=self._done,
            limit=limit,
            seconds=time.monotonic() - self._started,
        )


def _choose(game_id: str, line: Line) -> Move:
    """The winner's second stone after `line`."""
    return choose_third(game_of(game_id), line[1])

"""A match between two players: the plan, the games, and those that count.

Every opening is played twice in a row, colours swapped. Games end in any order, but count by
whole pairs in the order of the plan, so that the result, and the game at which a sequential test
stops, depend neither on the number of jobs nor on when a match was killed and resumed. Games
beyond the stop stay stored and do not count.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from joblib.externals.loky.process_executor import BrokenProcessPool

from book.closing import Closing
from book.lessons import Lesson, Lessons
from book.processes import workers
from engine import __version__
from engine.errors import FivebookError
from engine.game import Game
from engine.position import Move, Side
from engine.search import Limits
from service.play.arena.folder import MatchFolder
from service.play.arena.openings import Opening
from service.play.arena.referee import PlayedGame, Rules
from service.play.arena.statistics import Sprt, SprtVerdict
from service.play.arena.tally import Tally
from service.play.arena.workers import Table, play_in_worker
from service.play.learning import first_wrong
from service.play.records import GameRecord
from service.play.swapping import OpeningRule
from service.play.variety import ALWAYS_THE_BEST, Variety

# How soon a match sees that it is to stop.
_SECONDS_BETWEEN_LOOKS = 0.1
_LONGEST_LABEL = 40


class WorkerKilled(FivebookError):
    """A worker has ended in the middle of a game."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What decides how the games of a match go; how many of them are played does not."""

    game: Game
    players: tuple[str, str]
    limits: Limits
    margin: float
    openings: tuple[Opening, ...]
    memory: int = 0
    choosing: OpeningRule | None = None
    variety: Variety = ALWAYS_THE_BEST

    @property
    def table(self) -> Table:
        """What every game is played by."""
        rules = Rules(self.margin, self.limits.clock, self.memory, self.choosing)
        return Table(self.game.id, self.players, self.names, self.limits, rules, self.variety)

    @property
    def names(self) -> tuple[str, str]:
        """What the players are called."""
        first, second = distinct_names(self.players)
        return first, second

    @property
    def label(self) -> str:
        """The players as part of a file's name."""
        words = [re.sub(r"[^\w.=-]+", "-", text)[:_LONGEST_LABEL] for text in self.players]
        return "-vs-".join(word.strip("-") for word in words)

    def opening(self, number: int) -> Opening:
        """The opening of a game, counted from 0."""
        return self.openings[number // 2 % len(self.openings)]

    def as_dict(self) -> dict[str, Any]:
        """The settings, and the version they are for, as JSON has them."""
        return {
            "version": __version__,
            "game": self.game.id,
            "players": list(self.players),
            **self.limits.as_dict(),
            "margin": self.margin,
            "openings": list(map(self.game.format_line, self.openings)),
            **self._unusual(),
        }

    def _unusual(self) -> dict[str, Any]:
        """What is not as it always was. What was kept before there was a choice is still found."""
        unusual: dict[str, Any] = {}
        if self.memory:
            unusual["memory"] = self.memory
        if self.choosing is not None:
            unusual["choosing"] = self.choosing.value
        if self.variety != ALWAYS_THE_BEST:
            unusual["variety"] = {"margin": self.variety.margin, "seed": self.variety.seed}
            if self.variety.excluded is not None:
                unusual["variety"]["excluded"] = self.variety.excluded
        return unusual


def distinct_names(players: Sequence[str]) -> list[str]:
    """The players as they are described, with numbers where descriptions come again."""
    seen: Counter[str] = Counter()
    names = []
    for text in players:
        seen[text] += 1
        names.append(f"{text} ({seen[text]})" if seen[text] > 1 else text)
    return names


class Match(Closing):
    """A match of `planned` games, an even number, or fewer if `sprt` decides it sooner.

    The games that the first player loses on the board are added to `lessons`, if there are any.
    `finished` games are stored in the folder, of which those in `tally` count. `played` is the
    number of games of this invocation, and `seconds` the time it took for them.

    Raises:
        MatchFolderError: if the folder holds another match, is in use or cannot be written.
    """

    def __init__(
        self,
        settings: MatchSettings,
        planned: int,
        sprt: Sprt | None,
        folder: Path,
        lessons: Lessons | None = None,
    ) -> None:
        self.settings = settings
        self.planned = planned
        self.sprt = sprt
        self.tally = Tally()
        self.played = 0
        self.seconds = 0.0
        self._lessons = lessons
        self._stopping = False
        self._boards: Path | None = None
        self._folder = MatchFolder(folder, settings.game, settings.as_dict())
        self._count_pairs()

    def close(self) -> None:
        """Write the games that count for other programs, and let go of the folder."""
        try:
            self._folder.export([self._record(number) for number in range(self.counted)])
        finally:
            self._folder.close()

    @property
    def folder(self) -> Path:
        """Where the match is stored."""
        return self._folder.path

    @property
    def counted(self) -> int:
        """How many games count."""
        return self.tally.total.games

    @property
    def finished(self) -> int:
        """How many games of the plan are stored."""
        return sum(number < self.planned for number in self._folder.games)

    @property
    def verdict(self) -> SprtVerdict:
        """What the sequential test says; it runs for ever where there is none."""
        if self.sprt is None:
            return SprtVerdict.RUNNING
        return self.sprt.verdict(self.tally.pairs)

    @property
    def complete(self) -> bool:
        """Whether no game is left to play."""
        return self.counted == self.planned or self.verdict is not SprtVerdict.RUNNING

    def stop(self) -> None:
        """Have `play` return in a moment, without the games that are being played."""
        self._stopping = True

    def play(
        self,
        jobs: int,
        report: Callable[["Match"], None] = lambda match: None,
        *,
        is_watched: bool = False,
    ) -> None:
        """Play what is left, `jobs` games at a time, until the match is complete or `stop` is
        called. `report` is called several times a second; where the games are watched, it finds
        them in `boards`.

        Raises:
            MatchFolderError: if a game cannot be stored; what was stored before is safe.
            WorkerKilled: if one is.
        """
        if self.complete:
            return
        with TemporaryDirectory(prefix="fivebook-boards-") as folder:
            self._boards = Path(folder) if is_watched else None
            try:
                self._play(jobs, report)
            finally:
                self._boards = None

    def _play(self, jobs: int, report: Callable[["Match"], None]) -> None:
        started = time.monotonic()
        waiting = (n for n in range(self.planned) if n not in self._folder.games)
        running: dict[Future[PlayedGame], int] = {}
        with workers(jobs) as executor:
            while not self._stopping and not self.complete:
                for _, number in zip(range(jobs - len(running)), waiting, strict=False):
                    running[self._submit(executor, number)] = number
                done, _ = wait(running, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    number, played = running.pop(future), _result(future)
                    self._folder.add(number, played)
                    self._learn_from(number, played)
                    self.played += 1
                self._count_pairs()
                self.seconds = time.monotonic() - started
                report(self)

    def _learn_from(self, number: int, played: PlayedGame) -> None:
        first_is_light = bool(number % 2) != played.swapped
        side = Side.LIGHT if first_is_light else Side.DARK
        if self._lessons is None or played.forfeit or played.outcome.winner is not side.other:
            return
        game, opening = self.settings.game, self.settings.opening(number)
        values = {
            at: value
            for at, value in enumerate(played.values)
            if at % 2 == first_is_light and at >= len(opening)
        }
        wrong = first_wrong(values)
        self._lessons.add(Lesson(game, side, played.moves, len(opening), wrong))

    def _submit(self, executor: Any, number: int) -> Future[PlayedGame]:
        board = None if self._boards is None else self._boards / str(number)
        future: Future[PlayedGame] = executor.submit(
            play_in_worker, self.settings.table, number, self.settings.opening(number), board
        )
        return future

    @property
    def boards(self) -> dict[int, tuple[Move, ...]]:
        """The moves so far of the games that are being played, by their numbers.

        Empty unless they are watched.
        """
        found = {}
        for file in [] if self._boards is None else self._boards.iterdir():
            # It may be in the middle of being replaced, or be gone with the end of its game.
            with suppress(OSError, FivebookError, ValueError):
                moves = self.settings.game.parse_line(file.read_text())
                found[int(file.name)] = tuple(moves)
        return dict(sorted(found.items()))

    def _count_pairs(self) -> None:
        """Count the pairs that are complete, in order, as long as no verdict is reached."""
        games = self._folder.games
        while not self.complete and {self.counted, self.counted + 1} <= games.keys():
            self.tally.add_pair((games[self.counted], games[self.counted + 1]))

    def _record(self, number: int) -> GameRecord:
        settings = self.settings
        played = self._folder.games[number]
        second_is_dark = bool(number % 2) != played.swapped
        dark, light = settings.names[::-1] if second_is_dark else settings.names
        return GameRecord(
            game=settings.game,
            dark=dark,
            light=light,
            moves=played.moves,
            outcome=played.outcome,
            ending=played.ending,
            opening=len(settings.opening(number)),
        )


def _result(future: Future[PlayedGame]) -> PlayedGame:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise WorkerKilled(
            "a job was killed, perhaps for lack of memory; the same command goes on from here"
        ) from error

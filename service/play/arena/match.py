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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib.externals.loky.process_executor import BrokenProcessPool

from book.closing import Closing
from book.processes import workers
from engine import __version__
from engine.errors import FivebookError
from engine.game import Game
from engine.search import Limits
from service.play.arena.folder import MatchFolder
from service.play.arena.openings import Opening
from service.play.arena.referee import PlayedGame
from service.play.arena.statistics import Sprt, SprtVerdict
from service.play.arena.tally import Tally
from service.play.arena.workers import play_in_worker
from service.play.records import GameRecord

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
        }


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

    `finished` games are stored in the folder, of which those in `tally` count. `played` is the
    number of games of this invocation, and `seconds` the time it took for them.

    Raises:
        MatchFolderError: if the folder holds another match, is in use or cannot be written.
    """

    def __init__(
        self, settings: MatchSettings, planned: int, sprt: Sprt | None, folder: Path
    ) -> None:
        self.settings = settings
        self.planned = planned
        self.sprt = sprt
        self.tally = Tally()
        self.played = 0
        self.seconds = 0.0
        self._stopping = False
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

    def play(self, jobs: int, report: Callable[["Match"], None] = lambda match: None) -> None:
        """Play what is left, `jobs` games at a time, until the match is complete or `stop` is
        called. `report` is called several times a second.

        Raises:
            MatchFolderError: if a game cannot be stored; what was stored before is safe.
            WorkerKilled: if one is.
        """
        if self.complete:
            return
        started = time.monotonic()
        waiting = (n for n in range(self.planned) if n not in self._folder.games)
        running: dict[Future[PlayedGame], int] = {}
        with workers(jobs) as executor:
            while not self._stopping and not self.complete:
                for _, number in zip(range(jobs - len(running)), waiting, strict=False):
                    running[self._submit(executor, number)] = number
                done, _ = wait(running, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    self._folder.add(running.pop(future), _result(future))
                    self.played += 1
                self._count_pairs()
                self.seconds = time.monotonic() - started
                report(self)

    def _submit(self, executor: Any, number: int) -> Future[PlayedGame]:
        settings = self.settings
        future: Future[PlayedGame] = executor.submit(
            play_in_worker,
            settings.game.id,
            settings.players,
            settings.names,
            settings.limits,
            settings.opening(number),
            number % 2 == 1,
            settings.margin,
        )
        return future

    def _count_pairs(self) -> None:
        """Count the pairs that are complete, in order, as long as no verdict is reached."""
        games = self._folder.games
        while not self.complete and {self.counted, self.counted + 1} <= games.keys():
            self.tally.add_pair((games[self.counted], games[self.counted + 1]))

    def _record(self, number: int) -> GameRecord:
        settings = self.settings
        played = self._folder.games[number]
        dark, light = settings.names if number % 2 == 0 else settings.names[::-1]
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

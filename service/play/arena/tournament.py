"""Matches that are played in turn, and each player against each."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from pathlib import Path

from book.lessons import Lessons
from service.play.arena.match import Match, MatchSettings
from service.play.arena.referee import Forfeit
from service.play.arena.statistics import Sprt
from service.play.arena.tally import Results

_HOME = Path("matches")


class Tournament:
    """Plays a match for each of the `settings`, in its folder, one after the other.

    `matches` are those that have begun; all but the one that is being played are closed. Of each
    the games that its first player loses are added to `lessons`.
    """

    def __init__(
        self,
        settings: Mapping[Path, MatchSettings],
        games: int,
        sprt: Sprt | None = None,
        lessons: Lessons | None = None,
    ) -> None:
        self.matches: list[Match] = []
        self._settings = settings
        self._games = games
        self._sprt = sprt
        self._lessons = lessons
        self._stopping = False

    @property
    def complete(self) -> bool:
        """Whether no game is left to play."""
        begun = len(self.matches) == len(self._settings)
        return begun and all(match.complete for match in self.matches)

    def stop(self) -> None:
        """Have `play` return in a moment, without the games that are being played."""
        self._stopping = True
        for match in self.matches:
            match.stop()

    def play(self, jobs: int, report: Callable[[Match], None], *, is_watched: bool = False) -> None:
        """Play what is left, as `Match.play` does."""
        for folder, settings in self._settings.items():
            with Match(settings, self._games, self._sprt, folder, self._lessons) as match:
                self.matches.append(match)
                # From here on `stop` reaches the match; it may have been called before.
                if not self._stopping:
                    match.play(jobs, report, is_watched=is_watched)
            if self._stopping:
                return


@dataclass(frozen=True, slots=True)
class Row:
    """A player's line of a cross table. Of `results` its own, on the diagonal, is None.

    `forfeits` are of all its games.
    """

    player: str
    results: tuple[Results | None, ...]
    forfeits: Counter[Forfeit]

    @property
    def total(self) -> Results:
        """The results against all others."""
        return sum(filter(None, self.results), Results())


Pair = tuple[int, int]
"""The numbers of two players who play a match."""


def round_robin(players: int) -> list[Pair]:
    """Each of so many players against each."""
    return list(combinations(range(players), 2))


def gauntlet(players: int) -> list[Pair]:
    """The first of so many players against each of the others."""
    return [(0, other) for other in range(1, players)]


def cross_table(
    names: Sequence[str], matches: Sequence[Match], pairs: Sequence[Pair] | None = None
) -> list[Row]:
    """The players by their points, most first; columns are in the order of the rows.

    The matches are those of `pairs`, by default of a round robin; the last may be missing.
    """
    players = range(len(names))
    pairs = round_robin(len(names)) if pairs is None else pairs
    results = {(i, j): Results() for i in players for j in players if i != j}
    forfeits = [Counter[Forfeit]() for _ in players]
    for (i, j), match in zip(pairs, matches, strict=False):
        results[i, j] = match.tally.total
        results[j, i] = -match.tally.total
        for player, of_match in zip((i, j), match.tally.forfeits, strict=True):
            forfeits[player].update(of_match)
    points = [sum(results[i, j].points for j in players if i != j) for i in players]
    order = sorted(players, key=lambda i: -points[i])
    return [Row(names[i], tuple(results.get((i, j)) for j in order), forfeits[i]) for i in order]


def default_folder(label: str, settings: Sequence[MatchSettings]) -> Path:
    """Where matches are stored if nobody says otherwise: the same for the same settings."""
    text = json.dumps([each.as_dict() for each in settings])
    digest = blake2b(text.encode(), digest_size=4).hexdigest()
    return _HOME / f"{label}-{settings[0].game.id}-{digest}"

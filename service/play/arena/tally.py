"""What games come to: results, pairs, forfeits, and what the players spent."""

from collections import Counter
from dataclasses import dataclass, field

from engine.game import Outcome
from engine.position import Move
from service.play.arena.referee import Effort, Forfeit, PlayedGame
from service.play.arena.statistics import NO_PAIRS, PairCounts, with_pair

# Half points of dark and light.
_HALF_POINTS = {Outcome.DARK_WINS: (2, 0), Outcome.DRAW: (1, 1), Outcome.LIGHT_WINS: (0, 2)}


@dataclass(frozen=True, slots=True)
class Results:
    """Numbers of games by their result for one player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of all games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half of one for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Points a game, from 0 to 1; None before the first one."""
        return self.points / self.games if self.games else None

    def __add__(self, other: "Results") -> "Results":
        return Results(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def __neg__(self) -> "Results":
        """The opponent's results."""
        return Results(self.losses, self.draws, self.wins)


_RESULT_OF = (Results(losses=1), Results(draws=1), Results(wins=1))


@dataclass(slots=True)
class Tally:
    """The games of a match that count.

    Results and pairs are from the first player's point of view; of efforts and forfeits each
    player has their own, the first player's first. `lines` are the moves of the games: of games
    that repeat each other all count, though they tell no more than one.
    """

    as_dark: Results = Results()
    as_light: Results = Results()
    pairs: PairCounts = NO_PAIRS
    efforts: list[Effort] = field(default_factory=lambda: [Effort(), Effort()])
    forfeits: list[Counter[Forfeit]] = field(default_factory=lambda: [Counter(), Counter()])
    lines: set[tuple[Move, ...]] = field(default_factory=set)

    @property
    def total(self) -> Results:
        """The results with either colour."""
        return self.as_dark + self.as_light

    def add_pair(self, games: tuple[PlayedGame, PlayedGame]) -> None:
        """Count two games from one opening, of which the first player began the first as dark."""
        points = 0
        for number, played in enumerate(games):
            colour = number ^ played.swapped
            own = _HALF_POINTS[played.outcome][colour]
            points += own
            if colour == 0:
                self.as_dark += _RESULT_OF[own]
            else:
                self.as_light += _RESULT_OF[own]
            self.lines.add(played.moves)
            self._add_efforts(played, colour)
        self.pairs = with_pair(self.pairs, points)

    def _add_efforts(self, played: PlayedGame, first: int) -> None:
        """`first`: the colour of the first player, 0 for dark."""
        for colour, effort in enumerate(played.efforts):
            self.efforts[colour ^ first] += effort
        if played.forfeit is not None:
            light_lost = played.outcome is Outcome.DARK_WINS
            self.forfeits[light_lost ^ first][played.forfeit] += 1

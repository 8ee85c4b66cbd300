"""What the routes of the API share: whom they ask, and for how long."""

from dataclasses import dataclass
from functools import lru_cache

from engine import registry
from engine.search import Limits
from service.answerer import Answerer
from service.http.examples import Examples
from service.http.questions import GamePosition
from service.http.settings import Settings
from service.inquiry import Inquiry

# The same positions are asked for again and again. Long texts would take much memory.
_read_before = lru_cache(4096)(Inquiry.read)
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Asking:
    """Puts the questions of HTTP to `answerer`, by the rules in `settings`."""

    answerer: Answerer
    settings: Settings

    @property
    def examples(self) -> Examples:
        """Examples for the description, of the game that is served, or else of any."""
        held = self.answerer.games or (registry.get(registry.families()[0].examples[0]),)
        return Examples(held[0])

    def seconds(self, movetime: float | None) -> float:
        """The time of a live search for a movetime in milliseconds, or for none given.

        It is shared with those who wait: with as many of them as may search at once it is half.
        """
        wanted = self.settings.movetime if movetime is None else movetime / 1000
        wanted = min(wanted, self.settings.movetime_cap)
        live = self.answerer.live
        shared = wanted * live.at_once / (live.at_once + live.waiting)
        return max(shared, min(wanted, self.settings.movetime_floor))

    def inquiry(self, question: GamePosition) -> Inquiry:
        """What `question` is about.

        Raises:
            UnknownGame: if there is no game of its id.
            GameNotNamed: if it names none, and the books do not hold exactly one.
            InvalidMove: if a part of its moves is no move.
            IllegalMove: if one of them cannot be played.
        """
        read = _read_before if len(question.moves) <= _LONGEST else Inquiry.read
        return read(self.answerer.game(question.game), question.moves)

    def limits(self, movetime: float | None) -> Limits:
        """The limits of a live search; see `seconds`."""
        return Limits(movetime=self.seconds(movetime))

"""The engine with a book."""

from book.reader import BookReader
from book.storage.address import AnyAddress
from engine.clock import Clock
from engine.players.base import Choice, Player
from engine.position import Position
from service.play.variety import ALWAYS_THE_BEST, Variety


class BookPlayer(Player):
    """Plays a good move of the book at `address`, and asks `engine` where the book ends.

    Which of the good moves is left to `variety`; without any it is the best one.

    Raises:
        BookError: if the book cannot be opened.
    """

    name = "engine with a book"

    def __init__(
        self, address: AnyAddress, engine: Player, variety: Variety = ALWAYS_THE_BEST
    ) -> None:
        self.game = engine.game
        self.movetime = engine.movetime
        self.engine = engine
        self.address = address
        self.variety = variety
        self._game_number = 0
        self._reader = BookReader(address)

    @property
    def holds_the_game(self) -> bool:
        """Whether the book has positions of the game that is played."""
        return self.game in self._reader.games

    def begin_game(self, number: int) -> None:
        """Have seeded choices be those of the game of this number from now on."""
        self._game_number = number

    def choose(self, position: Position) -> Choice:
        return self._from_book(position) or self.engine.choose(position)

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        return self._from_book(position) or self.engine.choose_by_clock(position, clock)

    def _from_book(self, position: Position) -> Choice | None:
        best_only = self.variety.margin == 0
        entry = self._reader.get(self.game, position, lines=0, best_only=best_only)
        if entry is None:
            return None
        chosen = self.variety.choose(entry.moves, position, self._game_number)
        return Choice(chosen.move, chosen.value, chosen.depth)

    def close(self) -> None:
        self._reader.close()
        self.engine.close()

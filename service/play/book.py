"""The engine with a book."""

from book.reader import BookReader
from book.storage.address import AnyAddress
from engine.clock import Clock
from engine.players.base import Choice, Player
from engine.position import Position


class BookPlayer(Player):
    """Plays the best move of the book at `address`, and asks `player` where the book ends.

    Raises:
        BookError: if the book cannot be opened.
    """

    name = "engine with a book"

    def __init__(self, address: AnyAddress, player: Player) -> None:
        self.game = player.game
        self.movetime = player.movetime
        self._player = player
        self._reader = BookReader(address)

    def choose(self, position: Position) -> Choice:
        return self._from_book(position) or self._player.choose(position)

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        return self._from_book(position) or self._player.choose_by_clock(position, clock)

    def _from_book(self, position: Position) -> Choice | None:
        entry = self._reader.get(self.game, position, lines=0, best_only=True)
        return None if entry is None else Choice(entry.moves[0].move, entry.value, entry.depth)

    def close(self) -> None:
        self._reader.close()
        self._player.close()

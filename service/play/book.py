"""The engine with a book."""

from collections.abc import Sequence
from pathlib import Path

from book.entry import BookMove, Entry
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine.clock import Clock
from engine.players.base import Choice, Player
from engine.position import Position
from service.play.arena.openings import read_openings
from service.play.variety import ALWAYS_THE_BEST, Variety, is_lost, is_won


class BookPlayer(Player):
    """Plays a good move of the book at `address`, and asks `engine` where the book ends.

    If the game leaves the book as that expected, the engine begins with the rest of what it did.
    Which of the good moves is left to `variety`; without any it is the best one. Where all of the
    book's moves are excluded, it is asked for none.

    Raises:
        BookError: if the book cannot be opened.
        InvalidOpenings: if the file of what is excluded cannot be read.
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
        excluded = read_openings(self.game, Path(variety.excluded)) if variety.excluded else ()
        ends = map(self.game.play_line, excluded)
        self._excluded = {self.game.canonical(position).key for position in ends}
        self._game_number = 0
        self._last: tuple[Position, BookMove] | None = None
        self._reader = BookReader(address)

    @property
    def holds_the_game(self) -> bool:
        """Whether the book has positions of the game that is played."""
        return self.game in self._reader.games

    def begin_game(self, number: int) -> None:
        """Have seeded choices be those of the game of this number from now on."""
        self._game_number = number

    def choose(self, position: Position) -> Choice:
        return self._from_book(position) or self._informed(position).choose(position)

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        known = self._from_book(position)
        return known or self._informed(position).choose_by_clock(position, clock)

    def _informed(self, position: Position) -> Player:
        """The engine, told what the book expects here if its last move went on as it expected."""
        last, self._last = self._last, None
        if last is not None:
            before, move = last
            went, line = move.line[:2], move.line[2:]
            if line and self.game.play_line(went, before) == position:
                self.engine.expect(position, line, move.value, move.depth - len(went))
        return self.engine

    def _from_book(self, position: Position) -> Choice | None:
        best_only = self.variety.margin == 0 and not self._excluded
        entry = self._reader.get(self.game, position, lines=0, best_only=best_only)
        moves = self._allowed(entry, position)
        if not moves:
            return None
        chosen = self.variety.choose(moves, position, self._game_number)
        self._last = position, chosen
        return Choice(chosen.move, chosen.value, chosen.depth)

    def _allowed(self, entry: Entry | None, position: Position) -> Sequence[BookMove]:
        if entry is None:
            return ()
        if not self._excluded or is_won(entry.moves[0]):
            return entry.moves
        game = self.game
        allowed = [
            each
            for each in entry.moves
            if game.canonical(game.play(position, each.move)).key not in self._excluded
        ]
        # Whatever is prepared there, it is no worse than to be lost.
        return entry.moves if allowed and all(map(is_lost, allowed)) else allowed

    def close(self) -> None:
        self._reader.close()
        self.engine.close()

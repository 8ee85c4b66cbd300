"""The engine with a book."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from book.entry import BookMove, Entry
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine.clock import Clock
from engine.players.base import Choice, Player
from engine.position import Move, Position
from engine.values import Value, from_child
from service.play.arena.openings import read_openings
from service.play.variety import ALWAYS_THE_BEST, Variety, is_lost, is_won

# They take some milliseconds.
_MOST_LOOKUPS = 100


class _End(NamedTuple):
    """A position in which the best reply, or every one, leads out of the book.

    `line` is what the book expects there, `value` the value of that for the player who moves next
    but one, and `depth` what of its search is behind the reply.
    """

    position: Position
    line: tuple[Move, ...]
    value: Value
    depth: int


class BookPlayer(Player):
    """Plays a good move of the book at `address`, and asks `engine` where the book ends.

    If the game leaves the book as that expected, the engine begins with the rest of what it did;
    where each move has a time of its own, it has thought of that while the last book move was made.
    Which of the good moves is left to `variety`; without any it is the best one, unless the engine
    may search for longer than has been done for the book there. Where all of the book's moves are
    excluded, it is asked for none.

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
        self._end: _End | None = None
        self._reader = BookReader(address)

    @property
    def holds_the_game(self) -> bool:
        """Whether the book has positions of the game that is played."""
        return self.game in self._reader.games

    def begin_game(self, number: int) -> None:
        """Have seeded choices be those of the game of this number from now on."""
        self._game_number = number

    def choose(self, position: Position) -> Choice:
        known = self._from_book(position, None)
        if known is None:
            return self._informed(position).choose(position)
        if self._end is not None:
            self.engine.look_ahead(self._end.position)
        return known

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        known = self._from_book(position, clock)
        return known or self._informed(position).choose_by_clock(position, clock)

    def _informed(self, position: Position) -> Player:
        """The engine, told what the book expects here if it ended as it expected."""
        end, self._end = self._end, None
        if end and len(end.line) > 1 and self.game.play(end.position, end.line[0]) == position:
            self.engine.expect(position, end.line[1:], end.value, end.depth)
        return self.engine

    def _end_after(self, position: Position, move: BookMove) -> _End | None:
        """Where the book ends after `move`, None if it goes on or the game is decided."""
        if move.proven:
            return None
        after = self.game.play(position, move.move)
        if not move.in_book:
            return _End(after, move.line[1:], move.value, move.depth - 2)
        entry = self._reader.get(self.game, after, lines=0, best_only=True)
        reply = entry and entry.moves[0]
        if reply is None or reply.in_book or reply.proven:
            return None
        return _End(after, reply.line, from_child(reply.value), reply.depth - 1)

    def _from_book(self, position: Position, clock: Clock | None) -> Choice | None:
        best_only = self.variety.margin == 0 and not self._excluded
        entry = self._reader.get(self.game, position, lines=0, best_only=best_only)
        moves = self._allowed(entry, position)
        if entry is None or not moves:
            return None
        if best_only and self._is_outdone(position, entry, clock):
            self._end = None
            best = self._reader.find(self.game, position, best_only=True).moves[0]
            self.engine.expect(position, best.line, best.value, best.depth)
            return None
        chosen = self.variety.choose(moves, position, self._game_number)
        self._end = self._end_after(position, chosen)
        return Choice(chosen.move, chosen.value, chosen.depth)

    def _is_outdone(self, position: Position, entry: Entry, clock: Clock | None) -> bool:
        """Whether the engine may make more nodes in `position` than all searches of it, and of
        what follows it in the book, have made together. It may not where `_MOST_LOOKUPS` follow.
        """
        left = self.engine.nodes_for(position, clock)
        if left is None or entry.proven or entry.nodes >= left:
            # As a rule, where moves are short: no other lookup is needed.
            return False
        for looks, searched in enumerate(self._searched(position), 1):
            left -= searched.nodes
            if left <= 0 or looks == _MOST_LOOKUPS:
                return False
        return True

    def _searched(self, position: Position) -> Iterator[Entry]:
        """The entries of `position` and of all stored positions that follow, the nearest first."""
        positions, seen = [position], set()
        for following in positions:
            key = self.game.canonical(following).key
            if key in seen or (entry := self._reader.get(self.game, following, lines=0)) is None:
                continue
            yield entry
            seen.add(key)
            moves = (each.move for each in entry.moves if each.in_book)
            positions += [self.game.play(following, move) for move in moves]

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

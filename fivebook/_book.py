"""Books from Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

from book.closing import Closing
from book.errors import PositionNotFound
from engine import registry
from engine.game import Game
from engine.position import Position
from engine.values import Bound, distance
from fivebook._games import Moves, MoveText, after, notation, read_line
from service.answers import win_rate
from service.errors import GameNotNamed

if TYPE_CHECKING:
    from os import PathLike

    from book.entry import BookMove, Entry
    from book.reader import BookReader
    from service.notated import NotatedImports

_Default = TypeVar("_Default")


@dataclass(frozen=True, slots=True)
class KnownMove:
    """A move that a book knows, with its value for the side to move.

    `value` is in centi-units: 100 is a winning chance of about 56 %. `bound` tells whether it is
    exact, or the true value is at least (lower) or at most (upper) this. `proven` holds where
    the value is the game's own truth, and not an estimate. `uncertainty` is by how much `win_rate`
    may well be wrong, None where nobody has measured it. `depth` is that of the search behind the
    value, in plies. `in_book` tells whether the position after the move is stored. `line` is
    what the book expects, from `move` on; beyond the best moves it may be the move alone.
    """

    move: MoveText
    value: int
    bound: Bound
    proven: bool
    uncertainty: float | None
    depth: int
    in_book: bool
    line: tuple[MoveText, ...]

    @property
    def win_rate(self) -> float:
        """The chance, 0 to 1, that the side to move wins, a draw counting one half."""
        return win_rate(self.value, self.proven)

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss; None for any other value."""
        return distance(self.value) if self.proven else None


@dataclass(frozen=True)
class BookEntry:
    """What a book knows of a position, in the orientation in which it was asked for.

    `game` is the game's id. `value`, `bound` and `proven` are those of the best move, for the
    side to move; see `KnownMove`. `depth` (plies), `nodes` and `seconds` are those of the last
    search of this very position. `imported` is what files say of it that were imported into the
    book: how often it was played and how that ended, the same for each move, and hints.
    """

    game: str
    value: int
    bound: Bound
    proven: bool
    depth: int
    nodes: int
    seconds: float
    _stored: tuple[BookMove, ...] = field(repr=False)
    _notation: tuple[MoveText, ...] = field(repr=False, compare=False)
    imported: NotatedImports | None = None

    @cached_property
    def moves(self) -> tuple[KnownMove, ...]:
        """The moves that the book knows, best first; of those equal by symmetry there is one.

        They are made when they are first asked for, since most callers need few of them.
        """
        names, accuracy = self._notation, registry.get(self.game).accuracy
        return tuple(
            KnownMove(
                names[move.move],
                move.value,
                move.bound,
                move.proven,
                accuracy.uncertainty(move.depth, move.proven),
                move.depth,
                move.in_book,
                tuple(names[each] for each in move.line),
            )
            for move in self._stored
        )

    @property
    def uncertainty(self) -> float | None:
        """By how much `win_rate` may well be wrong; None where nobody has measured it."""
        depth = self._stored[0].depth
        return registry.get(self.game).accuracy.uncertainty(depth, self.proven)

    @property
    def best(self) -> MoveText:
        """The best move."""
        return self._notation[self._stored[0].move]

    @property
    def line(self) -> tuple[MoveText, ...]:
        """What the book expects from here on, beginning with the best move."""
        return tuple(self._notation[move] for move in self._stored[0].line)

    @property
    def win_rate(self) -> float:
        """The chance, 0 to 1, that the side to move wins, a draw counting one half."""
        return win_rate(self.value, self.proven)

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss; None for any other value."""
        return distance(self.value) if self.proven else None


class Book(Closing):
    """An open book; see `open_book`. A context manager, which threads may share.

    What a builder adds is seen by the next lookup, and neither waits for the other.
    """

    def __init__(self, reader: BookReader) -> None:
        self._reader = reader

    def __repr__(self) -> str:
        return f"<fivebook.Book '{self.address}'>"

    @property
    def address(self) -> str:
        """Where the book is, without any password."""
        return str(self._reader.address)

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games in the book."""
        return tuple(game.id for game in self._reader.games)

    def positions(self, game: str | None = None) -> int:
        """The number of stored positions of `game`, by default of all games."""
        chosen = self._reader.games if game is None else [registry.get(game)]
        return sum(map(self._reader.positions, chosen))

    def lookup(self, moves: Moves = "", *, game: str | None = None, lines: int = 1) -> BookEntry:
        """What the book knows of the position after `moves`.

        The `lines` best moves have their lines, which cost a further lookup a ply. `game` is
        needed where the book holds several.

        >>> with open_book("gomoku.db") as book:
        ...     entry = book.lookup("h8 i9")
        ...     for known in entry.moves[:2]:
        ...         print(known.value, *known.line)
        773 i10 g10 j9 j8 h9 h10 g11 g8
        616 h9

        Raises:
            PositionNotFound: if the book does not hold the position.
            InvalidMove: if one of `moves` cannot be read.
            IllegalMove: if one of them cannot be played.
            GameNotNamed: if `game` is not given, and the book holds several.
            BookError: if the book cannot be read.
        """
        rules = self._game(game)
        line = read_line(rules, moves)
        stored = self._found(rules, line, lines=lines)
        return _entry(rules, stored, self._imported(rules, stored.position))

    def imported(self, moves: Moves = "", *, game: str | None = None) -> NotatedImports | None:
        """What was imported into the book of the position after `moves`, None if nothing.

        The book need not have searched it. Counts are of games, `hints` of what files claim, which
        proves nothing.

        Raises:
            InvalidMove, IllegalMove, GameNotNamed, BookError: as `lookup`.
        """
        rules = self._game(game)
        return self._imported(rules, rules.play_line(read_line(rules, moves)))

    @overload
    def get(
        self, moves: Moves = "", default: None = None, *, game: str | None = None, lines: int = 1
    ) -> BookEntry | None: ...

    @overload
    def get(
        self, moves: Moves, default: _Default, *, game: str | None = None, lines: int = 1
    ) -> BookEntry | _Default: ...

    def get(
        self, moves: Moves = "", default: object = None, *, game: str | None = None, lines: int = 1
    ) -> object:
        """As `lookup`; `default` if the book does not hold the position.

        >>> with open_book("gomoku.db") as book:
        ...     print(book.get("a1 a2 a3"))
        None
        """
        rules = self._game(game)
        position = rules.play_line(read_line(rules, moves))
        stored = self._reader.get(rules, position, lines=lines)
        if stored is None:
            return default
        return _entry(rules, stored, self._imported(rules, position))

    def best(self, moves: Moves = "", *, game: str | None = None) -> MoveText:
        """The best move after `moves`: several times as fast as `lookup`, and as it raises.

        >>> with open_book("gomoku.db") as book:
        ...     print(book.best("h8 i9"))
        i10
        """
        rules = self._game(game)
        entry = self._found(rules, read_line(rules, moves), lines=0, best_only=True)
        return notation(rules)[entry.moves[0].move]

    def close(self) -> None:
        """Let go of the book."""
        self._reader.close()

    def _imported(self, game: Game, position: Position) -> NotatedImports | None:
        from service.notated import NotatedImports

        found = self._reader.imported(game, position)
        return None if found is None else NotatedImports.of(notation(game), found)

    def _game(self, game_id: str | None) -> Game:
        if game_id is not None:
            return registry.get(game_id)
        held = self._reader.games
        if len(held) == 1:
            return held[0]
        names = " and ".join(game.id for game in held)
        raise GameNotNamed(f"name the game: '{self.address}' holds {names or 'none yet'}")

    def _found(self, game: Game, line: list[int], *, lines: int, best_only: bool = False) -> Entry:
        position = game.play_line(line)
        stored = self._reader.get(game, position, lines=lines, best_only=best_only)
        if stored is None:
            raise PositionNotFound(f"'{self.address}' does not hold {game.id} {after(game, line)}")
        return stored


def open_book(address: str | PathLike[str]) -> Book:
    """Open the book at `address` for reading: a file's path, or a PostgreSQL database.

    That is written ``postgresql://USER@HOST/DATABASE``. No byte of the book changes.

    >>> with open_book("gomoku.db") as book:
    ...     print(*book.games)
    gomoku-15

    Raises:
        BookMissing: if there is none.
        BookError: if it is something else, damaged, or of a later version.
    """
    from os import fspath

    from book.reader import BookReader

    return Book(BookReader(fspath(address)))


def _entry(game: Game, stored: Entry, imported: NotatedImports | None) -> BookEntry:
    return BookEntry(
        game.id,
        stored.value,
        stored.bound,
        stored.proven,
        stored.depth,
        stored.nodes,
        stored.seconds,
        stored.moves,
        notation(game),
        imported,
    )

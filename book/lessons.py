"""The lessons of a book: games that were lost with it, and what it has learnt from them.

They lie in a file beside it. Matches and tournaments note the games, and the builder what the book
would play by now instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from book.beside import reading, writing_alone
from book.errors import BookUnreadable
from book.storage.address import Address, AnyAddress
from engine.errors import FivebookError
from engine.game import Game
from engine.position import Move, Side

_NAME = "lessons"
_COLUMNS = {
    "game": str,
    "side": str,
    "line": str,
    "first": int,
    "wrong": int,
    "learnt": int,
    "instead": str,
}
_PLACE = "game = ? AND side = ? AND line = ?"
# Enough for weeks of matches; who loses more has to learn first.
_MOST = 10_000

# Who loses the same game again has not learnt.
_ADD = (
    "INSERT INTO lessons (game, side, line, first, wrong) SELECT ?, ?, ?, ?, ? "
    f"WHERE (SELECT count(*) FROM lessons WHERE learnt IS NULL) < {_MOST} "
    "ON CONFLICT (game, side, line) DO UPDATE SET learnt = NULL, instead = NULL"
)
_LEARN = f"UPDATE lessons SET learnt = ?, instead = ? WHERE {_PLACE}"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A game that `side` has lost.

    Its first `first` moves were given and nobody's choice. `wrong` is the index of the move of
    `side` with which its value first went wrong, by its own searches; None where these did not see
    it coming. Once the book has learnt, `learnt` is the index of the move that it would not play
    again, and `instead` the one that it would, in the game's orientation; None where it has found
    none that is better.
    """

    game: Game
    side: Side
    moves: tuple[Move, ...]
    first: int = 0
    wrong: int | None = None
    learnt: int | None = None
    instead: Move | None = None


class Lessons:
    """The lessons of `book`; the file is made by the first that is added."""

    def __init__(self, book: AnyAddress) -> None:
        self.path = Address.of(book).beside(_NAME)

    def add(self, lesson: Lesson) -> None:
        """Add a lost game, from which the book is to learn, also if it had learnt from it before.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        with writing_alone(self.path) as connection:
            table = Database(connection).table(_NAME)
            table.create(_COLUMNS, pk=("game", "side", "line"), if_not_exists=True)
            connection.execute(_ADD, (*_place(lesson), lesson.first, lesson.wrong))

    def waiting(self, game: Game, most: int = _MOST) -> list[Lesson]:
        """Up to `most` of `game` from which the book has not learnt, the oldest first.

        Raises:
            BookUnreadable: if the file cannot be read, or holds what is no game.
        """
        return self._read(game, "learnt IS NULL", most)

    def learnt(self, game: Game) -> list[Lesson]:
        """Those of `game` from which it has, the oldest first.

        Raises:
            BookUnreadable: if the file cannot be read, or holds what is no game.
        """
        return self._read(game, "learnt IS NOT NULL", None)

    def learn(self, lesson: Lesson, at: int, instead: Move | None) -> None:
        """Note what the book has learnt from a lesson, as that has it.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        move = "" if instead is None else lesson.game.format_move(instead)
        with writing_alone(self.path) as connection:
            connection.execute(_LEARN, (at, move, *_place(lesson)))

    def _read(self, game: Game, where: str, most: int | None) -> list[Lesson]:
        if not self.path.exists():
            return []
        with reading(self.path) as database:
            table = database.table(_NAME)
            rows = table.rows_where(
                f"game = ? AND {where}", [game.id], order_by="rowid", limit=most
            )
            return list(_lessons(game, rows, self.path)) if table.exists() else []


def _place(lesson: Lesson) -> tuple[str, str, str]:
    """What tells a lesson from all others."""
    game = lesson.game
    return game.id, lesson.side.value, game.format_line(lesson.moves)


def _lessons(game: Game, rows: Iterator[dict[str, Any]], path: Path) -> Iterator[Lesson]:
    for row in rows:
        try:
            moves = tuple(game.parse_line(row["line"]))
            game.play_line(moves)
            lesson = Lesson(game, Side(row["side"]), moves, int(row["first"]), row["wrong"])
            if row["learnt"] is not None:
                instead = game.parse_move(row["instead"]) if row["instead"] else None
                lesson = replace(lesson, learnt=int(row["learnt"]), instead=instead)
        except (FivebookError, AttributeError, TypeError, ValueError):
            raise BookUnreadable(
                f"'{path}' is damaged: delete it, and its games are to be played again"
            ) from None
        yield lesson

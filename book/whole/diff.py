"""How two books differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import bindparam, not_, select

from book.errors import BookUnreadable
from book.rows.encoding import BOUNDS, AnyRow, move_width, unpack_line
from book.rows.propagation import BookValue, cannot_be_worth
from book.storage.revisions import has_imports
from book.storage.schema import games, moves, positions, sources
from book.whole.moment import Moment, all_games, side_by_side
from engine.game import Game
from engine.position import Move
from engine.values import from_child

_child = positions.alias("child")
_best_child = (
    select(_child.c.value, moves.c.move)
    .select_from(moves.join(_child, _child.c.id == moves.c.child))
    .where(moves.c.parent == positions.c.id, not_(cannot_be_worth(_child)))
    .order_by(_child.c.value, moves.c.move)
    .limit(1)
    .correlate(positions)
)
_by_key = (
    select(
        *(positions.c[name] for name in ("lookup", "stones", "ply", "value", "bound", "proven")),
        *(positions.c[name] for name in ("rest_value", "rest_line")),
        _best_child.with_only_columns(_child.c.value).scalar_subquery().label("child_value"),
        _best_child.with_only_columns(moves.c.move).scalar_subquery().label("child_move"),
    )
    .where(positions.c.game == bindparam("game"))
    .order_by(positions.c.lookup, positions.c.stones)
)

_sources = select(games.c.name.label("game"), sources.c.name, sources.c.fingerprint).join(games)


class Comparison(StrEnum):
    """How a position of two books compares."""

    SAME = "same"
    DIFFERENT = "different"
    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one book says of a position: its value and its best move, in canonical orientation."""

    value: BookValue
    move: Move


@dataclass(frozen=True, slots=True)
class Compared:
    """A canonical position and what each of two books says of it, None if it is not in there."""

    game: Game
    ply: int
    stones: bytes
    first: Opinion | None
    second: Opinion | None

    @property
    def kind(self) -> Comparison:
        """What the difference is, if there is any."""
        if self.first is None:
            return Comparison.ONLY_SECOND
        if self.second is None:
            return Comparison.ONLY_FIRST
        return Comparison.SAME if self.first == self.second else Comparison.DIFFERENT


def compare(first: Moment, second: Moment) -> Iterator[Compared]:
    """Every position that one of two books holds, by game and key."""
    books = (first, second)
    for game in all_games(books):
        for rows in side_by_side(books, game, _by_key):
            row = next(iter(rows.values()))
            opinions = [
                _opinion(game, rows[at], book) if at in rows else None
                for at, book in enumerate(books)
            ]
            yield Compared(game, row.ply, row.stones, *opinions)


@dataclass(frozen=True, slots=True, order=True)
class OneSided:
    """A file that was imported into one of two books alone, for a game."""

    game: str
    file: str
    kind: Comparison


def compare_imports(first: Moment, second: Moment) -> list[OneSided]:
    """The files that only one of two books has imported, whatever their names in the other."""
    here, there = _imported(first), _imported(second)
    return sorted(
        OneSided(game, name, kind)
        for mine, others, kind in (
            (here, there, Comparison.ONLY_FIRST),
            (there, here, Comparison.ONLY_SECOND),
        )
        for (game, fingerprint), name in mine.items()
        if (game, fingerprint) not in others
    )


def _imported(book: Moment) -> dict[tuple[str, str], str]:
    """The names of the imported files, by their games and fingerprints."""
    if not has_imports(book.connection):
        return {}
    return {(row.game, row.fingerprint): row.name for row in book.rows(_sources)}


def _opinion(game: Game, row: AnyRow, book: Moment) -> Opinion:
    # As `BookReader` orders moves: of equal ones the smallest is the best.
    options = []
    if row.child_move is not None:
        options.append((-from_child(row.child_value), row.child_move))
    if row.rest_line is not None:
        options.append((-row.rest_value, unpack_line(game, row.rest_line[: move_width(game)])[0]))
    if not options:
        raise BookUnreadable(
            f"'{book.address}' is damaged: a position has no move; fivebook repair mends it"
        )
    value = BookValue(row.value, BOUNDS[row.bound], bool(row.proven))
    return Opinion(value, min(options)[1])

"""Writing a book, or a part of it, as a file of the field.

The positions are those that the book has searched and those that were imported into it. They become
trees: each stands below one of the positions from which a move leads to it, the first in the order
of their stones. What no other leads to begins a tree of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO

from sqlalchemy import bindparam, select

from book.errors import BookUnreadable, InvalidRecord, PositionNotFound
from book.files.contents import LeftOut, Node, Noted
from book.files.format import Format, Writing
from book.rows.encoding import BOUNDS, AnyRow
from book.rows.imports import noted_of, require_written, united
from book.storage.revisions import has_imports
from book.storage.schema import imported, positions
from book.whole.moment import Moment
from engine.game import Game
from engine.position import Move, Position, cells_of
from engine.values import Bound, is_decisive

_stored = select(
    *(positions.c[name] for name in ("stones", "ply", "value", "bound", "proven", "depth"))
).where(positions.c.game == bindparam("game"))
_said = select(imported).where(imported.c.game == bindparam("game")).order_by(imported.c.id)
_WON, _LOST, _DRAWN = "w", "l", "d"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which positions of a game are written: all for which each of these holds.

    `below`: it is that position, or moves through other chosen ones lead from there to it. `plies`:
    it is no deeper. `least_depth`: its search was that deep, or it is proven. `proven`: it is. What
    was imported and not searched has no depth but that of its file, and is never proven.
    """

    below: Position | None = None
    plies: int | None = None
    least_depth: int = 0
    proven: bool = False


def write_book(
    book: Moment, game: Game, choice: Choice, form: Format, file: BinaryIO
) -> tuple[int, LeftOut]:
    """Write the chosen positions of `game` to `file`.

    Returns how many there were, and what the format could not take.

    Raises:
        PositionNotFound: if there are none.
        InvalidRecord: if the format cannot take this game.
    """
    assert form.write is not None
    if not form.holds(game):
        raise InvalidRecord(f"a {form.title} cannot hold {game.title}")
    trees = Trees(game, chosen(book, game, choice))
    if not trees.noted:
        raise PositionNotFound(f"'{book.address}' has no such position of {game.id}")
    writing = Writing(game, trees.nodes, lambda: iter(trees.noted.values()))
    form.write(writing, file)
    return len(trees.noted), writing.left_out


def chosen(book: Moment, game: Game, choice: Choice) -> dict[bytes, Noted]:
    """What a book knows, and what was imported, of the chosen positions by canonical stones."""
    found = dict(_searched(book, game, choice))
    for stones, noted in _imported(book, game):
        if stones in found:
            found[stones] = _joined(found[stones], noted)
        elif _is_wanted(noted, choice):
            found[stones] = noted
    if choice.below is None:
        return found
    return _below(game, found, choice.below)


def _searched(book: Moment, game: Game, choice: Choice) -> Iterator[tuple[bytes, Noted]]:
    for row in book.rows(_stored, game=book.numbers[game.id]):
        is_good = row.proven or (not choice.proven and row.depth >= choice.least_depth)
        if is_good and (choice.plies is None or row.ply <= choice.plies):
            yield row.stones, _noted(book, game, row)


def _noted(book: Moment, game: Game, row: AnyRow) -> Noted:
    try:
        position = game.unpack(row.stones)
    except ValueError as error:
        raise BookUnreadable(
            f"'{book.address}' is damaged: it has stones that are no position of {game.id}; "
            "fivebook repair mends it"
        ) from error
    bound = BOUNDS[row.bound]
    return Noted(game, position, row.value, bound, row.depth, label=_label(row))


def _label(row: AnyRow) -> str:
    """Won, lost or drawn for the side that has just moved, where that is proven."""
    if not row.proven:
        return ""
    if not is_decisive(row.value):
        return _DRAWN if BOUNDS[row.bound] is Bound.EXACT else ""
    return _LOST if row.value > 0 else _WON


def _imported(book: Moment, game: Game) -> Iterator[tuple[bytes, Noted]]:
    """What files say of each position, those of one position in one."""
    if not has_imports(book.connection):
        return
    found: dict[bytes, Noted] = {}
    for row in book.rows(_said, game=book.numbers[game.id]):
        require_written(row)
        noted = noted_of(game, row)
        found[row.stones] = united(found[row.stones], noted) if row.stones in found else noted
    yield from found.items()


def _joined(searched: Noted, said: Noted) -> Noted:
    """What a book found itself, with all of what files say that is no value."""
    return replace(
        searched,
        label=searched.label or said.label,
        comment=said.comment,
        results=said.results,
    )


def _is_wanted(noted: Noted, choice: Choice) -> bool:
    is_known = choice.plies is None or noted.position.ply <= choice.plies
    return is_known and not choice.proven and noted.depth >= choice.least_depth


def _below(game: Game, found: Mapping[bytes, Noted], position: Position) -> dict[bytes, Noted]:
    """Those of the positions that `position` leads to through others of them, and it itself."""
    top = game.canonical(position).stones
    reached = {top}
    for stones in sorted(found, key=lambda stones: (len(stones), stones)):
        if any(parent.stones in reached for parent in _parents(game, found[stones].position)):
            reached.add(stones)
    return {stones: noted for stones, noted in found.items() if stones in reached}


@dataclass(frozen=True, slots=True)
class _Parent:
    """A canonical position, and the move in it that leads to an image of another."""

    stones: bytes
    move: Move


def _parents(game: Game, position: Position) -> Iterator[_Parent]:
    for before, move in game.unplay(position):
        canonical = game.canonical(before)
        yield _Parent(canonical.stones, game.map_move(move, canonical.symmetry))


@dataclass(frozen=True, slots=True)
class _Open:
    """A node that is still to be told, in the orientation of its tree."""

    stones: bytes
    level: int
    move: Move | None
    position: Position
    path: tuple[Move, ...] | None
    has_sibling: bool


class Trees:
    """Positions of a game, by their canonical stones, as trees.

    Where moves on their own lead from the empty board to what begins a tree, these stand above it,
    with nothing noted: then there is one tree.
    """

    def __init__(self, game: Game, noted: Mapping[bytes, Noted]) -> None:
        self.noted = noted
        self._game = game
        self._children: dict[bytes, list[_Parent]] = {}
        self._roots: list[bytes] = []
        self._ways: set[bytes] = set()
        empty = game.canonical(game.initial).stones
        for stones in sorted(noted, key=lambda stones: (len(stones), stones)):
            if stones == empty:
                self._roots.append(stones)
            elif parent := self._parent(stones):
                self._children.setdefault(parent.stones, []).append(_Parent(stones, parent.move))
            elif not self._lead_to(stones):
                self._roots.append(stones)
        if self._ways and empty not in noted:
            self._roots.insert(0, empty)

    def nodes(self) -> Iterator[Node]:
        """All nodes, parents first and the best children first."""
        for root in self._roots:
            position = self._game.unpack(root)
            path = None if position.ply else ()
            yield from self._tree(_Open(root, 0, None, position, path, False))

    def _tree(self, root: _Open) -> Iterator[Node]:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            children = list(self._below(node))
            yield Node(
                node.level,
                node.move,
                node.position,
                self.noted.get(node.stones),
                node.path,
                bool(children),
                node.has_sibling,
            )
            waiting.extend(reversed(children))

    def _below(self, node: _Open) -> Iterator[_Open]:
        children = sorted(self._children.get(node.stones, ()), key=self._rank)
        back = self._game.inverse(self._game.canonical(node.position).symmetry)
        for count, child in enumerate(children, start=1):
            move = self._game.map_move(child.move, back)
            yield _Open(
                child.stones,
                node.level + 1,
                move,
                self._game.play(node.position, move),
                None if node.path is None else (*node.path, move),
                count < len(children),
            )

    def _rank(self, child: _Parent) -> tuple[bool, int, int, Move]:
        """What is worth least to the side to move was the best move; then what was played most."""
        noted = self.noted.get(child.stones)
        if noted is None or noted.value is None:
            return True, 0, -noted.results.games if noted else 0, child.move
        return False, noted.value, -noted.results.games, child.move

    def _parent(self, stones: bytes) -> _Parent | None:
        """Where a position is to stand: below the first of those that lead to it."""
        position = self._game.unpack(stones)
        above = (p for p in _parents(self._game, position) if self._is_there(p.stones))
        return min(above, key=lambda parent: (parent.stones, parent.move), default=None)

    def _is_there(self, stones: bytes) -> bool:
        return stones in self.noted or stones in self._ways

    def _lead_to(self, stones: bytes) -> bool:
        """Put the moves to a position above it, if its stones can be laid one by one."""
        game, position = self._game, self._game.unpack(stones)
        steps = list(_steps(game, position))
        if not steps or steps[-1][2] != position:
            return False
        for before, move, after in steps:
            above, child = game.canonical(before), game.canonical(after).stones
            self._ways.add(above.stones)
            if not self._is_there(child) or child == stones:
                link = _Parent(child, game.map_move(move, above.symmetry))
                self._children.setdefault(above.stones, []).append(link)
                self._ways.add(child)
        self._ways.discard(stones)
        return True


def _steps(game: Game, position: Position) -> Iterator[tuple[Position, Move, Position]]:
    """The moves that lay the stones of `position` by turns, where a move is no more than a cell."""
    if game.move_count != game.cell_count:
        return
    before = game.initial
    sides = [cells_of(position.dark), cells_of(position.light)]
    for ply in range(position.ply):
        move = sides[ply % 2][ply // 2]
        after = game.play(before, move)
        yield before, move, after
        before = after

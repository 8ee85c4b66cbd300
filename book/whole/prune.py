"""Taking positions out of a book without changing what it says of the others.

A removed position's value goes into the rest slots of its parents: to them it is one of the moves
that lead to no stored position again. A slot stands for all such moves, so that its value is what
its own move and the removed ones are worth together, and its proof is theirs together. Since
`book.rows.propagation.combine` gives the same whichever of its options were combined before, the
value, bound, proof and best move of every position that stays remain what they were.

A pending slot has moves that wait to be searched. It stays pending as long as the stored moves
alone give the position its value. If they do not, the slot takes the best of the removed moves, or
else the value would be lost; it is not proven by that, unless it is a win. When that move is
expanded again, the slot is searched again with all that waited.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, or_, select, update

from book.errors import BookError, PositionNotFound
from book.reader import BookReader
from book.rows.batches import in_batches
from book.rows.counts import CountChanges, recount
from book.rows.digests import DIGESTED, digest_all, refuse_altered
from book.rows.encoding import BOUND_NUMBERS, BOUNDS, AnyRow, move_width, pack_line, unpack_line
from book.rows.lookup import GameRows
from book.rows.propagation import BookValue, can_be_worth, combine, flipped, propagate, step_cost
from book.storage.address import Address
from book.storage.schema import (
    RestState,
    cells,
    counts,
    digests,
    games,
    history,
    imported,
    move_names,
    moves,
    positions,
    runs,
    sources,
    tasks,
    undigested,
)
from book.whole.moment import Moment
from book.whole.summary import size_on_disk
from book.writer import BookWriter
from engine.game import Game
from engine.position import Move, Position
from engine.values import from_child, winning_probability

_LINE_PLIES = 8

_child = positions.alias("child")
_links_from_ply = (
    select(
        moves.c.parent,
        moves.c.child,
        positions.c.value,
        _child.c.value.label("child_value"),
    )
    .join(positions, positions.c.id == moves.c.parent)
    .join(_child, _child.c.id == moves.c.child)
    .where(positions.c.game == bindparam("game"), positions.c.ply == bindparam("ply"))
)
_deeper = select(positions.c.id).where(
    positions.c.game == bindparam("game"), positions.c.ply > bindparam("ply")
)
_parents = (
    select(moves.c.parent).distinct().where(moves.c.child.in_(bindparam("ids", expanding=True)))
)
_position = select(*undigested(positions)).where(positions.c.id == bindparam("id"))
_children = (
    select(moves.c.move, *(positions.c[name] for name in ("id", "value", "bound", "proven")))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
)
_set_row = update(positions).where(positions.c.id == bindparam("at"))
_remove = delete(positions).where(positions.c.id.in_(bindparam("ids", expanding=True)))
_unlink = delete(moves).where(
    or_(
        moves.c.parent.in_(bindparam("ids", expanding=True)),
        moves.c.child.in_(bindparam("ids", expanding=True)),
    )
)
_of_game = select(positions.c.id).where(positions.c.game == bindparam("game"))
# In an order in which nothing refers to what is gone.
_take_out_game = (
    delete(moves).where(moves.c.parent.in_(_of_game)),
    *(
        delete(table).where(table.c.game == bindparam("game"))
        for table in (
            *(tasks, history, positions, counts, cells, move_names, runs, digests),
            *(imported, sources),
        )
    ),
    delete(games).where(games.c.id == bindparam("game")),
)


class LastGame(BookError):
    """A book would hold no game."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Which positions of a game are to go: all for which one of these holds.

    `plies`: they are deeper. `max_loss`: the cheapest way to them from the empty board has a
    move that gives away more winning probability. `below`: the empty board leads to them only
    through this position, or only through positions that go. `unreached`: the empty board does not
    lead to them, as to what grew below the roots of a build.

    What was imported goes by `plies` alone.
    """

    plies: int | None = None
    max_loss: float | None = None
    below: Position | None = None
    unreached: bool = False


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many positions go and how many stay, and about how many bytes the former take."""

    removed: int
    left: int
    bytes: int


def look(address: Address, game: Game, cut: Cut) -> Pruned:
    """What `prune` would do.

    Raises:
        BookError: if there is no readable book, or it does not hold the position `cut.below`.
    """
    with Moment(address) as book, BookReader(address) as reader:
        rows = book.rows_of(game)
        return _pruned(size_on_disk(reader), len(_chosen(rows, cut)), rows.count())


def prune(address: Address, game: Game, cut: Cut) -> Pruned:
    """Take out what `cut` says, all in one transaction; what is planned is dropped.

    Raises:
        BookError: if the book cannot be written, or does not hold the position `cut.below`.
    """
    with BookReader(address) as reader:
        # What a transaction writes to the log would count as well.
        size = size_on_disk(reader)
        with BookWriter(address, game) as writer, writer.transaction():
            refuse_altered(writer.rows.connection, writer.rows.number, "the book", *DIGESTED)
            going = _chosen(writer.rows, cut)
            pruned = _pruned(size, len(going), writer.rows.count())
            if going:
                _take_out(writer.rows, reader, going)
            if cut.plies is not None:
                _take_out_imports(writer.rows, cut.plies)
            if going or cut.plies is not None:
                digest_all(writer.rows.connection, writer.rows.number)
            return pruned


def look_at_game(address: Address, game: Game) -> Pruned:
    """What `take_out_game` would do.

    Raises:
        BookError: as there.
    """
    with BookReader(address) as reader:
        others = [held for held in reader.games if held is not game]
        if not others:
            raise LastGame(f"'{address}' holds {game.id} and nothing else: delete it as a whole")
        removed, left = reader.positions(game), sum(map(reader.positions, others))
        share = removed / max(1, removed + left)
        return Pruned(removed, left, round(size_on_disk(reader) * share))


def take_out_game(address: Address, game: Game) -> Pruned:
    """Take a game out of a book of several: its positions, runs, history, and what is planned.

    All of it goes in one transaction.

    Raises:
        LastGame: if the book holds no other.
        BookError: if the book cannot be written.
    """
    pruned = look_at_game(address, game)
    with BookWriter(address, game) as writer, writer.transaction() as connection:
        for statement in _take_out_game:
            connection.execute(statement, {"game": writer.rows.number})
    return pruned


def _pruned(size: int, going: int, before: int) -> Pruned:
    return Pruned(going, before - going, round(size * going / max(1, before)))


@dataclass(frozen=True, slots=True, order=True)
class _Way:
    """The cheapest way from the empty board; of equal ones that without a move that loses much."""

    cost: int
    loses_much: bool


def _chosen(rows: GameRows, cut: Cut) -> set[int]:
    """The numbers of the positions that are to go."""
    below = None if cut.below is None else _number_of(rows, cut.below)
    going = set[int]()
    if cut.plies is not None:
        going.update(row.id for row in rows.select(_deeper, ply=cut.plies))
    if cut.max_loss is not None or below is not None:
        going |= _badly_reached(rows, cut, below)
    if cut.unreached:
        going |= _unreached(rows)
    return going


def _number_of(rows: GameRows, position: Position) -> int:
    row = rows.get(rows.game.canonical(position).key)
    if row is None:
        named = "the position to cut below" if position.ply else "the empty board"
        raise PositionNotFound(f"the book does not hold {named} of {rows.game.id}")
    return int(row.id)


def _unreached(rows: GameRows) -> set[int]:
    """The positions that no stored moves lead to from the empty board."""
    last = {_number_of(rows, rows.game.initial)}
    reached = set(last)
    ply = 0
    while last:
        links = rows.select(_links_from_ply, ply=ply)
        last = {link.child for link in links if link.parent in last}
        reached |= last
        ply += 1
    return {row.id for row in rows.select(_of_game)} - reached


def _badly_reached(rows: GameRows, cut: Cut, below: int | None) -> set[int]:
    """The positions that the empty board leads to, but not in a way that is good enough."""
    most = 1.0 if cut.max_loss is None else cut.max_loss
    root = rows.get(rows.game.canonical(rows.game.initial).key)
    ways = {} if root is None else {root.id: _Way(0, False)}
    staying = set(ways)
    going = set[int]()
    ply = 0
    # Every move adds a stone: all ways to a position come from the ply before.
    while ways:
        following: dict[int, _Way] = {}
        reached = set[int]()
        for link in rows.select(_links_from_ply, ply=ply):
            if link.parent in ways:
                way = _step(ways[link.parent], link, most)
                following[link.child] = min(way, following.get(link.child, way))
                if link.parent in staying and link.parent != below:
                    reached.add(link.child)
        staying = {id for id in reached if not following[id].loses_much}
        going.update(following.keys() - staying)
        ways = following
        ply += 1
    return going


def _step(way: _Way, link: AnyRow, most: float) -> _Way:
    value = from_child(link.child_value)
    loss = winning_probability(link.value) - winning_probability(value)
    return _Way(way.cost + step_cost(link.value, value), way.loses_much or loss > most)


def _take_out(rows: GameRows, reader: BookReader, going: set[int]) -> None:
    connection = rows.connection
    parents = set[int]()
    for ids in in_batches(sorted(going)):
        parents.update(connection.execute(_parents, {"ids": ids}).scalars())
    changed = parents - going
    for id in changed:
        columns = _slot(rows, reader, id, going)
        connection.execute(_set_row, columns | {"at": id})
    for ids in in_batches(sorted(going)):
        connection.execute(_unlink, {"ids": ids})
        connection.execute(_remove, {"ids": ids})
    propagate(connection, changed, CountChanges())
    recount(connection, rows.number)
    # It may be about positions that are gone, or leave out moves to them.
    connection.execute(delete(tasks).where(tasks.c.game == rows.number))


def _take_out_imports(rows: GameRows, plies: int) -> None:
    """Take out what was imported of deeper positions."""
    deeper = imported.c.ply > plies
    rows.connection.execute(delete(imported).where(imported.c.game == rows.number, deeper))


@dataclass(frozen=True, slots=True)
class _Option:
    """A move and what it is worth for the side that makes it."""

    move: Move
    value: BookValue


def _slot(rows: GameRows, reader: BookReader, id: int, going: set[int]) -> dict[str, Any]:
    """The columns of a position's rest slot once its children among `going` are gone."""
    game = rows.game
    row = rows.connection.execute(_position, {"id": id}).one()
    removed: list[_Option] = []
    kept: list[_Option] = []
    for child in rows.connection.execute(_children, {"id": id}):
        value = BookValue(from_child(child.value), flipped(BOUNDS[child.bound]), bool(child.proven))
        (removed if child.id in going else kept).append(_Option(child.move, value))
    if row.rest_state == RestState.KEPT:
        # It stands for all moves but those that win sooner.
        removed = [
            o for o in removed if o.value.value > row.rest_value and can_be_worth(row, o.value)
        ]
    is_pending = row.rest_state == RestState.PENDING
    before = BookValue(row.value, BOUNDS[row.bound], bool(row.proven))
    if is_pending and kept and _worth(kept, complete=False) == before:
        return {"rest_state": row.rest_state}
    options = removed + _of_slot(game, row)
    worth = _worth(options, complete=not is_pending)
    columns: dict[str, Any] = {
        "rest_value": worth.value,
        "rest_bound": BOUND_NUMBERS[worth.bound],
        "rest_proven": worth.proven,
    }
    # As readers order moves, so that the best move is still the same.
    best = min(options, key=lambda option: (-option.value.value, option.move))
    if best in removed:
        is_kept = row.rest_state == RestState.KEPT
        columns["rest_state"] = int(RestState.KEPT if is_kept else RestState.OPEN)
        columns["rest_line"] = pack_line(game, _line(reader, game, row, best.move))
    return columns


def _of_slot(game: Game, row: AnyRow) -> list[_Option]:
    if row.rest_line is None:
        return []
    move = unpack_line(game, row.rest_line[: move_width(game)])[0]
    value = BookValue(row.rest_value, BOUNDS[row.rest_bound], bool(row.rest_proven))
    return [_Option(move, value)]


def _worth(options: Sequence[_Option], *, complete: bool) -> BookValue:
    return combine([option.value for option in options], complete=complete)


def _line(reader: BookReader, game: Game, row: AnyRow, move: Move) -> tuple[Move, ...]:
    """`move`, and what the book as it was expects after it."""
    child = game.play(game.unpack(row.stones), move)
    expected = reader.find(game, child, best_only=True).moves[0].line
    return (move, *expected)[:_LINE_PLIES]

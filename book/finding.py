"""Finding a game's positions among the rows, for whoever builds."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Connection, bindparam, func, select

from book.rows import AnyRow, lookup_of, move_width, unpack_line
from book.schema import RestState, counts, positions
from engine.games.base import Game, Key, Symmetry
from engine.position import Move, Position, cells_of

# Databases limit how many values a statement may have.
_AT_ONCE = 500

_found = select(positions).where(
    positions.c.lookup.in_(bindparam("lookups", expanding=True)),
    positions.c.game == bindparam("game"),
)
_count = select(func.coalesce(func.sum(counts.c.positions), 0)).where(
    counts.c.game == bindparam("game")
)


def find(
    connection: Connection, game: Game, game_number: int, keys: Collection[Key]
) -> dict[Key, AnyRow]:
    """The rows of those of `keys` that are stored."""
    wanted = list(set(keys))
    found: dict[Key, AnyRow] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        lookups = [lookup_of(key) for key in wanted[start : start + _AT_ONCE]]
        for row in connection.execute(_found, {"lookups": lookups, "game": game_number}):
            found[game.key(row.stones)] = row
    # Others may have the same number.
    return {key: found[key] for key in wanted if key in found}


def rest_child(game: Game, row: AnyRow) -> Key | None:
    """The key of the position behind the rest move of `row`, None where there is none."""
    if row.rest_state != RestState.OPEN:
        return None
    move = unpack_line(game, row.rest_line[: move_width(game)])[0]
    return game.canonical(game.play(game.unpack(row.stones), move)).key


@lru_cache(maxsize=512)
def ways_to(game: Game, position: Position) -> Mapping[Key, tuple[Position, Sequence[Move]]]:
    """The canonical positions one move before, each with moves of its own that lead here.

    Where it has symmetries, not all of them: see `smallest_move`. A new position is asked for when
    it is planned, and when it enters.
    """
    ways: dict[Key, tuple[Position, list[Move]]] = {}
    for before, move in game.unplay(position):
        parent = game.canonical(before)
        _, found = ways.setdefault(parent.key, (parent.position, []))
        found.append(game.map_move(move, parent.symmetry))
    return ways


def smallest_move(game: Game, parent: Position, found: Sequence[Move]) -> Move:
    """The smallest of all moves that lead where those of `found` do.

    `Game.parents` turns every parent in all ways; few of them are stored, and this turns one.
    """
    turns = _own_symmetries(game, parent)
    return min(game.map_move(move, turn) for turn in turns for move in found)


def links_to(
    connection: Connection, game: Game, game_number: int, children: Iterable[AnyRow]
) -> list[dict[str, int]]:
    """The links that lead from stored positions to `children`, as rows of the table."""
    ways = {child.id: ways_to(game, game.unpack(child.stones)) for child in children}
    stored = find(connection, game, game_number, {key for each in ways.values() for key in each})
    return [
        {"parent": stored[key].id, "child": child, "move": smallest_move(game, *way)}
        for child, each in ways.items()
        for key, way in each.items()
        if key in stored
    ]


def _own_symmetries(game: Game, position: Position) -> list[Symmetry]:
    """The symmetries that leave `position` as it is: nearly always the first alone."""
    return [
        turn
        for turn in game.symmetries
        if all(
            stones >> game.map_cell(cell, turn) & 1
            for stones in (position.dark, position.light)
            for cell in cells_of(stones)
        )
    ]


def count_positions(connection: Connection, game_number: int) -> int:
    """The number of stored positions of a game."""
    return int(connection.execute(_count, {"game": game_number}).scalar_one())

"""Whether the small tables agree with the game, with the rows, and among themselves."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from book.integrity.findings import Change, Finding, Kind
from book.integrity.stored import Place, readable, shown
from book.rows.counts import counted
from book.rows.encoding import KEY_BYTES, AnyRow, Searched
from book.storage.notation import notation_of
from book.storage.schema import (
    as_is,
    cells,
    counts,
    move_names,
    positions,
    runs,
    tasks,
    undigested,
)
from engine.game import Game

_set_run = update(runs).where(runs.c.id == bindparam("at"))
_runs_named = select(positions.c.run, positions.c.game, func.count().label("positions")).group_by(
    positions.c.run, positions.c.game
)
_delete_count = delete(counts).where(
    counts.c.game == bindparam("of"),
    counts.c.ply == bindparam("at_ply"),
    counts.c.depth == bindparam("at_depth"),
)
_as_they_are = select(*as_is(undigested(tasks))).order_by(tasks.c.game, tasks.c.batch, tasks.c.id)
_delete_task = delete(tasks).where(tasks.c.id == bindparam("at"))
_Counts = dict[tuple[int, int, int], tuple[int, int, int]]


def check_notation(connection: Connection, places: Mapping[int, Place]) -> Iterator[Finding]:
    """Names and codes of cells and moves that are not the game's."""
    for number, place in places.items():
        for table, rows in notation_of(place.game, number).items():
            yield from _compared(connection, table, number, place.game.id, rows)
    for table in (cells, move_names):
        for number in connection.execute(select(*as_is([table.c.game])).distinct()).scalars():
            if number not in places:
                gone = delete(table).where(table.c.game == number)
                where = f"{table.name} of game {shown(number)}"
                yield Finding(Kind.NOTATION, where, "names", "nothing", ((gone, {}),))


def check_runs(connection: Connection, places: Mapping[int, Place]) -> Iterator[Finding]:
    """Runs whose game is not that of their positions, or whose parameters cannot be read."""
    named: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in connection.execute(_runs_named):
        if row.game in places:
            named[row.run][row.game] += row.positions
    for run in connection.execute(select(*undigested(runs)).order_by(runs.c.id)):
        where = f"run {run.id}"
        right = _game_of(run.game, named[run.id], places)
        if run.game != right:
            change: Change = (_set_run, {"at": run.id, "game": right})
            yield Finding(Kind.RUN, where, f"game {run.game}", f"game {right}", (change,))
        if not _is_readable(run.parameters):
            change = (_set_run, {"at": run.id, "parameters": json.dumps({"limits": {}})})
            found, expected = shown(run.parameters), "parameters with limits"
            yield Finding(Kind.RUN, where, found, expected, (change,))


def known_runs(connection: Connection) -> set[tuple[Any, Any]]:
    """The number of each run with that of its game."""
    return {(run.id, run.game) for run in connection.execute(select(runs.c.id, runs.c.game))}


def check_counts(
    connection: Connection, places: Mapping[int, Place], *, with_empty: bool
) -> Iterator[Finding]:
    """Counts that are not those of the rows.

    `with_empty`: what was counted down to nothing is as good as what was never counted.
    """
    right = _by_layer(connection.execute(counted).all())
    found = _by_layer(connection.execute(select(counts)).all())
    for layer in sorted(set(right) | set(found), key=str):
        none = (0, 0, 0) if with_empty else None
        if right.get(layer, none) != found.get(layer, none):
            yield _miscounted(layer, found.get(layer), right.get(layer), places)


def check_tasks(connection: Connection, places: Mapping[int, Place]) -> Iterator[Finding]:
    """Planned searches that cannot be read or no longer make sense.

    A plan is made from what was planned before it, so what is in their batch or in a later one
    goes with them.
    """
    wrong = {
        task.id: (task.game, task.batch, why)
        for task in connection.execute(_as_they_are)
        if (why := _why_unusable(places, task)) is not None
    }
    first: dict[Any, int] = {}
    for game, batch, _ in wrong.values():
        first[game] = min(first.get(game, _number(batch)), _number(batch))
    for task in connection.execute(_as_they_are) if wrong else ():
        if task.game in first and _number(task.batch) >= first[task.game]:
            _, _, why = wrong.get(task.id, (None, None, "planned with or after another of these"))
            change = (_delete_task, {"at": task.id})
            yield Finding(Kind.TASK, f"task {task.id}", why, "a search to be done", (change,))


def _compared(
    connection: Connection, table: Table, number: int, name: str, rows: list[dict[str, Any]]
) -> Iterator[Finding]:
    key = [column.name for column in table.primary_key][1]
    there = connection.execute(select(*as_is(table.c)).where(table.c.game == number)).mappings()
    found = {row[key]: row for row in there}
    for row in rows:
        stored = found.pop(row[key], None)
        if stored is None or dict(stored) != row:
            where = f"{table.name} {row[key]} of {name}"
            gone = delete(table).where(table.c.game == number, table.c[key] == row[key])
            changes: tuple[Change, ...] = ((gone, {}), (insert(table), row))
            yield Finding(Kind.NOTATION, where, _named(stored), _named(row), changes)
    for extra in found.values():
        where = f"{table.name} {extra[key]} of {name}"
        gone = delete(table).where(table.c.game == number, table.c[key] == extra[key])
        yield Finding(Kind.NOTATION, where, _named(extra), "nothing", ((gone, {}),))


def _named(row: Mapping[str, Any] | RowMapping | None) -> str:
    return "nothing" if row is None else f"{shown(row['name'])} ({shown(row['code'])})"


def _game_of(game: Any, named: Counter[Any], places: Mapping[int, Place]) -> int:
    """The game of a run: its own if it can be, else that of most positions which name it."""
    if game in places and (game in named or not named):
        return int(game)
    if named:
        return int(max(named, key=lambda number: named[number]))
    return min(places, default=0)


def _is_readable(parameters: Any) -> bool:
    try:
        return isinstance(json.loads(parameters)["limits"], dict)
    except (KeyError, RecursionError, TypeError, ValueError):
        return False


def _by_layer(rows: Any) -> _Counts:
    return {
        (row.game, row.ply, row.depth): (
            _number(row.positions),
            _number(row.proven),
            _number(row.nodes),
        )
        for row in rows
    }


def _number(value: Any) -> int:
    """A count as a whole number, -1 for what is no number."""
    is_finite = isinstance(value, (int, float, Decimal)) and isfinite(value)
    return int(value) if is_finite and value == int(value) else -1


def _miscounted(
    layer: tuple[int, int, int],
    found: tuple[int, int, int] | None,
    right: tuple[int, int, int] | None,
    places: Mapping[int, Place],
) -> Finding:
    number, ply, depth = layer
    game = places[number].game.id if number in places else f"game {number}"
    changes: list[Change] = [(_delete_count, {"of": number, "at_ply": ply, "at_depth": depth})]
    if right is not None:
        named = dict(zip(("positions", "proven", "nodes"), right, strict=True))
        row = {"game": number, "ply": ply, "depth": depth, **named}
        changes.append((insert(counts), row))
    where = f"{game} ply {ply}, depth {depth}"
    return Finding(Kind.COUNTS, where, _told(found), _told(right), tuple(changes))


def _told(counted: tuple[int, int, int] | None) -> str:
    if counted is None:
        return "nothing"
    return "{:,} positions, {:,} proven, {:,} nodes".format(*counted)


def _why_unusable(places: Mapping[int, Place], task: AnyRow) -> str | None:
    """Why a task cannot be done, None if it can."""
    if task.game not in places:
        return "its game is not in the book"
    place, game = places[task.game], places[task.game].game
    position = readable(game, task.stones)
    if position is None or game.canonical(position).stones != task.stones:
        return "no canonical position"
    if task.key != game.key(task.stones):
        return "another key"
    if not isinstance(task.excluded, bytes) or len(task.excluded) % KEY_BYTES:
        return "no list of keys"
    if not _is_json(task.limits):
        return "no limits"
    if bool(task.new) == bool(place.stored([task.key])):
        return "the position is stored" if task.new else "the position is not stored"
    return None if task.result is None else _wrong_result(task, game)


def _wrong_result(task: AnyRow, game: Game) -> str | None:
    try:
        searched = Searched.from_json(task.result, game)
    except (KeyError, TypeError, ValueError):
        return "a result that cannot be read"
    return None if searched.key == task.key else "the result of another"


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (TypeError, ValueError):
        return False
    return True

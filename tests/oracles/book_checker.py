"""What must hold among the rows of any book, worked out again by plain means."""

import math
from collections import Counter
from typing import Any

from sqlalchemy import select

from book.reader import BookReader
from book.rows.encoding import unpack_line
from book.storage.address import AnyAddress
from book.storage.schema import games, moves, positions
from book.whole.summary import summarise
from engine.game import Game

WIN = 30_000
DECISIVE = 29_000

# What `rest_state` says: its move is not stored, all are, something is; its move ends the game;
# it is the proof of the position, whatever is stored.
OPEN, NONE, PENDING, ENDS, KEPT = range(5)
# What `wish` says, beside nothing.
MORE, LESS, NEVER = 1, 2, 3


def assert_sound(path: AnyAddress, game: Game) -> None:
    """Links, values, costs and counts of every stored position of `game` follow from its rows."""
    with BookReader(path) as reader, reader.connection() as connection:
        rows = {
            row.id: row
            for row in connection.execute(
                select(positions).join(games).where(games.c.name == game.id)
            )
        }
        links = connection.execute(select(moves)).all()
        layers = summarise(reader, game).layers
    keys = {game.key(row.stones): id for id, row in rows.items()}
    assert len(keys) == len(rows)
    children: dict[int, dict[int, int]] = {id: {} for id in rows}
    for link in links:
        if link.parent in rows:
            children[link.parent][link.child] = link.move
    open_costs: dict[int, int | None] = {}
    for id, row in sorted(rows.items(), key=lambda item: -item[1].ply):
        _assert_is_what_it_says(game, row)
        _assert_links_are_all_there_are(game, row, children[id], keys)
        _assert_value_follows(row, [rows[child] for child in children[id]])
        costs = [
            cost_into(row, rows[child]) + cost
            for child in children[id]
            if (cost := open_costs[child]) is not None
        ]
        own = cost_of_slot(row, len(children[id]))
        if own is not None:
            costs.append(own)
        open_costs[id] = None if row.wish == NEVER else min(costs, default=None)
        assert row.open_cost == open_costs[id]
    plies = Counter(row.ply for row in rows.values())
    assert [(layer.ply, layer.positions) for layer in layers] == sorted(plies.items())
    for layer in layers:
        here = [row for row in rows.values() if row.ply == layer.ply]
        assert layer.proven == sum(row.proven for row in here)
        assert layer.nodes == sum(row.nodes for row in here)
        assert layer.deepest == max(row.depth for row in here)


def _assert_is_what_it_says(game: Game, row: Any) -> None:
    position = game.unpack(row.stones)
    canonical = game.canonical(position)
    assert canonical.stones == row.stones
    assert row.lookup == int.from_bytes(canonical.key[:4], "big") - 2**31
    assert row.ply == position.ply
    assert game.outcome(position) is None


def _assert_links_are_all_there_are(
    game: Game, row: Any, found: dict[int, int], keys: dict[bytes, int]
) -> None:
    position = game.unpack(row.stones)
    expected: dict[int, int] = {}
    free = 0
    for move in game.legal_moves(position):
        id = keys.get(game.canonical(game.play(position, move)).key)
        if id is None:
            free += 1
        else:
            expected.setdefault(id, move)
    assert found == expected
    if row.rest_state in (OPEN, ENDS):
        line = unpack_line(game, row.rest_line)
        rest = game.play(position, line[0])
        assert game.canonical(rest).key not in keys
        assert (game.outcome(rest) is not None) == (row.rest_state == ENDS)
        game.play_line(line, start=position)
    elif row.rest_state == KEPT:
        assert row.rest_proven
        game.play_line(unpack_line(game, row.rest_line), start=position)
    elif row.rest_state == NONE:
        assert free == 0
    else:
        assert found


def _assert_value_follows(row: Any, children: list[Any]) -> None:
    options = [(seen_from_parent(child.value), bool(child.proven)) for child in children]
    if row.rest_state == KEPT:
        sooner = [value for value, proven in options if proven and value > max(0, row.rest_value)]
        assert (row.value, row.proven) == (max([*sooner, row.rest_value]), True)
        return
    if row.rest_state in (OPEN, ENDS):
        options.append((row.rest_value, bool(row.rest_proven)))
    best = max(value for value, _ in options)
    won = any(value > DECISIVE and proven for value, proven in options)
    settled = row.rest_state != PENDING and all(proven for _, proven in options)
    assert bool(row.proven) == (won or settled)
    assert row.value == (best if row.proven else max(best, -DECISIVE))


def seen_from_parent(value: int) -> int:
    if value > DECISIVE:
        return -(value - 1)
    return -(value + 1) if value < -DECISIVE else -value


def cost_of_slot(row: Any, child_count: int) -> int | None:
    """What it costs to expand a position's own slot, None if it is not to be."""
    if row.rest_state != OPEN or row.proven or row.rest_proven:
        return None
    usual = 100 + loss(row.value, row.rest_value)
    return min(usual, 25 * child_count) if _chance(row.value) < 0.05 else usual


def cost_into(row: Any, child: Any) -> int:
    """What the step from a position into a stored child of it costs."""
    usual = 100 + loss(row.value, seen_from_parent(child.value))
    return {MORE: 0, LESS: usual + 1000}.get(child.wish, usual)


def loss(best: int, value: int) -> int:
    """How much of the winning probability a move gives away, in parts of 4000."""
    return round(4000 * max(0.0, _chance(best) - _chance(value)))


def _chance(value: int) -> float:
    return 1 / (1 + math.exp(-value / 400))

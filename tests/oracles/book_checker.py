"""What must hold among the rows of any book, worked out again by plain means."""

import math
from pathlib import Path
from typing import Any

from book.reader import BookReader
from engine.games.base import Game

WIN = 30_000
DECISIVE = 29_000


def assert_sound(path: Path, game: Game) -> None:
    """Keys, links, values and costs of every stored position of `game` follow from its rows."""
    with BookReader(path) as reader, reader.connection() as connection:
        rows = {
            row.key: row
            for row in connection.exec_driver_sql(
                "SELECT p.* FROM positions AS p JOIN games AS g ON g.id = p.game WHERE g.name = ?",
                (game.id,),
            )
        }
        links = connection.exec_driver_sql("SELECT parent, move, child FROM moves").all()
    children: dict[bytes, dict[bytes, int]] = {key: {} for key in rows}
    parents: dict[bytes, set[bytes]] = {key: set() for key in rows}
    for parent, move, child in links:
        if parent in rows:
            children[parent][child] = move
            parents[child].add(parent)
    costs: dict[bytes, int] = {}
    for key, row in sorted(rows.items(), key=lambda item: item[1].ply):
        _assert_is_what_it_says(game, key, row)
        _assert_links_are_all_there_are(game, row, children[key], rows)
        _assert_value_follows(row, [rows[child] for child in children[key]])
        costs[key] = min(
            (
                costs[parent] + _step(rows[parent].value, _seen_from_parent(row.value))
                for parent in parents[key]
            ),
            default=0,
        )
        assert row.cost == costs[key]
        open_slot = row.rest_child is not None and not row.proven and not row.rest_proven
        expected = costs[key] + _step(row.value, row.rest_value) if open_slot else None
        assert row.slot_cost == expected


def _assert_is_what_it_says(game: Game, key: bytes, row: Any) -> None:
    position = game.unpack(row.stones)
    canonical = game.canonical(position)
    assert (canonical.key, canonical.stones) == (key, row.stones)
    assert row.ply == position.ply
    assert game.outcome(position) is None


def _assert_links_are_all_there_are(
    game: Game, row: Any, found: dict[bytes, int], rows: dict[bytes, Any]
) -> None:
    position = game.unpack(row.stones)
    expected: dict[bytes, int] = {}
    free = 0
    for move in game.legal_moves(position):
        after = game.play(position, move)
        key = game.canonical(after).key
        if key in rows:
            expected.setdefault(key, move)
        else:
            free += 1
            if move == row.rest_move:
                assert row.rest_child == (None if game.outcome(after) else key)
    assert found == expected
    # 0 open: its move is not stored; 1 none: all are; 2 pending: something is.
    if row.rest_state == 0:
        rest = game.play(position, row.rest_move)
        assert game.canonical(rest).key not in rows
        assert game.parse_line(row.rest_line)[0] == row.rest_move
        game.play_line(game.parse_line(row.rest_line), start=position)
    elif row.rest_state == 1:
        assert free == 0
    else:
        assert found


def _assert_value_follows(row: Any, children: list[Any]) -> None:
    options = [(_seen_from_parent(child.value), bool(child.proven)) for child in children]
    if row.rest_state == 0:
        options.append((row.rest_value, bool(row.rest_proven)))
    best = max(value for value, _ in options)
    won = any(value > DECISIVE and proven for value, proven in options)
    settled = row.rest_state != 2 and all(proven for _, proven in options)
    assert bool(row.proven) == (won or settled)
    assert row.value == (best if row.proven else max(best, -DECISIVE))


def _seen_from_parent(value: int) -> int:
    if value > DECISIVE:
        return -(value - 1)
    return -(value + 1) if value < -DECISIVE else -value


def _step(best: int, value: int) -> int:
    def chance(value: int) -> float:
        return 1 / (1 + math.exp(-value / 400))

    return 100 + round(2000 * max(0.0, chance(best) - chance(value)))

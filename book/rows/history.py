"""What the empty board was worth as a book grew."""

from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, insert, select

from book.rows.lookup import count_positions, find
from book.storage.schema import history
from engine.game import Game

_last = (
    select(history.c.value, history.c.proven)
    .where(history.c.game == bindparam("game"))
    .order_by(history.c.id.desc())
    .limit(1)
)


def note(connection: Connection, game: Game, game_number: int, run: int) -> None:
    """Record what the empty board is worth now, if that has changed."""
    key = game.canonical(game.initial).key
    root = find(connection, game, game_number, [key]).get(key)
    if root is None:
        return
    now = root.value, bool(root.proven)
    last = connection.execute(_last, {"game": game_number}).one_or_none()
    if last is not None and (last.value, bool(last.proven)) == now:
        return
    connection.execute(
        insert(history).values(
            game=game_number,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            run=run,
            positions=count_positions(connection, game_number),
            value=root.value,
            proven=now[1],
        )
    )

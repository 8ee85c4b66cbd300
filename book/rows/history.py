"""What the empty board was worth as a book grew."""

from sqlalchemy import bindparam, insert, select

from book.rows.digests import DigestChanges
from book.rows.encoding import inserted_id, now
from book.rows.lookup import GameRows
from book.storage.schema import history

_last = (
    select(history.c.value, history.c.proven)
    .where(history.c.game == bindparam("game"))
    .order_by(history.c.id.desc())
    .limit(1)
)


def note(rows: GameRows, run: int, digests: DigestChanges) -> None:
    """Record what the empty board is worth now, if that has changed."""
    root = rows.get(rows.game.canonical(rows.game.initial).key)
    if root is None:
        return
    worth = root.value, bool(root.proven)
    last = rows.select(_last)
    if last and (last[0].value, bool(last[0].proven)) == worth:
        return
    noted = rows.connection.execute(
        insert(history).values(
            game=rows.number,
            at=now(),
            run=run,
            positions=rows.count(),
            value=root.value,
            proven=worth[1],
        )
    )
    digests.seal(history, history.c.id == inserted_id(noted))

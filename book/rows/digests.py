"""Digests: whether rows are what was written, and whether two books hold the same.

Each row that nothing else tells has a digest of its other columns, 32 bits. The digests of all
rows of a table are summed for each game, so that a row too many or too few is seen as well. What
an export shows of each position is summed likewise: the content, which is the same for books that
grew in different ways. Sums do not depend on the order of rows, and follow a change of one row
without a look at the others.

Links, counts and notation have no digests: `book.integrity` compares all of them with the rows that
they follow from. docs/books.md has the encoding for those who want to compute it themselves.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from struct import Struct
from struct import error as NotPackable
from typing import Any
from zlib import crc32

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    LargeBinary,
    String,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from book.errors import BookUnreadable
from book.rows.batches import AT_ONCE
from book.rows.encoding import AnyRow, inserted_id, stones_by_name
from book.rows.lookup import GameRows
from book.storage.schema import (
    RestState,
    as_is,
    digests,
    games,
    history,
    imported,
    positions,
    runs,
    sources,
    tasks,
    undigested,
)
from engine.game import Game

CONTENT = "content"
DIGESTED = (games, runs, history, positions, tasks, sources, imported)
"""The tables whose rows have a digest."""
SUMS = (*(table.name for table in DIGESTED), CONTENT)
"""The names of the sums that each game has."""

Record = Mapping[str, Any]

NOTHING = -(1 << 63)
"""What stands for nothing among numbers and lengths; no column may hold it."""

# Who does a search, and until when, changes all the time, and is no content.
_OF_A_LEASE = {"leased_by", "leased_until"}
_SHOWN = (
    *("value", "bound", "proven", "rest_state", "rest_value", "rest_proven", "open_cost"),
    *("depth", "nodes", "stones", "rest_line"),
)
_SMALLEST, _MODULUS = 1 << 31, 1 << 64

_at = positions.c.id == bindparam("at")
_set_digest = {table: update(table).where(table.c.id == bindparam("row")) for table in DIGESTED}
# A row is changed only if it is what was written: otherwise its damage would get a right digest.
_set_sound = update(positions).where(_at, positions.c.digest == bindparam("right"))
_sums = (
    select(digests.c.name, digests.c.total)
    .where(
        digests.c.game == bindparam("of"), digests.c.name.in_(bindparam("names", expanding=True))
    )
    .order_by(digests.c.name)
    .with_for_update()
)
_set_sum = update(digests).where(
    digests.c.game == bindparam("of"), digests.c.name == bindparam("named")
)


class _Encoding:
    """One sequence of bytes for whatever some columns hold: numbers, lengths, strings."""

    def __init__(self, columns: Iterable[Column[Any]]) -> None:
        kinds = {column.name: column.type for column in columns}
        self._blobs = [name for name, kind in kinds.items() if isinstance(kind, LargeBinary)]
        self._texts = [name for name, kind in kinds.items() if isinstance(kind, String)]
        self._numbers = [name for name in kinds if name not in {*self._blobs, *self._texts}]
        self.pack = Struct(f"<{len(kinds)}q").pack

    def of(self, row: Record) -> bytes:
        """The bytes of a row.

        Raises:
            AttributeError, NotPackable, TypeError: if a column holds what is not of its kind.
        """
        numbers = [NOTHING if row[name] is None else row[name] for name in self._numbers]
        strings = [row[name] for name in self._blobs]
        strings += [None if row[name] is None else row[name].encode() for name in self._texts]
        lengths = [NOTHING if string is None else len(string) for string in strings]
        return self.pack(*numbers, *lengths) + b"".join([string or b"" for string in strings])


_encodings = {
    table: _Encoding(column for column in undigested(table) if column.name not in _OF_A_LEASE)
    for table in DIGESTED
}
_shown = _Encoding(positions.c[name] for name in _SHOWN)


def digest_of(table: Table, row: Record) -> int | None:
    """The digest that belongs to a row; None if a column holds what is not of its kind."""
    try:
        return crc32(_encodings[table].of(row)) - _SMALLEST
    except (AttributeError, NotPackable, TypeError):
        return None


_pack_position = _encodings[positions].pack


def digest_of_position(
    id: int,
    game: int,
    lookup: int,
    ply: int,
    value: int,
    bound: int,
    proven: bool,
    rest_state: int,
    rest_value: int | None,
    rest_bound: int | None,
    rest_proven: bool | None,
    open_cost: int | None,
    depth: int,
    nodes: int,
    milliseconds: int,
    run: int,
    wish: int | None,
    stones: bytes,
    rest_line: bytes | None,
) -> int | None:
    """The digest of a position as `digest_of` tells it, in a fifth of the time: for lookups."""
    try:
        packed = _pack_position(
            id,
            game,
            lookup,
            ply,
            value,
            bound,
            proven,
            rest_state,
            NOTHING if rest_value is None else rest_value,
            NOTHING if rest_bound is None else rest_bound,
            NOTHING if rest_proven is None else rest_proven,
            NOTHING if open_cost is None else open_cost,
            depth,
            nodes,
            milliseconds,
            run,
            NOTHING if wish is None else wish,
            len(stones),
            NOTHING if rest_line is None else len(rest_line),
        )
        return crc32(packed + stones + (rest_line or b"")) - _SMALLEST
    except (NotPackable, TypeError):
        return None


def summed(table: Table, row: Record, digest: int) -> int:
    """What a row of this digest adds to the sum of its table.

    A task counts as it was planned: builders that share a book keep results without waiting for
    each other.
    """
    return (digest_of(table, {**row, "result": None}) or 0) if table is tasks else digest


def shown_of(row: Record) -> int:
    """What a position adds to the content; 0 if a column holds what is not of its kind."""
    if row["rest_state"] == RestState.ENDS:
        # That the move ends the game can be seen from the board.
        row = {**row, "rest_state": RestState.OPEN.value}
    try:
        encoded = _shown.of(row)
    except (AttributeError, NotPackable, TypeError):
        return 0
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big")


def signed(total: int) -> int:
    """A sum modulo 2**64, as the table has it."""
    return (total + (_MODULUS >> 1)) % _MODULUS - (_MODULUS >> 1)


def content_digest(game: Game, total: int) -> str:
    """The digest of the content of a game: 16 hexadecimal characters, equal for equal exports."""
    named = game.id.encode() + (total % _MODULUS).to_bytes(8, "big")
    return blake2b(named, digest_size=8).hexdigest()


class DigestChanges:
    """What changed in the digests of a game, until it is stored with all else of a transaction."""

    def __init__(self, rows: GameRows) -> None:
        self._rows = rows
        self._connection = rows.connection
        self._totals: Counter[str] = Counter()

    def digested(self, row: Record) -> dict[str, Any]:
        """The columns of a new position, with its number, and with its digest."""
        whole = {**_EMPTY_POSITION, **row}
        digest = digest_of(positions, whole)
        assert digest is not None
        self._totals[positions.name] += digest
        self._totals[CONTENT] += shown_of(whole)
        return {**whole, "digest": digest}

    def insert(self, row: Record) -> int:
        """Store a new position; returns its number."""
        result = self._connection.execute(insert(positions).values(row))
        id = inserted_id(result)
        digest = self.digested({**row, "id": id})["digest"]
        self._connection.execute(_set_digest[positions], {"row": id, "digest": digest})
        return id

    def change(self, before: AnyRow, columns: Record) -> None:
        """Change columns of a position whose whole row is `before`.

        Raises:
            BookUnreadable: if that row is not what was written.
        """
        row = before._asdict()
        after = {**row, **columns}
        right, digest = digest_of(positions, row), digest_of(positions, after)
        values = {**columns, "at": before.id, "right": right, "digest": digest}
        if (
            right is None
            or digest is None
            or self._connection.execute(_set_sound, values).rowcount != 1
        ):
            dark, light = stones_by_name(self._rows.game, before.stones)
            raise BookUnreadable(
                f"the book is damaged: the row of {self._rows.game.id} dark {dark or '-'}, light "
                f"{light or '-'} is not what was written; fivebook repair mends it"
            )
        self._totals[positions.name] += digest - right
        self._totals[CONTENT] += shown_of(after) - shown_of(row)

    def seal(self, table: Table, *which: ColumnElement[bool]) -> None:
        """Give new or changed rows of a table their digests."""
        some = select(table).where(*which, table.c.id > bindparam("after"))
        some, after = some.order_by(table.c.id).limit(AT_ONCE), 0
        while rows := self._connection.execute(some, {"after": after}).all():
            changes = []
            for row in rows:
                digest = digest_of(table, row._asdict())
                assert digest is not None
                changes.append({"row": row.id, "digest": digest})
                self._totals[table.name] += digest - (row.digest or 0)
            self._connection.execute(_set_digest[table], changes)
            after = rows[-1].id

    def forget_tasks(self, *which: ColumnElement[bool]) -> None:
        """Delete planned searches."""
        for row in self._connection.execute(select(tasks).where(*which)):
            self._totals[tasks.name] -= summed(tasks, row._asdict(), row.digest)
        self._connection.execute(delete(tasks).where(*which))

    def store(self) -> None:
        """Add all that changed to the sums in the book.

        Raises:
            BookUnreadable: if one of them is missing.
        """
        changed = {name: total for name, total in self._totals.items() if total}
        if not changed:
            return
        here = {"of": self._rows.number}
        before = {
            row.name: row.total
            for row in self._connection.execute(_sums, here | {"names": list(changed)})
        }
        if before.keys() != changed.keys():
            raise BookUnreadable(
                "the book is damaged: a sum of digests is missing; fivebook repair mends it"
            )
        self._connection.execute(
            _set_sum,
            [
                here | {"named": name, "total": signed(total + changed[name])}
                for name, total in before.items()
            ],
        )
        self._totals.clear()


_EMPTY_POSITION = dict.fromkeys(column.name for column in undigested(positions))


def begin(connection: Connection, game_number: int) -> None:
    """Give a game of the book its sums, those of no rows."""
    connection.execute(
        insert(digests), [{"game": game_number, "name": name, "total": 0} for name in SUMS]
    )


def refuse_altered(connection: Connection, game_number: int, book: str, *tables: Table) -> None:
    """Make sure that the rows of a game in these tables are what was written.

    To be done before their digests are made anew, which would make any damage sound.

    Raises:
        BookUnreadable: if one is not.
    """
    for table in tables:
        for rows in _all_rows(connection, table, game_number):
            for row in rows:
                if digest_of(table, row) != row["digest"]:
                    raise BookUnreadable(
                        f"{book} is damaged: row {row['id']} of {table.name} is not what was "
                        "written; fivebook verify tells more, fivebook repair mends it"
                    )


def digest_all(connection: Connection, game_number: int) -> None:
    """Make all digests of a game, and their sums, anew."""
    totals: Counter[str] = Counter()
    for table in DIGESTED:
        for rows in _all_rows(connection, table, game_number):
            changes = []
            for row in rows:
                digest = digest_of(table, row)
                if digest != row["digest"]:
                    changes.append({"row": row["id"], "digest": digest})
                totals[table.name] += summed(table, row, digest or 0)
                if table is positions:
                    totals[CONTENT] += shown_of(row)
            if changes:
                connection.execute(_set_digest[table], changes)
    connection.execute(delete(digests).where(digests.c.game == game_number))
    begin(connection, game_number)
    here = {"of": game_number}
    connection.execute(
        _set_sum,
        [here | {"named": name, "total": signed(total)} for name, total in totals.items()],
    )


def _all_rows(
    connection: Connection, table: Table, game_number: int
) -> Iterator[list[dict[str, Any]]]:
    """The rows of a game as they are, some at a time; they may be changed meanwhile."""
    after: Any = None
    game = table.c.id if table is games else table.c.game
    some = select(*as_is(table.c)).where(game == game_number)
    while True:
        here = some if after is None else some.where(table.c.id > after)
        rows = connection.execute(here.order_by(table.c.id).limit(AT_ONCE)).all()
        if not rows:
            return
        yield [row._asdict() for row in rows]
        after = rows[-1].id

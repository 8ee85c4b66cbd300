"""What a book claims, read by SQL: the rows of positions, and the links between them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select

from book.closing import Closing
from book.rows.batches import AT_ONCE, in_batches
from book.storage.address import Access, Address
from book.storage.database import explained, open_engine
from book.storage.schema import WITH_MOVE, RestState, games, moves, positions, undigested

# The scale of values, see docs/books.md: a win in n plies is WIN - n, a loss n - WIN.
WIN, _DECISIVE = 30_000, 29_000
_EXACT = 0

_child = positions.alias("child")
_rows = select(*undigested(positions)).where(
    positions.c.id.in_(bindparam("ids", expanding=True)), positions.c.game == bindparam("game")
)
_links = (
    select(moves, _child.c.stones, _child.c.value, _child.c.bound, _child.c.proven)
    .outerjoin(_child, (_child.c.id == moves.c.child) & (_child.c.game == bindparam("game")))
    .where(moves.c.parent.in_(bindparam("ids", expanding=True)))
    .order_by(moves.c.parent, moves.c.move, moves.c.child)
)
_by_lookup = select(*undigested(positions)).where(
    positions.c.lookup.in_(bindparam("lookups", expanding=True)),
    positions.c.game == bindparam("game"),
)
_proven = (
    select(positions.c.id)
    .where(positions.c.game == bindparam("game"), positions.c.proven)
    .order_by(positions.c.id)
)
_page = _proven.where(positions.c.id > bindparam("after")).limit(AT_ONCE)
_farthest = _proven.where(func.abs(positions.c.value) > _DECISIVE).order_by(None)
_farthest = _farthest.order_by(func.abs(positions.c.value), positions.c.id).limit(1)


@dataclass(frozen=True, slots=True)
class ProofClaim:
    """A value as it stands in a book, for the side to move."""

    value: int
    exact: bool
    proven: bool

    @property
    def says(self) -> bool:
        """Whether this is said to be proven, and a win, a loss or a draw."""
        return self.proven and (not self.value or _DECISIVE < abs(self.value) < WIN)

    @property
    def before(self) -> int:
        """The value of a move that leads here, for the side that makes it."""
        return before(self.value)

    def __str__(self) -> str:
        if not self.says:
            return f"{'a proven' if self.proven else 'an unproven'} {self.value:+d}"
        kind = "a win" if self.value > 0 else "a loss"
        return f"{kind} in {WIN - abs(self.value)}" if self.value else "a draw"


def before(value: int) -> int:
    """The value a move earlier, for the other side: a win or loss takes one ply more."""
    return -value + (value > 0) - (value < 0)


def behind(value: int) -> int:
    """The value a move later, for the other side; `before` undoes it."""
    return -value - (value > 0) + (value < 0)


@dataclass(frozen=True, slots=True)
class ProofLink:
    """A move to a stored position: its stones and claim are None where its row is missing."""

    move: int
    id: int
    stones: bytes | None
    claim: ProofClaim


@dataclass(frozen=True, slots=True)
class ProofRow:
    """A position as a book has it. `rest` is the claim of its rest slot, if that is filled, and
    `rest_line` the packed moves; `rest_ends` says that the first of these ends the game, and
    `rest_kept` that the claim is of the position itself, whichever moves are stored."""

    id: int
    stones: bytes
    claim: ProofClaim
    rest: ProofClaim | None
    rest_line: bytes
    rest_ends: bool
    rest_kept: bool
    links: tuple[ProofLink, ...]


class ProofRows(Closing):
    """The rows of one game in a book. A context manager.

    Raises:
        BookError: if the book cannot be read.
    """

    def __init__(self, address: Address, game_id: str) -> None:
        self._address = address
        self._engine = open_engine(address, Access.READ)
        with explained(address):
            self._connection = self._connect()
            named = select(games.c.id).where(games.c.name == game_id)
            self._game = self._connection.execute(named).scalar()

    def close(self) -> None:
        """Let go of the book."""
        self._connection.close()
        self._engine.dispose()

    def read(self, ids: Sequence[int]) -> dict[int, ProofRow]:
        """The positions with these numbers, as far as they are there, with their links."""
        links: defaultdict[int, list[ProofLink]] = defaultdict(list)
        for row in self._chosen(_links, "ids", ids):
            links[row.parent].append(ProofLink(row.move, row.child, row.stones, _claim(row)))
        rows = self._chosen(_rows, "ids", ids)
        return {row.id: _stored(row, tuple(links[row.id])) for row in rows}

    def find(self, stones: dict[bytes, int]) -> dict[bytes, tuple[int, ProofClaim]]:
        """The numbers and claims of those stored; `stones` gives the lookup number of each."""
        rows = self._chosen(_by_lookup, "lookups", sorted(set(stones.values())))
        return {row.stones: (row.id, _claim(row)) for row in rows if row.stones in stones}

    def proven(self) -> Iterator[int]:
        """The numbers of all proven positions, ascending."""
        after = -1
        while True:
            with explained(self._address):
                page = self._connection.execute(_page, {"game": self._game, "after": after})
                ids = list(page.scalars())
            if not ids:
                return
            yield from ids
            after = ids[-1]

    def farthest(self) -> int | None:
        """The number of the proven position whose end is farthest away; None without any."""
        with explained(self._address):
            found = self._connection.execute(_farthest, {"game": self._game}).scalar()
        return None if found is None else int(found)

    def _connect(self) -> Connection:
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def _chosen(self, rows: "Select[Any]", name: str, values: Sequence[int]) -> list["Row[Any]"]:
        """Those of `rows` with one of the values."""
        found: list[Row[Any]] = []
        with explained(self._address):
            for batch in in_batches(values):
                some = {name: batch, "game": self._game}
                found += self._connection.execute(rows, some)
        return found


def game_ids(address: Address) -> list[str]:
    """The ids of the games in a book.

    Raises:
        BookError: if it cannot be read.
    """
    engine = open_engine(address, Access.READ)
    with explained(address), engine.connect() as connection:
        return list(connection.execute(select(games.c.name).order_by(games.c.id)).scalars())


def _stored(row: "Row[Any]", links: tuple[ProofLink, ...]) -> ProofRow:
    filled = row.rest_state in WITH_MOVE
    return ProofRow(
        row.id,
        row.stones or b"",
        _claim(row),
        _claim(row, "rest_") if filled else None,
        (row.rest_line or b"") if filled else b"",
        row.rest_state == RestState.ENDS,
        row.rest_state == RestState.KEPT,
        links,
    )


def _claim(row: "Row[Any]", slot: str = "") -> ProofClaim:
    """What a row says of its position or, with the prefix of those columns, of its rest slot.

    Nothing is proven where a damaged row has nulls.
    """
    value, bound, proven = (getattr(row, slot + name) for name in ("value", "bound", "proven"))
    return ProofClaim(value or 0, bound == _EXACT, bool(proven) and value is not None)

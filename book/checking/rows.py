"""What a book claims, read by SQL: the rows of positions, and the links between them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, func, select

from book.address import Access, Address
from book.closing import Closing
from book.database import explained, open_engine
from book.schema import WITH_MOVE, RestState, games, moves, positions

# The scale of values, see docs/books.md: a win in n plies is WIN - n, a loss n - WIN.
_WIN, _DECISIVE = 30_000, 29_000
_EXACT = 0
# Databases limit how many values a statement may have.
_AT_ONCE = 500

_child = positions.alias("child")
_rows = select(positions).where(
    positions.c.id.in_(bindparam("ids", expanding=True)), positions.c.game == bindparam("game")
)
_links = (
    select(moves, _child.c.stones, _child.c.value, _child.c.bound, _child.c.proven)
    .outerjoin(_child, _child.c.id == moves.c.child)
    .where(moves.c.parent.in_(bindparam("ids", expanding=True)))
    .order_by(moves.c.parent, moves.c.move, moves.c.child)
)
_by_stones = select(positions.c.id, positions.c.stones).where(
    positions.c.lookup.in_(bindparam("lookups", expanding=True)),
    positions.c.game == bindparam("game"),
)
_proven = (
    select(positions.c.id)
    .where(positions.c.game == bindparam("game"), positions.c.proven)
    .order_by(positions.c.id)
)
_page = _proven.where(positions.c.id > bindparam("after")).limit(_AT_ONCE)
_farthest = _proven.where(func.abs(positions.c.value) > _DECISIVE).order_by(None)
_farthest = _farthest.order_by(func.abs(positions.c.value), positions.c.id).limit(1)


@dataclass(frozen=True, slots=True)
class Claim:
    """A value as it stands in a book, for the side to move."""

    value: int
    exact: bool
    proven: bool

    @property
    def result(self) -> int | None:
        """1, -1 or 0 for a proven win, loss or draw; None for anything else."""
        if not self.proven or 0 < abs(self.value) <= _DECISIVE:
            return None
        return (self.value > 0) - (self.value < 0)

    @property
    def plies(self) -> int:
        """Within how many plies a win or loss is claimed to come."""
        return _WIN - abs(self.value)

    def __str__(self) -> str:
        names = {1: f"a win in {self.plies}", -1: f"a loss in {self.plies}", 0: "a draw"}
        proven = "a proven" if self.proven else "an unproven"
        return names.get(self.result, f"{proven} {self.value:+d}")  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Link:
    """A move to a stored position: its stones and claim are None where its row is missing."""

    move: int
    id: int
    stones: bytes | None
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A position as a book has it. `rest` is the claim of its rest slot, if that is filled, and
    `rest_line` the packed moves; `rest_ends` says that the first of these ends the game, and
    `rest_kept` that the claim is of the position itself, whichever moves are stored."""

    id: int
    stones: bytes
    claim: Claim
    rest: Claim | None
    rest_line: bytes
    rest_ends: bool
    rest_kept: bool
    links: tuple[Link, ...]


class Rows(Closing):
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

    def read(self, ids: Sequence[int]) -> list[Stored]:
        """The positions with these numbers, as far as they are there, with their links."""
        links: defaultdict[int, list[Link]] = defaultdict(list)
        found: list[Stored] = []
        with explained(self._address):
            for start in range(0, len(ids), _AT_ONCE):
                some = {"ids": list(ids[start : start + _AT_ONCE]), "game": self._game}
                for row in self._connection.execute(_links, {"ids": some["ids"]}):
                    links[row.parent].append(_link(row))
                rows = self._connection.execute(_rows, some).all()
                found += [_stored(row, tuple(links[row.id])) for row in rows]
        return found

    def find(self, stones: dict[bytes, int]) -> dict[bytes, int]:
        """The numbers of those stored; `stones` gives the lookup number of each."""
        found: dict[bytes, int] = {}
        lookups = sorted(set(stones.values()))
        with explained(self._address):
            for start in range(0, len(lookups), _AT_ONCE):
                some = {"lookups": lookups[start : start + _AT_ONCE], "game": self._game}
                for id, here in self._connection.execute(_by_stones, some):
                    if here in stones:
                        found[here] = id
        return found

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


def game_ids(address: Address) -> list[str]:
    """The ids of the games in a book.

    Raises:
        BookError: if it cannot be read.
    """
    engine = open_engine(address, Access.READ)
    with explained(address), engine.connect() as connection:
        return list(connection.execute(select(games.c.name).order_by(games.c.id)).scalars())


def _stored(row: "Row[*tuple[object, ...]]", links: tuple[Link, ...]) -> Stored:
    filled = row.rest_state in WITH_MOVE
    return Stored(
        row.id,
        row.stones or b"",
        _claim(row.value, row.bound, row.proven),
        _claim(row.rest_value, row.rest_bound, row.rest_proven) if filled else None,
        (row.rest_line or b"") if filled else b"",
        row.rest_state == RestState.ENDS,
        row.rest_state == RestState.KEPT,
        links,
    )


def _link(row: "Row[*tuple[object, ...]]") -> Link:
    claim = None if row.stones is None else _claim(row.value, row.bound, row.proven)
    return Link(row.move, row.child, row.stones, claim)


def _claim(value: int | None, bound: int | None, proven: bool | None) -> Claim:
    """A claim; nothing is proven where a damaged row has nulls."""
    return Claim(value or 0, bound == _EXACT, bool(proven) and value is not None)

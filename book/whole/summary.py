"""A book in numbers."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Integer, bindparam, func, select

from book.entry import Entry
from book.errors import BookUnreadable
from book.reader import BookReader
from book.rows.digests import CONTENT, content_digest
from book.rows.imports import Imports
from book.rows.sound import require_sound
from book.storage.revisions import has_imports
from book.storage.schema import counts, digests, games, moves, positions, runs, tasks, undigested
from book.storage.store import store_of
from engine.accuracy import CLASSES, class_of
from engine.errors import FivebookError
from engine.game import Game

_of_game = games.c.name == bindparam("name")
_by_ply = (
    select(
        counts.c.ply,
        func.sum(counts.c.positions).label("positions"),
        func.sum(counts.c.proven).label("proven"),
        func.sum(counts.c.nodes).label("nodes"),
        func.sum(counts.c.depth * counts.c.positions).label("depth"),
        func.max(counts.c.depth).label("deepest"),
    )
    .join(games)
    .where(_of_game, counts.c.positions > 0)
    .group_by(counts.c.ply)
    .order_by(counts.c.ply)
)
_by_depth = (
    select(
        counts.c.depth,
        func.sum(counts.c.positions).label("positions"),
        func.sum(counts.c.proven).label("proven"),
    )
    .join(games)
    .where(_of_game, counts.c.positions > 0)
    .group_by(counts.c.depth)
)
_runs = select(*undigested(runs)).join(games).where(_of_game).order_by(runs.c.id)
_content = select(digests.c.total).join(games).where(_of_game, digests.c.name == CONTENT)
_planned = select(func.count()).select_from(tasks.join(games)).where(_of_game)
_at = select(bindparam("at", type_=Integer).label("id")).cte("below", recursive=True)
_led_to = _at.union(select(moves.c.child).join(_at, moves.c.parent == _at.c.id))
_below = select(func.count(), func.max(positions.c.ply)).join(
    _led_to, _led_to.c.id == positions.c.id
)


@dataclass(frozen=True, slots=True)
class Layer:
    """The stored positions of one ply; depth and nodes are of their last searches."""

    ply: int
    positions: int
    proven: int
    nodes: int
    mean_depth: float
    deepest: int


@dataclass(frozen=True, slots=True)
class Run:
    """One build run; `ended` is None if it was killed or is still going on."""

    id: int
    started: str
    ended: str | None
    version: str
    evaluation: str
    parameters: dict[str, Any]
    positions: int
    searches: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a book holds of one game.

    `content` is the digest of what an export shows, None in a book from before there were any;
    `planned` are searches that are yet to enter the book. `sure` tells, of the positions that are
    not proven, how many are of each class of accuracy; none where nobody has measured them.
    """

    game: Game
    content: str | None
    layers: tuple[Layer, ...]
    runs: tuple[Run, ...]
    planned: int
    sure: dict[str, int]

    @property
    def positions(self) -> int:
        """All stored positions."""
        return sum(layer.positions for layer in self.layers)

    @property
    def proven(self) -> int:
        """The positions with a proven value."""
        return sum(layer.proven for layer in self.layers)

    @property
    def nodes(self) -> int:
        """The nodes of all build runs."""
        return sum(run.nodes for run in self.runs)


@dataclass(frozen=True, slots=True)
class RootState:
    """How far a book has grown below one of the roots of its last run that had several.

    `entry` is None until the root itself was searched. `positions` are those that it leads to, with
    itself; `to_ply` is the ply of the deepest.
    """

    line: str
    entry: Entry | None
    positions: int
    to_ply: int


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """A file that was imported, and what of it is in the book: positions, and values among them."""

    name: str
    form: str
    at: str
    positions: int
    values: int


def root_states(reader: BookReader, summary: Summary) -> list[RootState]:
    """Each root's state, in their order; none where no run had several.

    Raises:
        BookUnreadable: if a run's roots are none of its game.
    """
    runs = [run for run in summary.runs if "roots" in run.parameters]
    if not runs:
        return []
    game = summary.game
    states = []
    for line in runs[-1].parameters["roots"]:
        try:
            root = game.play_line(game.parse_line(line))
        except (FivebookError, AttributeError, TypeError) as error:
            raise BookUnreadable(
                f"'{reader.address}' is damaged: a run has a root that is none: {line!r}"
            ) from error
        with reader.rows_of(game) as rows:
            row = rows.get(game.canonical(root).key)
            positions, to_ply = (0, root.ply) if row is None else rows.select(_below, at=row.id)[0]
        states.append(RootState(line, reader.get(game, root), positions, to_ply))
    return states


def imported_files(reader: BookReader, game: Game) -> list[ImportedSource]:
    """The files that were imported for `game`, in that order."""
    with reader.rows_of(game) as rows:
        if not has_imports(rows.connection):
            return []
        return [ImportedSource(*row) for row in Imports(rows).listed()]


def size_on_disk(reader: BookReader) -> int:
    """The bytes that the book takes, with its indexes and with what is not yet in its place."""
    with reader.connection() as connection:
        return store_of(reader.address).size(connection)


def _parameters(text: Any, reader: BookReader) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
        limits = parameters["limits"]
    except (KeyError, RecursionError, TypeError, ValueError):
        limits = None
    if not isinstance(limits, dict):
        raise BookUnreadable(
            f"'{reader.address}' is damaged: a run has lost its limits; fivebook repair mends that"
        )
    found: dict[str, Any] = parameters
    return found


def summarise(reader: BookReader, game: Game) -> Summary:
    """The numbers of `game` in an open book."""
    named = {"name": game.id}
    with reader.connection() as connection:
        require_sound(connection, reader.address, runs, counts)
        layers = [
            Layer(
                row.ply,
                int(row.positions),
                int(row.proven),
                int(row.nodes),
                float(row.depth / row.positions),
                row.deepest,
            )
            for row in connection.execute(_by_ply, named)
        ]
        found = [
            Run(
                row.id,
                row.started,
                row.ended,
                row.version,
                row.evaluation,
                _parameters(row.parameters, reader),
                row.positions,
                row.searches,
                row.nodes,
            )
            for row in connection.execute(_runs, named)
        ]
        sure = _by_class(connection, game)
        planned = connection.execute(_planned, named).scalar_one()
        content = _content_of(connection, reader, game)
    return Summary(game, content, tuple(layers), tuple(found), planned, sure)


def _by_class(connection: Connection, game: Game) -> dict[str, int]:
    """How many positions that are not proven are of each class of accuracy."""
    found = dict.fromkeys(CLASSES, 0)
    for depth, positions_of_depth, proven in connection.execute(_by_depth, {"name": game.id}):
        name = class_of(game.accuracy.uncertainty(depth, proven=False))
        if name is None:
            return {}
        found[name] += int(positions_of_depth) - int(proven)
    return {name: number for name, number in found.items() if number}


def _content_of(connection: Connection, reader: BookReader, game: Game) -> str | None:
    if not reader.has_digests:
        return None
    total = connection.execute(_content, {"name": game.id}).scalar()
    if total is None:
        raise BookUnreadable(
            f"'{reader.address}' is damaged: a sum of digests is missing; fivebook repair mends it"
        )
    return content_digest(game, total)

"""A book's rows as text, for people and other programs."""

import csv
import json
from collections.abc import Callable, Generator, Iterable, Mapping
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from sqlalchemy import Connection, select, text

from book.errors import BookUnreadable, BookUnwritable
from book.rows.encoding import BOUNDS, AnyRow, stones_by_name
from book.rows.sound import require_sound
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, explained, open_engine
from book.storage.revisions import has_imports
from book.storage.schema import games, imported, moves, positions, runs, sources
from book.storage.store import store_of
from book.visible import visible
from engine import registry
from engine.game import Game

Record = dict[str, Any]

# In an order that depends on the content alone.
_RECORDS = """
SELECT b.game, b.ply, p.lookup, p.stones, b.dark, b.light, p.value,
    CASE p.bound WHEN 0 THEN 'exact' WHEN 1 THEN 'lower' ELSE 'upper' END AS bound, p.proven,
    (SELECT {joined}(name || '=' || value, ' ') FROM (
        SELECT name, value FROM known_moves WHERE id = p.id ORDER BY value DESC, move
     ) AS ordered) AS moves,
    CASE p.rest_state WHEN 1 THEN 'none' WHEN 2 THEN 'pending' WHEN 4 THEN 'kept' ELSE 'open' END
        AS rest,
    (SELECT line FROM known_moves WHERE id = p.id AND source = 'rest') AS rest_line,
    p.rest_proven, p.open_cost, p.depth, p.nodes, p.milliseconds, p.run,
    r.version, r.evaluation, r.parameters
FROM positions AS p JOIN boards AS b ON b.id = p.id JOIN runs AS r ON r.id = p.run
WHERE p.game = :game ORDER BY b.ply, p.lookup
"""
_SAID = """
SELECT i.lookup, i.stones, i.ply, i.games, i.dark_wins, i.draws, i.light_wins, i.value, i.bound,
    i.depth, i.label, i.comment, s.name AS source, s.form
FROM imported AS i JOIN sources AS s ON s.id = i.source
WHERE i.game = :game ORDER BY i.ply, i.lookup, i.source
"""
_FIELDS = [
    *("game", "ply", "position", "dark", "light", "value", "bound", "proven", "moves"),
    *("rest", "rest_line", "rest_proven", "open_cost", "depth", "nodes"),
    *("milliseconds", "run", "version", "evaluation", "limits"),
    *("games", "dark_wins", "draws", "light_wins", "imported"),
]
_RESULTS = ("games", "dark_wins", "draws", "light_wins")
# Of a file in each of the formats.
_STARTS = (b"game,ply,", b'{"game": ', b'[\n{"game": ', b"[]\n", b"PAR1")
_LONGEST_START = 16
_PROVENANCE = {"milliseconds", "run", "version", "evaluation", "limits"}
_IMPORTED = {*_RESULTS, "imported"}
_TRUTHS_AND_NUMBERS = {
    *("ply", "value", "proven", "rest_proven", "open_cost", "depth", "nodes"),
    *("milliseconds", "run", *_RESULTS),
}
_ROWS_AT_ONCE = 10_000


def fields(*, reproducible: bool = False) -> list[str]:
    """The names of a record's fields, in order; see `records`."""
    left_out = _PROVENANCE | _IMPORTED if reproducible else set()
    return [name for name in _FIELDS if name not in left_out]


def records(
    address: AnyAddress,
    *,
    reproducible: bool = False,
    wanted: Callable[[Game, bytes], bool] = lambda game, stones: True,
) -> Generator[Record]:
    """Every stored position with its moves, by game, ply and key; in canonical orientation.

    Positions that were imported and not searched come among them, with nothing in the fields of a
    search. `wanted` is asked about each, by its game and stones. `reproducible` leaves out what may
    differ between two builds of the same book: times, what ran, and what was imported.

    Raises:
        BookError: if there is no readable book.
    """
    names = fields(reproducible=reproducible)
    address = Address.of(address)
    engine = open_engine(address, Access.READ)
    with explained(address), engine.connect() as connection:
        require_sound(connection, address, runs, positions, moves)
        with_imports = not reproducible and has_imports(connection)
        if with_imports:
            require_sound(connection, address, sources, imported)
        held = connection.execute(select(games.c.name, games.c.id)).all()
        for name, number in sorted((row.name, row.id) for row in held):
            game = registry.get(name)
            rows = _rows(connection, store_of(address).join_texts, number, with_imports)
            # Positions are ordered by a part of their key only.
            for _, alike in groupby(rows, itemgetter("ply", "lookup")):
                some = [row for row in alike if wanted(game, row["stones"])]
                told = [_told(record, address) for record in _together(game, some)]
                for record in sorted(told, key=itemgetter("position")):
                    yield {name: record[name] for name in names}


def _rows(
    connection: Connection, joined: str, game: int, with_imports: bool
) -> Iterable[Mapping[str, Any]]:
    """The rows of a game, searched ones and what was imported, by ply and lookup."""
    streamed = connection.execution_options(stream_results=True)
    here = {"game": game}
    statements = [_RECORDS.format(joined=joined), *([_SAID] if with_imports else [])]
    found = (map(_columns, streamed.execute(text(each), here)) for each in statements)
    return merge(*found, key=itemgetter("ply", "lookup"))


def _columns(row: AnyRow) -> Mapping[str, Any]:
    return row._asdict()


def _together(game: Game, rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    """A record for each position of some rows, with all that was imported of it."""
    found: dict[bytes, Record] = {}
    for row in rows:
        record = found.setdefault(row["stones"], dict.fromkeys([*_FIELDS, "parameters"]))
        if "source" in row:
            _add_said(record, row)
        else:
            record |= row
        record["position"] = game.key(row["stones"]).hex()
    return [record if record["game"] else _only_said(game, record) for record in found.values()]


def _only_said(game: Game, record: Record) -> Record:
    """The record of a position that was imported alone, with its place."""
    try:
        dark, light = stones_by_name(game, record["stones"])
    except ValueError as error:
        raise BookUnreadable(
            "the book is damaged: what was imported has stones that are no position; fivebook "
            "repair takes it out"
        ) from error
    return record | {"game": game.id, "dark": dark or None, "light": light or None}


def _add_said(record: Record, row: Mapping[str, Any]) -> None:
    record |= {"ply": row["ply"], "stones": row["stones"]}
    for name in _RESULTS if row["games"] else ():
        record[name] = (record[name] or 0) + row[name]
    if row["value"] is not None or row["label"] or row["comment"]:
        said = {name: row[name] for name in ("source", "value", "depth", "label", "comment")}
        said["format"] = row["form"]
        said["bound"] = None if row["bound"] is None else BOUNDS[row["bound"]].value
        before = json.loads(record["imported"] or "[]")
        record["imported"] = json.dumps([*before, said], ensure_ascii=False)


def _told(record: Record, address: Address) -> Record:
    """A record as it is written, alike for all databases."""
    if record["parameters"] is not None:
        try:
            limits = json.loads(record["parameters"])["limits"].items()
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            raise BookUnreadable(f"'{address}' is damaged: a run has lost its limits") from None
        record["limits"] = " ".join(f"{name}={value}" for name, value in limits if value)
        for name in ("version", "evaluation", "limits"):
            record[name] = visible(str(record[name]))
    for name in ("proven", "rest_proven"):
        record[name] = None if record[name] is None else int(record[name])
    return record


def is_export(path: Path) -> bool:
    """Whether a file begins as one that was written here, or is empty.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_LONGEST_START)
    return not start or start.startswith(_STARTS)


def write_csv(names: list[str], rows: Iterable[Record], file: TextIO) -> None:
    """Comma-separated values after a line of names."""
    # Read before the file is touched: a book that cannot be read leaves none behind.
    rows = iter(rows)
    first = list(islice(rows, 1))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(chain(first, rows))


def write_jsonl(_names: list[str], rows: Iterable[Record], file: TextIO) -> None:
    """One JSON object a line."""
    for record in rows:
        file.write(json.dumps(record) + "\n")


def write_json(_names: list[str], rows: Iterable[Record], file: TextIO) -> None:
    """One JSON array."""
    separator = "[\n"
    for record in rows:
        file.write(separator + json.dumps(record))
        separator = ",\n"
    file.write("[]\n" if separator == "[\n" else "\n]\n")


WRITERS: dict[str, Callable[[list[str], Iterable[Record], TextIO], None]] = {
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
}


def write_parquet(names: list[str], rows: Iterable[Record], file: BinaryIO) -> None:
    """A table of Parquet.

    Raises:
        BookUnwritable: if what writes it is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise BookUnwritable(
            "Parquet needs pyarrow: pip install 'fivebook[parquet]', or choose csv"
        ) from error
    schema = pyarrow.schema(
        [
            (name, pyarrow.int64() if name in _TRUTHS_AND_NUMBERS else pyarrow.string())
            for name in names
        ]
    )
    rows = iter(rows)
    some = list(islice(rows, _ROWS_AT_ONCE))
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while some:
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))
            some = list(islice(rows, _ROWS_AT_ONCE))

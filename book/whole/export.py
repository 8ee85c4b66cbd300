"""A book's rows as text, for people and other programs."""

import csv
import json
from collections.abc import Callable, Generator, Iterable
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import RowMapping, text

from book.errors import BookUnreadable
from book.rows.sound import require_sound
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, explained, open_engine
from book.storage.schema import moves, positions, runs
from book.storage.store import store_of
from book.visible import visible
from engine import registry

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
ORDER BY b.game, b.ply, p.lookup
"""
_FIELDS = (
    "game ply position dark light value bound proven moves rest rest_line rest_proven "
    "open_cost depth nodes milliseconds run version evaluation limits"
)
# Of a file in each of the formats.
_STARTS = (b"game,ply,", b'{"game": ', b'[\n{"game": ', b"[]\n")
_LONGEST_START = 16
_PROVENANCE = {"milliseconds", "run", "version", "evaluation", "limits"}


def fields(*, reproducible: bool = False) -> list[str]:
    """The names of a record's fields, in order; see `records`."""
    left_out = _PROVENANCE if reproducible else set()
    return [name for name in _FIELDS.split() if name not in left_out]


def records(address: AnyAddress, *, reproducible: bool = False) -> Generator[Record]:
    """Every stored position with its moves, by game, ply and key; in canonical orientation.

    `reproducible` leaves out what may differ between two builds of the same book: times, and
    what ran.

    Raises:
        BookError: if there is no readable book.
    """
    names = fields(reproducible=reproducible)
    address = Address.of(address)
    engine = open_engine(address, Access.READ)
    with explained(address), engine.connect() as connection:
        require_sound(connection, address, runs, positions, moves)
        rows = connection.execution_options(stream_results=True).execute(
            text(_RECORDS.format(joined=store_of(address).join_texts))
        )
        # Positions are ordered by a part of their key only.
        for _, alike in groupby(rows.mappings(), itemgetter("game", "ply", "lookup")):
            found = [_told(row, address) for row in alike]
            for record in sorted(found, key=itemgetter("position")):
                yield {name: record[name] for name in names}


def _told(row: RowMapping, address: Address) -> Record:
    """A row as it is written, alike for all databases."""
    record = {**row, "position": registry.get(row["game"]).key(row["stones"]).hex()}
    try:
        limits = json.loads(row["parameters"])["limits"].items()
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise BookUnreadable(f"'{address}' is damaged: a run has lost its limits") from None
    record["limits"] = " ".join(f"{name}={value}" for name, value in limits if value)
    for name in ("version", "evaluation", "limits"):
        record[name] = visible(str(record[name]))
    for name in ("proven", "rest_proven"):
        record[name] = None if row[name] is None else int(row[name])
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

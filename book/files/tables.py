"""Tables as `fivebook export` writes them: a row for each position (CSV, JSON lines, Parquet).

The columns `game`, `dark` and `light` say where it is, `value`, `bound` and `depth` what it is
worth, `games`, `dark_wins`, `draws` and `light_wins` how it was played, and `imported` what files
said of it. Others are passed over, and any of those but the first three may be missing.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Noted, Request, Results
from book.files.format import Format
from engine import registry
from engine.errors import InvalidMove, UnknownGame
from engine.game import Game
from engine.position import Position, board_of
from engine.values import WIN, Bound

_WHERE = ("game", "dark", "light")
_RESULTS = ("games", "dark_wins", "draws", "light_wins")
_MOST_GAMES = (1 << 31) - 1
_LONGEST_LINE = 1 << 24
_ROWS_AT_ONCE = 1000

Row = Mapping[str, Any]


def _reader(rows: Callable[[BinaryIO], Iterable[Row]]) -> Callable[..., Iterator[Item]]:
    """A reader of tables whose rows `rows` finds."""

    def read(file: BinaryIO, request: Request) -> Iterator[Item]:
        number = 0
        for number, row in enumerate(rows(file), start=1):
            if number > request.most_nodes:
                raise InvalidRecord(f"it has more than {request.most_nodes:,} rows: split it")
            try:
                noted = _noted(row, request, f"row {number:,}")
            except (InvalidRecord, InvalidMove, UnknownGame) as error:
                raise InvalidRecord(f"row {number:,}: {error}") from error
            if noted is not None:
                yield noted
        if not number:
            raise InvalidRecord("it has no rows")

    return read


def _noted(row: Row, request: Request, place: str) -> Noted | None:
    missing = [name for name in _WHERE if name not in row]
    if missing:
        raise InvalidRecord(f"the column '{missing[0]}' is missing")
    game = registry.get(_text(row, "game"))
    if not request.wants(game, place):
        return None
    said = _first_said(row)
    value = _number(row, "value", -WIN, WIN)
    own = row if value is not None else said
    bound = _text(own, "bound")
    return Noted(
        game,
        _position(game, row),
        value=_number(own, "value", -WIN, WIN),
        bound=Bound(bound) if bound in list(Bound) else None,
        depth=_number(own, "depth", 0, _MOST_GAMES) or 0,
        label=_text(said, "label"),
        comment=request.kept(_text(said, "comment")),
        results=_results(row),
    )


def _position(game: Game, row: Row) -> Position:
    dark, light = (
        {game.parse_cell(name) for name in _text(row, side).split()} for side in ("dark", "light")
    )
    if dark & light or len(dark) - len(light) not in (0, 1):
        raise InvalidRecord("its stones are not those of dark and light by turns")
    return Position(board_of(dark), board_of(light))


def _first_said(row: Row) -> Row:
    """What files said of the position, in one: the first value, and all comments."""
    try:
        said = json.loads(_text(row, "imported") or "[]")
    except (RecursionError, ValueError) as error:
        raise InvalidRecord("the column 'imported' is no JSON") from error
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said):
        raise InvalidRecord("the column 'imported' is no list of what files said")
    none: Row = {}
    first = next((each for each in said if each.get("value") is not None), none)
    comments = [_text(each, "comment") for each in said]
    return {
        **first,
        "label": next(filter(None, (_text(each, "label") for each in said)), ""),
        "comment": "\n".join(filter(None, comments)),
    }


def _results(row: Row) -> Results:
    results = Results(*(_number(row, name, 0, _MOST_GAMES) or 0 for name in _RESULTS))
    if sum(results[1:]) > results.games:
        raise InvalidRecord("more games ended than were played")
    return results


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidRecord(f"'{name}' is {str(value)[:40]}, and is to be a text")
    return value or ""


def _number(row: Row, name: str, least: int, most: int) -> int | None:
    value = row.get(name)
    if value is None or value == "":
        return None
    try:
        number = int(value)
    except (OverflowError, TypeError, ValueError):
        number = most + 1
    if not least <= number <= most:
        raise InvalidRecord(f"'{name}' is {str(value)[:40]}, and runs from {least} to {most:,}")
    return number


def _csv_rows(file: BinaryIO) -> Iterator[Row]:
    csv.field_size_limit(_LONGEST_LINE)
    try:
        yield from csv.DictReader(_lines(file))
    except csv.Error as error:
        raise InvalidRecord(f"it is no table: {error}") from error


def _json_rows(file: BinaryIO) -> Iterator[Row]:
    for line in _lines(file):
        try:
            row = json.loads(line) if line.strip() else None
        except (RecursionError, ValueError) as error:
            raise InvalidRecord("a line is no JSON") from error
        if isinstance(row, dict):
            yield row
        elif row is not None:
            raise InvalidRecord("a line is no object of JSON")


def _lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a text, with their ends."""
    encoding = "utf-8-sig"
    while line := file.readline(_LONGEST_LINE):
        try:
            yield line.decode(encoding)
        except UnicodeDecodeError as error:
            raise InvalidRecord("it is no text in UTF-8") from error
        encoding = "utf-8"


def _parquet_rows(file: BinaryIO) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise InvalidRecord("reading it needs pyarrow: pip install 'fivebook[parquet]'") from error
    try:
        for batch in parquet.ParquetFile(file).iter_batches(_ROWS_AT_ONCE):
            yield from batch.to_pylist()
    except (ArrowException, OSError, ValueError) as error:
        if isinstance(error, InvalidRecord):
            raise
        raise InvalidRecord("it cannot be read") from error


FORMATS = (
    Format(
        name="csv",
        title="table of CSV",
        endings=(".csv",),
        is_one=lambda start: start.startswith(b"game,ply,"),
        read=_reader(_csv_rows),
    ),
    Format(
        name="jsonl",
        title="table of JSON lines",
        endings=(".jsonl",),
        is_one=lambda start: start.startswith(b'{"game": '),
        read=_reader(_json_rows),
    ),
    Format(
        name="parquet",
        title="table of Parquet",
        endings=(".parquet",),
        is_one=lambda start: start.startswith(b"PAR1"),
        read=_reader(_parquet_rows),
    ),
)

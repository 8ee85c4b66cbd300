"""The command that compares books: `fivebook diff`."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TextIO

import click
from rich.box import SIMPLE
from rich.table import Table

from book.rows.encoding import stones_by_name
from book.storage.address import Address
from book.whole.diff import Compared, Comparison, OneSided, Opinion, compare, compare_imports
from book.whole.export import write_csv, write_json
from book.whole.moment import Moment
from engine.game import Game
from fivebook.console import console, echo
from fivebook.displays.positions import describe_book_value, describe_stones
from fivebook.options import BOOK, json_option

_Record = dict[str, Any]
_Counts = Counter[tuple[str, int, Comparison]]

_SIDE = ("value", "bound", "proven", "best")
_FIELDS = [
    *("kind", "game", "ply", "dark", "light"),
    *(f"{which}_{name}" for which in ("first", "second") for name in _SIDE),
]


@click.command()
@click.argument("first", type=BOOK, metavar="A")
@click.argument("second", type=BOOK, metavar="B")
@click.option("--list", "listed", is_flag=True, help="List the positions that only one has, too.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the listed positions as CSV.")
@json_option
@click.pass_context
def diff(
    ctx: click.Context, first: Address, second: Address, listed: bool, as_csv: bool, as_json: bool
) -> None:
    """Compare the books A and B: which positions they hold, and what they say of each.

    Positions that both hold are listed where value, proof, bound or best move differ, in
    canonical orientation. What was searched, how deep and when is not compared. Files that only one
    of them has imported are named. The exit status
    is 0 if nothing differs, 1 if something does, and 2 for bad input.

    \b
    Examples:
      fivebook diff before.db after.db
      fivebook diff before.db after.db --list --csv > differences.csv
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json cannot be combined")
    counts: _Counts = Counter()
    with Moment(first) as one, Moment(second) as other:
        found = _listed(compare(one, other), counts, with_missing=listed)
        files = compare_imports(one, other)
        if as_csv:
            write_csv(_FIELDS, map(_as_dict, found), sys.stdout)
        elif as_json:
            _write_json(first, second, found, counts, files, sys.stdout)
        else:
            for compared in found:
                echo(_describe(compared))
            _print_counts(counts)
            for file in files:
                which = "A" if file.kind is Comparison.ONLY_FIRST else "B"
                echo(f"{file.game}: only {which} has imported {file.file}")
    ctx.exit(int(_differ(counts, files)))


def _differ(counts: _Counts, files: Sequence[OneSided]) -> bool:
    return bool(files) or any(kind is not Comparison.SAME for _, _, kind in counts)


def _listed(
    found: Iterator[Compared], counts: _Counts, *, with_missing: bool
) -> Iterator[Compared]:
    """Those that are to be listed, while all go into `counts`."""
    for compared in found:
        kind = compared.kind
        counts[compared.game.id, compared.ply, kind] += 1
        if kind is Comparison.DIFFERENT or (with_missing and kind is not Comparison.SAME):
            yield compared


def _describe(compared: Compared) -> str:
    game = compared.game
    sides = (
        "not there"
        if side is None
        else f"{describe_book_value(side.value)} {game.format_move(side.move)}"
        for side in (compared.first, compared.second)
    )
    return f"{describe_stones(game, compared.stones)}: {' / '.join(sides)}"


def _as_dict(compared: Compared) -> _Record:
    game = compared.game
    dark, light = stones_by_name(game, compared.stones)
    values = (
        *(compared.kind.value, game.id, compared.ply, dark, light),
        *_side(game, compared.first),
        *_side(game, compared.second),
    )
    return dict(zip(_FIELDS, values, strict=True))


def _side(game: Game, side: Opinion | None) -> list[object]:
    if side is None:
        return [None] * len(_SIDE)
    value = side.value
    return [value.value, value.bound.value, int(value.proven), game.format_move(side.move)]


def _write_json(
    first: Address,
    second: Address,
    found: Iterator[Compared],
    counts: _Counts,
    files: Sequence[OneSided],
    out: TextIO,
) -> None:
    """One object, with the positions as they are found: there may be many."""
    books = json.dumps({"first": str(first), "second": str(second)})
    out.write(f'{books[:-1]}, "positions": ')
    write_json(_FIELDS, map(_as_dict, found), out)
    plies = [
        {"game": game, "ply": ply} | {kind.value: number for kind, number in kinds.items()}
        for (game, ply), kinds in _by_ply(counts)
    ]
    rest = {
        "plies": plies,
        "imports": [asdict(file) for file in files],
        "equal": not _differ(counts, files),
    }
    out.write(f", {json.dumps(rest)[1:]}\n")


def _by_ply(counts: _Counts) -> Iterator[tuple[tuple[str, int], dict[Comparison, int]]]:
    for game, ply in sorted({(game, ply) for game, ply, _ in counts}):
        yield (game, ply), {kind: counts[game, ply, kind] for kind in Comparison}


def _print_counts(counts: _Counts) -> None:
    table = Table("game", "ply", "same", "different", "only in A", "only in B", box=SIMPLE)
    for column in table.columns[1:]:
        column.justify = "right"
    for (game, ply), kinds in _by_ply(counts):
        table.add_row(game, str(ply), *(f"{number:,}" for number in kinds.values()))
    console.print(table)

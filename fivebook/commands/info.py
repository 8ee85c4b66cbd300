"""``fivebook info``."""

from dataclasses import asdict
from typing import Any

import click
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from book.entry import Entry
from book.reader import BookReader
from book.storage.address import Address
from book.visible import visible
from book.whole.summary import Summary, imported_files, size_on_disk, summarise
from engine.game import Game
from engine.values import describe_value
from fivebook.console import console, print_json, say
from fivebook.displays.runs import describe_search
from fivebook.options import BOOK, json_option

_MOST_FILES = 20


@click.command()
@click.argument("book", type=BOOK)
@json_option
def info(book: Address, as_json: bool) -> None:
    """Say what BOOK holds: positions by ply, proofs, search effort, runs, size.

    \b
    Examples:
      fivebook info gomoku.db
      fivebook info gomoku.db --json
    """
    with BookReader(book) as reader:
        contents = [
            (summarise(reader, game), reader.get(game, game.initial)) for game in reader.games
        ]
        size = size_on_disk(reader)
        files = {game: imported_files(reader, game) for game in reader.games}
        misses = {game: _count_misses(book, game) for game in reader.games}
    if as_json:
        games = [
            _as_dict(summary, root)
            | {"asked": misses[summary.game], "imported": list(map(asdict, files[summary.game]))}
            for summary, root in contents
        ]
        print_json({"book": str(book), "bytes": size, "games": games})
        return
    console.print(
        Text.assemble((visible(str(book)), "bold"), f": {size:,} bytes on disk"), soft_wrap=True
    )
    for summary, root in contents:
        _print_summary(summary, root, size)
        for file in files[summary.game][:_MOST_FILES]:
            say(
                f"imported {file.at} from {file.name} ({file.form}): {file.positions:,} positions, "
                f"{file.values:,} values"
            )
        if more := files[summary.game][_MOST_FILES:]:
            say(f"and from {len(more):,} other files")
        if misses[summary.game]:
            waiting = f"{misses[summary.game]:,} positions wait for fivebook build --mode learn"
            say(waiting)


def _count_misses(book: Address, game: Game) -> int:
    """How many positions of `game` the book was asked for and did not hold."""
    if not any(book.beside(ending).exists() for ending in ("misses", "asked")):
        return 0
    # Most books have no such file, and loading what reads it takes a moment.
    from book.misses import Misses

    return Misses(book).count(game)


def _as_dict(summary: Summary, root: Entry | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "game": summary.game.id,
        "positions": summary.positions,
        "proven": summary.proven,
        "nodes": summary.nodes,
        "planned": summary.planned,
        "content": summary.content,
        "layers": [asdict(layer) for layer in summary.layers],
        "runs": [asdict(run) for run in summary.runs],
    }
    if root is not None:
        game = summary.game
        data["root"] = {
            "value": root.value,
            "proven": root.proven,
            "line": [game.format_move(move) for move in root.moves[0].line],
        }
    return data


def _print_summary(summary: Summary, root: Entry | None, size: int) -> None:
    game = summary.game
    density = f", {size / summary.positions:.0f} bytes a position" if summary.positions else ""
    console.print(
        Text.assemble(
            "\n",
            (game.id, "bold"),
            f" ({game.title}): {summary.positions:,} positions, "
            f"{summary.proven:,} proven, {summary.nodes:,} nodes searched{density}",
        )
    )
    if summary.content is not None:
        say(f"content: {summary.content}")
    if root is not None:
        value = describe_value(root.value, root.proven)
        say(f"root: {value}  {game.format_line(root.moves[0].line)}")
    if summary.planned:
        say(f"{summary.planned} searches are planned or not yet entered")
    layers = Table("ply", "positions", "proven", "mean depth", "deepest", "nodes", box=SIMPLE)
    for column in layers.columns:
        column.justify = "right"
    for layer in summary.layers:
        layers.add_row(
            str(layer.ply),
            f"{layer.positions:,}",
            f"{layer.proven:,}",
            f"{layer.mean_depth:.1f}",
            str(layer.deepest),
            f"{layer.nodes:,}",
        )
    console.print(layers)
    table = Table("run", "started", "ended", "positions", "searches", "nodes", "limits", box=SIMPLE)
    for run in summary.runs:
        table.add_row(
            str(run.id),
            run.started,
            run.ended or "did not end",
            f"{run.positions:,}",
            f"{run.searches:,}",
            f"{run.nodes:,}",
            describe_search(run.parameters),
        )
    console.print(table)

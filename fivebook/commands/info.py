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
from book.whole.summary import (
    RootState,
    Summary,
    imported_files,
    root_states,
    size_on_disk,
    summarise,
)
from engine.accuracy import CLASSES
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
        roots = {summary.game: root_states(reader, summary) for summary, _ in contents}
        size = size_on_disk(reader)
        files = {game: imported_files(reader, game) for game in reader.games}
        misses = {game: _count_misses(book, game) for game in reader.games}
    if as_json:
        games = [
            _as_dict(summary, root)
            | {"roots": [_root_as_dict(summary.game, state) for state in roots[summary.game]]}
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
        _print_roots(roots[summary.game])
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
        "accuracy": summary.sure,
        "layers": [asdict(layer) for layer in summary.layers],
        "runs": [asdict(run) for run in summary.runs],
    }
    if root is not None:
        data["root"] = _value_as_dict(summary.game, root)
    return data


def _value_as_dict(game: Game, entry: Entry) -> dict[str, Any]:
    line = [game.format_move(move) for move in entry.moves[0].line]
    return {"value": entry.value, "proven": entry.proven, "line": line}


def _root_as_dict(game: Game, state: RootState) -> dict[str, Any]:
    known = {} if state.entry is None else _value_as_dict(game, state.entry)
    return {"root": state.line, "positions": state.positions, "to_ply": state.to_ply} | known


def _print_roots(states: list[RootState]) -> None:
    """A line for each root, if there are several: its value for the side to move, and growth."""
    if not states:
        return
    table = Table("root", "value", "positions below", "to ply", box=SIMPLE)
    for column in table.columns[2:]:
        column.justify = "right"
    for state in states:
        entry = state.entry
        value = "not searched yet" if entry is None else describe_value(entry.value, entry.proven)
        table.add_row(state.line, value, f"{state.positions:,}", str(state.to_ply))
    console.print(table)


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
    if summary.sure:
        classes = ", ".join(
            f"{name} (±{CLASSES[name]:.1%}) {number:,}" for name, number in summary.sure.items()
        )
        say(f"not proven, by how far winning chances may well be off: {classes}")
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

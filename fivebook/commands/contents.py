"""The commands about a book: `fivebook info`, `fivebook log`, `fivebook export`."""

from contextlib import closing
from dataclasses import asdict
from typing import Any, TextIO

import click
from rich.box import SIMPLE
from rich.table import Table

from book.entry import Entry
from book.errors import BookError
from book.reader import BookReader
from book.storage.address import Address
from book.whole.export import WRITERS, fields, records
from book.whole.summary import Summary, size_on_disk, summarise
from engine.game import Game
from engine.search import SearchOptions
from fivebook.console import BOOK, console, describe_value, json_option, print_json


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
        misses = {game: _count_misses(book, game) for game in reader.games}
    if as_json:
        games = [
            _as_dict(summary, root) | {"asked": misses[summary.game]} for summary, root in contents
        ]
        print_json({"book": str(book), "bytes": size, "games": games})
        return
    console.print(f"[bold]{book}[/bold]: {size:,} bytes on disk", highlight=False)
    for summary, root in contents:
        _print_summary(summary, root, size)
        if misses[summary.game]:
            waiting = f"{misses[summary.game]:,} positions wait for fivebook build --mode learn"
            console.print(waiting, highlight=False)


@click.command()
@click.argument("book", type=BOOK)
@json_option
def log(book: Address, as_json: bool) -> None:
    """List the build runs of BOOK: what each added, with which version, evaluation and limits.

    Each position names the run that searched it last; see fivebook export.

    \b
    Examples:
      fivebook log gomoku.db
      fivebook log gomoku.db --json
    """
    with BookReader(book) as reader:
        runs = {game.id: summarise(reader, game).runs for game in reader.games}
    if as_json:
        print_json([{"game": game, **asdict(run)} for game in runs for run in runs[game]])
        return
    for game in runs:
        for run in runs[game]:
            ended = run.ended or "did not end"
            console.print(f"[bold]run {run.id}[/bold] {game} {run.started} to {ended}")
            console.print(
                f"  fivebook {run.version}, evaluation {run.evaluation or 'without a file'}, "
                f"{_describe_search(run.parameters)}{_describe_growth(run.parameters)}",
                highlight=False,
                soft_wrap=True,
            )
            console.print(
                f"  {run.positions:,} positions, {run.searches:,} searches, {run.nodes:,} nodes",
                highlight=False,
            )


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "--format", "form", type=click.Choice(sorted(WRITERS)), default="csv", show_default=True
)
@click.option("-o", "--output", type=click.File("w"), default="-", help="File to write to.")
@click.option(
    "--reproducible",
    is_flag=True,
    help="Leave out times and runs: equal books then give equal files.",
)
def export(book: Address, form: str, output: TextIO, reproducible: bool) -> None:
    """Write every position of BOOK with its moves, one row each, in canonical orientation.

    The same rows can be had by SQL: the views boards, known_moves, lines and best_moves are
    made for sqlite-utils, Datasette and the like.

    \b
    Examples:
      fivebook export gomoku.db > gomoku.csv
      fivebook export gomoku.db --format jsonl -o gomoku.jsonl
      sqlite-utils query gomoku.db "select * from best_moves where ply < 4" -t
    """
    try:
        names = fields(reproducible=reproducible)
        with closing(records(book, reproducible=reproducible)) as rows:
            WRITERS[form](names, rows, output)
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BookError(f"cannot write '{output.name}': {error.strerror}") from error


def _count_misses(book: Address, game: Game) -> int:
    """How many positions of `game` the book was asked for in vain."""
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
    console.print(
        f"\n[bold]{game.id}[/bold] ({game.title}): {summary.positions:,} positions, "
        f"{summary.proven:,} proven, {summary.nodes:,} nodes searched, "
        f"{size / max(1, summary.positions):.0f} bytes a position",
        highlight=False,
    )
    if root is not None:
        value = describe_value(root.value, root.proven)
        console.print(f"root: {value}  {game.format_line(root.moves[0].line)}", highlight=False)
    if summary.planned:
        console.print(f"{summary.planned} searches are planned or not yet entered")
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
            _describe_search(run.parameters),
        )
    console.print(table)


def _describe_growth(parameters: dict[str, Any]) -> str:
    """Where a run let the book grow, where that is not from the empty board by costs alone."""
    told = ("mode", "side", "root", "plies", "max_loss", "total_loss")
    given = {name: parameters.get(name) for name in told}
    return "".join(f", {name} {value}" for name, value in given.items() if value not in (None, ""))


def _describe_search(parameters: dict[str, Any]) -> str:
    """The limits of a run's searches, and their table where it is not the usual one."""
    given = {**parameters["limits"], "table": parameters.get("table")}
    if given["table"] == SearchOptions().table:
        del given["table"]
    return " ".join(f"{name}={value}" for name, value in given.items() if value)

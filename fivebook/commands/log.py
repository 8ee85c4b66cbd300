"""``fivebook log``."""

from dataclasses import asdict

import click
from rich.text import Text

from book.reader import BookReader
from book.storage.address import Address
from book.whole.summary import summarise
from fivebook.console import console, print_json, say
from fivebook.displays.runs import describe_growth, describe_search
from fivebook.options import BOOK, json_option


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
            heading = (f"run {run.id}", "bold")
            console.print(Text.assemble(heading, f" {game} {run.started} to {ended}"))
            say(
                f"  fivebook {run.version}, evaluation {run.evaluation or 'without a file'}, "
                f"{describe_search(run.parameters)}{describe_growth(run.parameters)}"
            )
            say(f"  {run.positions:,} positions, {run.searches:,} searches, {run.nodes:,} nodes")

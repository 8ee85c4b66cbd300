"""``fivebook balance``."""

from random import Random
from typing import Any

import click
from rich.table import Table

from book.storage.address import Address
from engine.errors import FivebookError
from engine.game import Game
from engine.search import SearchOptions
from engine.values import describe_value
from fivebook.console import console, print_json, say
from fivebook.options import BOOK, GAME, POSITIVE, TABLE, json_option
from service.answerer import Answerer
from service.inquiry import Inquiry
from service.play.drawing import draw
from service.play.evenness import EvenLine, even_lines, scattered, single_moves

# Of several stones so many choices are drawn.
_DRAWN = 64


class _NothingToBalance(FivebookError):
    """A position after which there is no game to be even."""


@click.command()
@click.argument("game", type=GAME)
@click.argument("moves", nargs=-1)
@click.option("--book", type=BOOK, help="Book to look into first.")
@click.option(
    "--stones",
    type=click.IntRange(1, 3),
    default=1,
    show_default=True,
    help="Stones to put: one is looked for among all moves, more among some that are drawn.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws those.")
@click.option(
    "--lines",
    type=click.IntRange(1, 20),
    default=5,
    show_default=True,
    help="How many choices to show, the most even first.",
)
@click.option(
    "--nodes",
    type=POSITIVE,
    default=20_000,
    show_default=True,
    help="Nodes of the search of each of them.",
)
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="Transposition table of the searches, in MiB.",
)
@json_option
def balance(
    game: Game,
    moves: tuple[str, ...],
    book: Address | None,
    stones: int,
    seed: int,
    lines: int,
    nodes: int,
    table: int,
    as_json: bool,
) -> None:
    """Find moves that make a position of GAME even, from a book and by searches.

    MOVES lead to the position; none: the empty board. Values are for the side to move after the
    stones were put. Each has its interval: what the book says and what searches of a quarter, half
    and all of the nodes find lies between its ends. It tells how far a value moves while the search
    goes deeper, and promises nothing.

    \b
    Examples:
      fivebook balance gomoku-15 "h8 h9"
      fivebook balance gomoku-15 "h8 h9 f10" --stones 2 --book gomoku.db
      fivebook balance gomoku-15-renju --stones 3 --seed 4 --json
    """
    inquiry = Inquiry.read(game, " ".join(moves))
    drawn = (
        single_moves(inquiry) if stones == 1 else scattered(inquiry, stones, _DRAWN, Random(seed))
    )
    if not drawn:
        raise _NothingToBalance("there are no such moves after which the game goes on")
    books = [] if book is None else [book]
    with Answerer(books, options=SearchOptions(table=table)) as answerer:
        found = even_lines(answerer, inquiry, drawn, nodes=nodes, count=min(lines, len(drawn)))
    if as_json:
        print_json(_document(inquiry, found))
    else:
        _print(inquiry, found)


def _document(inquiry: Inquiry, found: list[EvenLine]) -> dict[str, Any]:
    game = inquiry.game
    return {
        "game": game.id,
        "position": game.format_line(inquiry.played),
        "to_move_after": str(found[0].answer.position.to_move),
        "lines": [
            {
                "moves": game.format_line(line.moves),
                "value": line.answer.value,
                "win_rate": line.answer.win_rate,
                "proven": line.answer.proven,
                "interval": {"value": [line.low, line.high], "win_rate": list(line.win_rates)},
                "source": line.answer.source,
                "depth": line.answer.depth,
                "nodes": line.answer.nodes,
            }
            for line in found
        ],
    }


def _print(inquiry: Inquiry, found: list[EvenLine]) -> None:
    game = inquiry.game
    say(f"{game.title}: {game.format_line(inquiry.played) or 'the empty board'}\n")
    say(draw(game, inquiry.position))
    say(f"\nValues are for {found[0].answer.position.to_move}, who is to move afterwards.\n")
    table = Table("moves")
    for name in ("value", "chance", "interval", "depth"):
        table.add_column(name, justify="right")
    table.add_column("source")
    for line in found:
        answer = line.answer
        low, high = (f"{100 * rate:.1f}" for rate in line.win_rates)
        table.add_row(
            game.format_line(line.moves),
            describe_value(answer.value, answer.proven),
            f"{answer.win_rate:.1%}",
            f"{low} to {high} %",
            str(answer.depth),
            answer.source,
        )
    console.print(table)

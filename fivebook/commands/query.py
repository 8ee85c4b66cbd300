"""``fivebook query``."""

from contextlib import nullcontext

import click
from msgspec import to_builtins
from rich.table import Table

from book.errors import PositionNotFound
from book.files.contents import Coordinates
from book.imported import Imported
from book.storage.address import Address
from engine import registry
from engine.game import Game
from engine.search import Limits, SearchOptions
from engine.values import describe_value
from fivebook.console import console, print_json, say
from fivebook.displays.imports import describe_hint, describe_results
from fivebook.options import (
    BOOK,
    DURATION,
    GAME,
    POSITIVE,
    TABLE,
    THREADS,
    coordinates_option,
    json_option,
    name_game,
)
from service.answerer import Answerer
from service.answers import Answer, Source
from service.compact import answer_of, open_compact
from service.inquiry import Inquiry
from service.notated import NotatedAnswer
from service.play.drawing import draw

_MOVETIME = 0.5
_MOST_LINES = 50


@click.command()
@click.argument("book", type=BOOK)
@click.argument("moves", nargs=-1)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@click.option(
    "--movetime",
    type=DURATION,
    help="Time of the live search if the book does not hold the position.  [default: 500ms]",
)
@click.option("--nodes", type=POSITIVE, help="Nodes of that search, instead of or besides a time.")
@click.option("--depth", type=POSITIVE, help="Depth of that search, in plies, likewise.")
@click.option(
    "--lines",
    type=click.IntRange(1, _MOST_LINES),
    default=1,
    show_default=True,
    help="Moves that the search looks for; the book shows all it knows.",
)
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Threads of it.")
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="Its transposition table, in MiB.",
)
@coordinates_option
@click.option("--book-only", is_flag=True, help="Do not search: fail if the book has no answer.")
@json_option
def query(
    book: Address,
    moves: tuple[str, ...],
    game: Game | None,
    movetime: float | None,
    nodes: int | None,
    depth: int | None,
    lines: int,
    threads: int,
    table: int,
    coordinates: str,
    book_only: bool,
    as_json: bool,
) -> None:
    """Show the moves of a position, best first, from BOOK or else from a live search.

    MOVES lead to the position: h8 i9, h8i9, 8,8 9,9 or SGF's hh ig; none: the empty board. A board
    as it is drawn here will do as well. Values are for the side to move. What was imported is told
    below them. BOOK may also be a compact book, as fivebook export --format compact writes it,
    which knows the best move alone.

    \b
    Examples:
      fivebook query gomoku.db
      fivebook query gomoku.db "h8 i9"
      fivebook query swap.db b2:13 --movetime 2s --lines 3
      fivebook query both.db --game gomoku-15 "h8 i9" --nodes 100000 --json
    """
    if not (movetime or nodes or depth):
        movetime = _MOVETIME
    limits, text = Limits(depth, nodes, movetime), " ".join(moves)
    options = SearchOptions(threads, table)
    compact = open_compact(book)
    with (
        nullcontext() if compact is None else compact,
        Answerer([book] if compact is None else [], options=options) as answerer,
    ):
        if compact is None:
            game = game or answerer.game(None)
        else:
            game = registry.get(name_game(book, [compact.game.id], game))
        inquiry = Inquiry.read(game, text, Coordinates(coordinates))
        try:
            if compact is None:
                answer = answerer.answer(inquiry, limits, book_only=True, lines=game.move_count)
            else:
                answer = answer_of(compact, inquiry)
        except PositionNotFound:
            if book_only:
                raise
            # Only now, since a book hit needs no engine.
            answerer.prepare(game)
            answer = answerer.answer(inquiry, limits, lines=lines)
    if as_json:
        print_json(to_builtins(NotatedAnswer.of(answer)))
    else:
        _print(answer, book)


def _print(answer: Answer, book: Address) -> None:
    game, side = answer.game, answer.position.to_move
    say(f"{game.title}: {_told(answer)}\n")
    say(draw(game, answer.position))
    if answer.outcome is not None:
        say(f"\nThe game is over: {answer.outcome.value}.")
        return
    value = describe_value(answer.value, answer.proven)
    say(f"\n{side} to move, {value}; {_origin(answer, book)}\n")
    if answer.forbidden:
        say(f"forbidden to {side}: {game.format_line(answer.forbidden)}\n")
    table = Table("move")
    table.add_column("value", justify="right")
    table.add_column("depth", justify="right")
    table.add_column("source")
    table.add_column("line")
    for move in answer.moves:
        value = describe_value(move.value, move.proven)
        name, line = game.format_move(move.move), game.format_line(move.line)
        table.add_row(name, value, str(move.depth), move.origin, line)
    console.print(table)
    if answer.imported is not None:
        _print_imported(answer.imported, game)


def _print_imported(imported: Imported, game: Game) -> None:
    if imported.results.games or imported.moves:
        say(f"\n{describe_results(imported.results)}")
    for move, results in imported.moves:
        say(f"{game.format_move(move)}  {describe_results(results)}")
    for hint in imported.hints:
        say(f"\n{describe_hint(hint)}")


def _told(answer: Answer) -> str:
    """Which position an answer is about."""
    if answer.played or not answer.position.ply:
        return answer.game.format_line(answer.played) or "the empty board"
    return f"a board with {answer.position.ply} stones"


def _origin(answer: Answer, book: Address) -> str:
    search = f" (depth {answer.depth}, {answer.nodes:,} nodes, {1000 * answer.seconds:,.0f} ms)"
    if answer.found_live is not None:
        return f"not in {book.name}, {answer.found_live}{search}"
    found = "proven in" if answer.source is Source.PROOF else "from"
    # A compact book does not tell what was searched.
    return f"{found} {book.name}{search if answer.depth or answer.nodes else ''}"

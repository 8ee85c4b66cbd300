"""The command that shows the main lines: `fivebook tree`."""

from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from book.reader import BookReader
from book.storage.address import Address
from book.whole.tree import Branch, grow
from engine.accuracy import class_of
from engine.game import Game
from engine.values import describe_value
from fivebook.console import console, print_json
from fivebook.options import BOOK, GAME, POSITIVE, game_of, json_option


@click.command()
@click.argument("book", type=BOOK)
@click.argument("moves", nargs=-1)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@click.option("--plies", type=POSITIVE, default=4, show_default=True, help="How deep it goes.")
@click.option("--width", type=POSITIVE, default=3, show_default=True, help="Moves of a position.")
@json_option
def tree(
    book: Address,
    moves: tuple[str, ...],
    game: Game | None,
    plies: int,
    width: int,
    as_json: bool,
) -> None:
    """Show the main lines of BOOK below a position: the best moves, the best replies to them, ...

    MOVES lead to the position; none: the empty board. Each move has its value for the side that
    plays it and the depth of the search behind it. A dash: the position after it is not in the
    book. A position that several lines lead to is told once.

    \b
    Examples:
      fivebook tree gomoku.db
      fivebook tree gomoku.db "h8 i9" --plies 6 --width 2
      fivebook tree both.db --game gomoku-15 --json
    """
    with BookReader(book) as reader:
        game = game_of(reader, game)
        line = game.parse_line(" ".join(moves))
        position = game.play_line(line)
        entry = reader.find(game, position)
        branches = grow(reader, game, position, plies=plies, width=width)
    start = game.format_line(line)
    if as_json:
        print_json(
            {
                "game": game.id,
                "position": start,
                "value": entry.value,
                "proven": entry.proven,
                "moves": [_as_dict(game, branch) for branch in branches],
            }
        )
        return
    value = describe_value(entry.value, entry.proven)
    root = Tree(Text.assemble((start or "the empty board", "bold"), f"  {value}"))
    _hang(root, game, branches)
    console.print(root, highlight=False)


def _hang(tree: Tree, game: Game, branches: list[Branch]) -> None:
    for branch in branches:
        source = f"depth {branch.depth}" if branch.in_book else "–"
        sure = class_of(game.accuracy.uncertainty(branch.depth, branch.proven))
        text = Text.assemble(
            (game.format_move(branch.move), "bold"),
            f"  {describe_value(branch.value, branch.proven)}",
            (f"  {source}", "dim"),
            (f"  {sure}" if sure and not branch.proven else "", "dim"),
            ("  seen elsewhere" if branch.seen else "", "italic"),
        )
        _hang(tree.add(text), game, branch.branches)


def _as_dict(game: Game, branch: Branch) -> dict[str, Any]:
    return {
        "move": game.format_move(branch.move),
        "value": branch.value,
        "proven": branch.proven,
        "depth": branch.depth,
        "uncertainty": game.accuracy.uncertainty(branch.depth, branch.proven),
        "source": "book" if branch.in_book else "rest",
        "seen": branch.seen,
        "moves": [_as_dict(game, following) for following in branch.branches],
    }

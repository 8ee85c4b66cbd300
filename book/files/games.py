"""Games among what is read and written: whether they can be played, and a book's main line."""

from collections.abc import Sequence

from book.errors import InvalidRecord
from book.files.format import Writing
from engine.errors import IllegalMove
from engine.game import Game, Outcome
from engine.position import Move


def played(
    game: Game, moves: Sequence[Move], outcome: Outcome | None = None
) -> tuple[tuple[Move, ...], Outcome | None]:
    """The moves of a game, and how it ended: on the board, or else as `outcome` says.

    Raises:
        InvalidRecord: if one of them cannot be played.
    """
    try:
        on_board = game.outcome(game.play_line(moves))
    except IllegalMove as error:
        raise InvalidRecord(str(error)) from error
    return tuple(moves), on_board or outcome


def main_line(writing: Writing) -> tuple[Move, ...]:
    """The moves down to the first leaf of a book's first tree; other lines are left out.

    Raises:
        InvalidRecord: if no way of moves leads there.
    """
    line: tuple[Move, ...] | None = None
    for node in writing.nodes():
        if node.has_child:
            continue
        if line is not None:
            writing.left_out.add("a line beside the main line")
        elif node.path is None:
            raise InvalidRecord("no moves from the empty board lead to what is to be written")
        else:
            line = node.path
    return line or ()

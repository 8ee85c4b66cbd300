"""What managers made for Yixin read: lines of a search, forbidden points, and books as databases.

The forms: https://github.com/accreator/Yixin-protocol. Values there are for whoever moved into a
position where they are words, and for the side to move where they are numbers.
"""

from collections.abc import Callable, Iterator

from engine.game import Game
from engine.position import Cell, Position
from engine.values import Bound, Value, describe_value, from_child, is_decisive
from service.answers import Answer, AnswerMove, win_rate

Name = Callable[[Cell], str]
"""How the protocol writes a cell: ``x,y``."""

_NOT_STORED = "DATABASE ONE 0 0 0 0"
_UNDECIDED = -1
_BOUNDS = {Bound.UPPER: 1, Bound.LOWER: 2, Bound.EXACT: 3}
_TURNED = {Bound.UPPER: Bound.LOWER, Bound.LOWER: Bound.UPPER, Bound.EXACT: Bound.EXACT}
# So many characters of a label fit into its number.
_LONGEST_LABEL = 4


def best_lines(answer: Answer, count: int, name: Name) -> Iterator[str]:
    """The `count` best moves of an answer with their lines, a message each, best first."""
    for number, move in enumerate(answer.moves[:count], start=1):
        cells = " ".join(name(answer.game.cell_of(each)) for each in move.line or (move.move,))
        yield (
            f"{number}: {describe_value(move.value, move.proven)} ({move.win_rate:.1%}), "
            f"depth {move.depth}, {move.origin}: {cells}"
        )


def forbidden(game: Game, position: Position) -> str:
    """The points that the rule forbids the side to move, two digits for column and row each."""
    cells = (divmod(game.cell_of(move), game.width) for move in game.forbidden_moves(position))
    return "FORBID " + "".join(f"{column:02}{row:02}" for row, column in cells) + "."


def stored_moves(answer: Answer | None, name: Name) -> Iterator[str]:
    """The moves that a book knows, a message each, between one that begins and one that ends."""
    yield "DATABASE REFRESH"
    for move in () if answer is None else answer.moves:
        assert answer is not None
        column, row = name(answer.game.cell_of(move.move)).split(",")
        label = _number(_label(move.value, move.proven))
        yield f"DATABASE {column} {row} {label} {_after(move)} 0"
    yield "DATABASE DONE"


def stored_position(answer: Answer | None) -> str:
    """What a book knows of one position, as a message."""
    if answer is None:
        return _NOT_STORED
    label = _label(-answer.value, answer.proven)
    mark = ord(label[0]) if answer.proven else _UNDECIDED
    bound = _BOUNDS[answer.bound]
    return f"DATABASE ONE {mark} {answer.value} {answer.depth} {bound} {label}"


def stored_text() -> str:
    """The comment on a position, of which books have none."""
    return 'DATABASE TEXT ""'


def _after(move: AnswerMove) -> str:
    """Value, depth and bound of the position behind a move, for the side to move there."""
    return f"{from_child(move.value)} {move.depth} {_BOUNDS[_TURNED[move.bound]]}"


def _label(value: Value, proven: bool) -> str:
    """The result for whoever moved: w, l or d with its plies, or a chance in per cent."""
    if not proven:
        return f"{min(int(100 * win_rate(value, proven)), 99)}%"
    if not is_decisive(value):
        return "d"
    return f"{'w' if value > 0 else 'l'}{describe_value(value, proven).split()[-1]}"


def _number(label: str) -> int:
    """The characters of a label as one number, the first one highest."""
    return int.from_bytes(label[:_LONGEST_LABEL].encode(), "big")

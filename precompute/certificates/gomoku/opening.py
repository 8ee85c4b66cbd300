"""The opening of a strategy: the lines whose ends are proved as parts, and what leads to them.

From the empty board the winner opens in the centre and puts his second stone beside the first;
each of his opponent's two replies, up to symmetry, begins a part. Where the root lies deeper, or
the first stone elsewhere, a part begins at the root or after each reply to it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from book.certificates.gomoku.file import Entry
from book.certificates.gomoku.writer import entry_of_moves
from engine.errors import FivebookError
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy import openings
from engine.position import Move, Side
from precompute.certificates.gomoku.adviser import board_from
from precompute.certificates.gomoku.part import rules_for

Line = tuple[Move, ...]

WINNER = Side.DARK
# Stones on the board where a part begins.
_PART = 4


class NoThirdStone(FivebookError):
    """A line does not end with a second stone that the winner could choose."""


class Opening:
    """The opening from `root` on, of a win of the first player."""

    def __init__(self, game: Gomoku, root: Line = ()) -> None:
        self._game = game
        self.root = root
        self._replies: dict[Line, list[Line]] = {}
        self._is_usual = root[:1] in ((), (openings.first_move(game),)) and len(root) < _PART

    @cached_property
    def undecided(self) -> list[Line]:
        """The lines after which the winner's second stone is to be chosen."""
        if not self._is_usual or len(self.root) > 2:
            return []
        if len(self.root) == 2:
            return [self.root]
        first = openings.first_move(self._game)
        return [(first, second) for second in openings.second_moves(self._game)]

    def given(self, thirds: Iterable[Line]) -> dict[Line, Move]:
        """The winner's second stones after `undecided` that these lines of three moves end with.

        They may have any orientation; those of other openings do not count.

        Raises:
            NoThirdStone: if one is no such line.
            IllegalMove: if one cannot be played.
        """
        game = self._game
        own = {line: game.canonical(game.play_line(line)) for line in self.undecided}
        lines = {canonical.stones: line for line, canonical in own.items()}
        found = {}
        for third in thirds:
            game.play_line(third)
            if len(third) != _PART - 1 or not self._is_first(third[0]):
                raise NoThirdStone(
                    f"'{game.format_line(third)}' is no first stone in the centre, a reply and a "
                    "third stone"
                )
            image = game.canonical(game.play_line(third[:-1]))
            line = lines.get(image.stones)
            if line is not None:
                move = game.map_move(third[-1], image.symmetry)
                found[line] = game.map_move(move, game.inverse(own[line].symmetry))
        return found

    def parts(self, chosen: Mapping[Line, Move]) -> Iterator[list[Line]]:
        """The lines at whose ends parts begin, for each of `undecided` that has been `chosen`."""
        for line in self.undecided:
            if line in chosen:
                yield self.after_replies((*line, chosen[line]))
        if not self.undecided:
            yield self.after_replies(self.root) if self._replies_at_root else [self.root]

    def after_replies(self, line: Line) -> list[Line]:
        """`line` with each reply, one of each kind up to symmetry."""
        if line not in self._replies:
            position = self._game.play_line(line)
            children = self._game.children(position)
            self._replies[line] = [(*line, child.moves[0]) for child in children]
        return self._replies[line]

    def move(self, line: Line, chosen: Mapping[Line, Move]) -> Move:
        """The winner's move after `line`; in `chosen` are those that the opening leaves open."""
        return openings.first_move(self._game) if not line else chosen[line]

    def entries(self, chosen: Mapping[Line, Move]) -> Iterator[Entry]:
        """The entries of the opening; `chosen` are the winner's moves, also those of the parts."""
        if self._replies_at_root:
            lines = [self.root]
        elif self.root in self.undecided or not self.root:
            lines = [(*self.root, self.move(self.root, chosen))]
        else:
            lines = []
        while lines:
            line = lines.pop()
            yield self._entry(line, chosen)
            if len(line) + 1 < _PART and self._is_usual:
                lines += [(*reply, self.move(reply, chosen)) for reply in self.after_replies(line)]

    def _is_first(self, move: Move) -> bool:
        """Whether the winner's first stone is an image of that."""
        game = self._game
        first = openings.first_move(game)
        return any(game.map_move(move, symmetry) == first for symmetry in game.symmetries)

    @property
    def _replies_at_root(self) -> bool:
        """Whether it is the opponent's turn at the root."""
        return self._game.play_line(self.root).to_move is not WINNER

    def _entry(self, line: Line, chosen: Mapping[Line, Move]) -> Entry:
        """The entry after `line`: every reply is answered as its image is that has been chosen."""
        game = self._game
        position = game.play_line(line)
        moves: dict[Move, Move] = {}
        for child in game.children(position):
            move = self.move((*line, child.moves[0]), chosen)
            move = game.map_move(move, game.canonical(game.play(position, child.moves[0])).symmetry)
            for reply in child.moves:
                symmetry = game.canonical(game.play(position, reply)).symmetry
                moves[reply] = game.map_move(move, game.inverse(symmetry))
        return entry_of_moves(rules_for(game.id), board_from(position, WINNER), moves)

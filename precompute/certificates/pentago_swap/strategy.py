"""What is told of a supernode of Pentago-swap, and by whom.

A supernode is four quadrants' contents, and a mask of 24 bits says which of its arrangements are
meant: see `book.certificates.pentago_swap.arrangements`, whose numbering of cells and arrangements
all numbers here have that are not the solver's.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

import numpy as np

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.single_board import SingleBoard, board_of
from book.closing import Closing
from engine.errors import FivebookError
from engine.position import Position
from engine.proof import Prover

# What the exact solver may spend on finding that a win is shorter than it has to be.
_NODES_FOR_SHORTER = 200_000

# The two keys of a supernode.
Supernode = tuple[int, int]
# A free cell, and the mask of arrangements after the swap.
SupernodeMove = tuple[int, int]


class NoStrategy(FivebookError):
    """The solver's answers are no winning strategy."""


class Strategy(Protocol):
    """Tells how White, to move, wins boards of pentago-swap; for one thread at a time."""

    def moves(self, white: int, black: int, boards: int, plies: int) -> Sequence[SupernodeMove]:
        """Moves by which White wins the `boards` of a supernode within `plies`, as far as it does.

        A cell for each, and arrangements after White's swap from each of which he wins. The fewer
        cells, the smaller the certificate.
        """
        ...


class SupernodeSolver(Protocol):
    """What Pentago-swap's exact solver knows of supernodes, in its own numbering: see
    `engine.games.quadrants.swap.supernode_wins`."""

    def wins(
        self, mine: int, theirs: int, wanted: int, plies: int, *, nodes: int | None = None
    ) -> int | None:
        """The arrangements of `wanted` won by the side to move; None if `nodes` did not do."""
        ...

    def moves(self, mine: int, theirs: int, wanted: int, plies: int) -> tuple[SupernodeMove, ...]:
        """Few moves by which it wins them, as far as it does."""
        ...

    def copy(self) -> Self:
        """Another one that knows the same, for another thread."""
        ...


@runtime_checkable
class SupernodeProver(Prover, Protocol):
    """A prover that can tell what it knows by supernodes."""

    def supernode_wins(self) -> SupernodeSolver:
        """What is known, for one thread."""
        ...


class SolverStrategy:
    """The strategy of the exact solver."""

    def __init__(self, solver: SupernodeSolver) -> None:
        self._solver = solver

    def moves(self, white: int, black: int, boards: int, plies: int) -> Sequence[SupernodeMove]:
        """See `Strategy`: the win that is shortest for all boards, as far as it is soon found."""
        wanted = turned_over(boards)
        for shorter in range(3, plies, 2):
            wins = self._solver.wins(white, black, wanted, shorter, nodes=_NODES_FOR_SHORTER)
            if wins is None:
                break
            if wins == wanted:
                plies = shorter
                break
        if self._solver.wins(white, black, wanted, plies) != wanted:
            return ()
        moves = self._solver.moves(white, black, wanted, plies)
        return [(cell, turned_over(after)) for cell, after in moves]


def _turned_over() -> list[int]:
    """For each arrangement by places the number of that by contents, which is its inverse."""
    numbers = {each: number for number, each in enumerate(arrangements.ARRANGEMENTS)}
    return [
        numbers[tuple(each.index(content) for content in range(4))]
        for each in permutations(range(4))
    ]


_TURNED_OVER = _turned_over()


def turned_over(mask: int) -> int:
    """A mask of the solver's arrangements as one of the checker's, and the other way round.

    The solver tells at which place each slot lies, the checker which content lies at each place.
    """
    return sum(1 << _TURNED_OVER[number] for number in numbers(mask))


@dataclass(frozen=True, slots=True)
class EntryRules:
    """What has no entry, and what has one without a move.

    What the checker's search wins within `short` plies has none. What it wins with at most `leaf`
    plies left, in fewer than `nodes`, needs no move. Where it wins in fewer than `nodes_for_moves`,
    the moves are those it found: often much sooner than a strategy that has yet to search.
    """

    short: int
    leaf: int
    nodes: int
    nodes_for_moves: int = 0

    @property
    def signature(self) -> str:
        """The rules as files of answers name them: it never changes."""
        rules = ", ".join(f"{name}={value}" for name, value in asdict(self).items())
        return f"Rules({rules})"


@dataclass(frozen=True, slots=True)
class SupernodeAnswer:
    """Those boards of a supernode that need an entry, and its moves."""

    boards: int
    moves: tuple[SupernodeMove, ...]


class SupernodeAnswerer:
    """Answers supernodes by the checker's own search, and by a strategy; for one thread."""

    def __init__(self, strategy: Strategy, rules: EntryRules) -> None:
        self._strategy = strategy
        self._rules = rules
        self._scratch = np.zeros(arrangements.SCRATCH, dtype=np.int64)

    def answer(
        self, supernode: Supernode, boards: int, plies: int, *, start: bool = False
    ) -> SupernodeAnswer:
        """What a certificate has to say of `boards`, to be won by White within `plies`.

        Depends on nothing that was asked before but for what the strategy remembers. A `start`
        has an entry in any case.

        Raises:
            NoStrategy: if the strategy does not win them.
        """
        white, black = arrangements.white_of(*supernode), arrangements.black_of(*supernode)
        arrangements.forget(self._scratch)
        if not start:
            boards &= ~self._won(white, black, boards, min(self._rules.short, plies))
        if not boards:
            return SupernodeAnswer(0, ())
        if plies <= self._rules.leaf and self._won(white, black, boards, plies) == boards:
            return SupernodeAnswer(boards, ())
        moves, left = self._fewest(white, boards, self._found(white, black, boards, plies))
        if left:
            moves, left = self._fewest(
                white, boards, self._strategy.moves(white, black, boards, plies)
            )
        if left:
            board = board_of((*supernode, left & -left))
            raise NoStrategy(f"the strategy does not win the position {board}")
        return SupernodeAnswer(boards, moves)

    def _won(self, white: int, black: int, boards: int, plies: int, nodes: int = 0) -> int:
        if plies < 1:
            return 0
        nodes = nodes or self._rules.nodes
        return int(arrangements.won(white, black, boards, plies, nodes, self._scratch))

    def _found(self, white: int, black: int, boards: int, plies: int) -> list[SupernodeMove]:
        """Moves that the checker's search finds, those first that win most boards."""
        if not self._rules.nodes_for_moves:
            return []
        self._won(white, black, boards, plies, self._rules.nodes_for_moves)
        after = self._scratch[arrangements.FOUND : arrangements.FOUND + 36].tolist()
        moves = [(cell, after[cell]) for cell in range(36) if after[cell]]
        return sorted(
            moves, key=lambda move: (-(arrangements.reach(move[1]) & boards).bit_count(), move)
        )

    def _fewest(
        self, white: int, boards: int, moves: Sequence[SupernodeMove]
    ) -> tuple[tuple[SupernodeMove, ...], int]:
        """Few arrangements of the moves that win the boards, and the boards they do not win.

        Those first that end the game, since they need no answers; taken greedily.
        """
        fewest: dict[int, int] = {}
        for cell, after in moves:
            five = int(arrangements.fives(white | 1 << cell, self._scratch))
            for some in (after & five, after & ~five):
                while boards & arrangements.reach(some):
                    best = max(
                        numbers(some),
                        key=lambda n: (arrangements.reach(1 << n) & boards).bit_count(),
                    )
                    fewest[cell] = fewest.get(cell, 0) | 1 << best
                    boards &= ~int(arrangements.reach(1 << best))
        return tuple(sorted(fewest.items())), boards


class AnswerFile(Closing):
    """Answers kept in a file: a certificate that was cut off goes on with them.

    A line for each, numbers to the base of 16; the first names the rules they keep to.

    Raises:
        FivebookError: if the answers keep to other rules.
    """

    def __init__(self, path: Path, rules: EntryRules) -> None:
        self._known: dict[tuple[int, int, int, int], SupernodeAnswer] = {}
        head = f"fivebook answers by {rules.signature}"
        lines = path.read_text(errors="replace").split("\n") if path.exists() else [""]
        if lines[0] and lines[0] != head:
            raise FivebookError(
                f"'{path}' keeps the answers of another certificate: delete or rename it"
            )
        for line in lines[1:]:
            self._read(line)
        self._file = path.open("a")
        if not lines[0]:
            print(head, file=self._file)
        elif lines[-1]:
            print(file=self._file)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def get(self, supernode: Supernode, boards: int, plies: int) -> SupernodeAnswer | None:
        """The answer that is kept, if there is one."""
        return self._known.get((*supernode, boards, plies))

    def keep(self, supernode: Supernode, boards: int, plies: int, answer: SupernodeAnswer) -> None:
        """Keep an answer."""
        moves = [number for move in answer.moves for number in move]
        question = (*supernode, boards, plies)
        self._known[question] = answer
        words = (f"{number:x}" for number in (*question, answer.boards, *moves))
        print(*words, ".", file=self._file, flush=True)

    def _read(self, line: str) -> None:
        *words, end = line.split() or [""]
        # The last line may have been cut off; whole ones end with a full stop.
        if end == ".":
            high, low, wanted, plies, boards, *moves = (int(word, 16) for word in words)
            pairs = tuple(zip(moves[::2], moves[1::2], strict=True))
            self._known[high, low, wanted, plies] = SupernodeAnswer(boards, pairs)


def numbers(mask: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def to_position(board: SingleBoard) -> Position:
    """The engine's position for a board of the checker's."""
    return Position(_to_rows(board.white), _to_rows(board.black))


def to_board(position: Position) -> SingleBoard:
    """The checker's board for a position of the engine's."""
    return SingleBoard(_to_places(position.dark), _to_places(position.light))


def _to_rows(stones: int) -> int:
    return sum(1 << 6 * row + column for row, column in map(_row_and_column, numbers(stones)))


def _to_places(stones: int) -> int:
    placed = 0
    for bit in range(36):
        row, column = _row_and_column(bit)
        placed |= (stones >> 6 * row + column & 1) << bit
    return placed


def _row_and_column(bit: int) -> tuple[int, int]:
    column, row = arrangements.CORNERS[bit // 9]
    return row + bit % 9 // 3, column + bit % 3

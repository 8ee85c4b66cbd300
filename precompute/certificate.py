"""Writing a certificate: the answers of a solver become a strategy that anyone can check.

The checker in `book.certificate` shares nothing with the engine. Here both meet, so that nothing
written here needs to be believed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from book.certificate import kernels
from book.certificate.board import Board, board_of
from book.certificate.file import Certificate, write
from book.closing import Closing
from engine.errors import FivebookError
from engine.position import Move, Position

SHORT = 5
LEAF = 5
_BATCH = 256
_EMPTY = Position()
_Family = tuple[int, int]


class NoStrategy(FivebookError):
    """The solver's answers are no winning strategy."""


@dataclass(frozen=True, slots=True)
class Win:
    """How White wins a position: within how many plies at best, and by which moves.

    One move is enough; the more of the shortest wins are told, the smaller the certificate.
    """

    distance: int
    moves: tuple[Move, ...]


class Strategy(Protocol):
    """Tells how the side to move wins positions of pentago-swap."""

    def wins(self, positions: Sequence[Position]) -> Iterable[Win | None]:
        """The shortest win of each position in turn; None where it is not known to be won."""
        ...


@dataclass(frozen=True, slots=True)
class ExportState:
    """How far an export is: the ply it is at, the boards asked about, and the entries so far."""

    ply: int
    asked: int
    entries: int


class Exporter:
    """Follows a strategy from `start`, ply by ply, and writes what it meets.

    Positions won within `short` plies get no entry; those won within `leaf` get one without a
    move.
    """

    def __init__(
        self,
        strategy: Strategy,
        start: Position = _EMPTY,
        *,
        short: int = SHORT,
        leaf: int = LEAF,
        report: Callable[[ExportState], None] = lambda state: None,
    ) -> None:
        self._strategy = strategy
        self._start = to_board(start)
        self._short = short
        self._leaf = leaf
        self._report = report
        self._scratch = np.zeros(kernels.SCRATCH, dtype=np.int64)
        self._image = np.zeros(3, dtype=np.int64)

    def write(self, path: Path) -> Certificate:
        """Write the certificate to `path`, whole or not at all.

        Raises:
            NoStrategy: if a position that the strategy leads to is not won by it.
        """
        certificate = self.certificate()
        write(certificate, path)
        return certificate

    def certificate(self) -> Certificate:
        """The certificate, as `write` writes it."""
        high, low, mask = self._start.key
        level = {(high, low): mask}
        entries: list[_Entry] = []
        ply = (self._start.white | self._start.black).bit_count()
        distance = None
        asked = 0
        while level:
            following: dict[_Family, int] = {}
            for family, boards, wins in self._answers(level):
                asked += boards.bit_count()
                for entry in self._entries(family, wins):
                    entries.append(entry)
                    self._add_children(entry, following)
                if distance is None:
                    (distance,) = (win.distance for win in wins.values())
                self._report(ExportState(ply, asked, len(entries)))
            level = self._without_short(following)
            ply += 2
        assert distance is not None
        return self._joined(sorted(entries, key=_Entry.order), distance)

    def _answers(
        self, level: dict[_Family, int]
    ) -> Iterator[tuple[_Family, int, dict[int, "Win"]]]:
        """Each family with the boards that are needed of it, and the win of each."""
        families = iter(level.items())
        while some := list(islice(families, _BATCH)):
            boards = [(family, number) for family, mask in some for number in _numbers(mask)]
            positions = [to_position(board_of((*family, 1 << n))) for family, n in boards]
            wins: dict[_Family, dict[int, Win]] = {family: {} for family, _ in some}
            for (family, number), win in zip(boards, self._strategy.wins(positions), strict=True):
                if win is None or not win.moves:
                    board = board_of((*family, 1 << number))
                    raise NoStrategy(f"the strategy does not win the position {board}")
                wins[family][number] = win
            for family, mask in some:
                yield family, mask, wins[family]

    def _entries(self, family: _Family, wins: dict[int, Win]) -> Iterator["_Entry"]:
        for distance in sorted({win.distance for win in wins.values()}):
            some = {number: win for number, win in wins.items() if win.distance == distance}
            moves = () if distance <= self._leaf else _fewest_moves(some)
            yield _Entry(*family, distance, sum(1 << number for number in some), moves)

    def _add_children(self, entry: "_Entry", following: dict[_Family, int]) -> None:
        """Add the boards that Black's replies to the moves of `entry` lead to."""
        white = kernels.white_of(entry.high, entry.low)
        black = kernels.black_of(entry.high, entry.low)
        for stone, swapped in entry.moves:
            more = white | 1 << stone
            white_fives = kernels.fives(more, self._scratch)
            after = kernels.reach(swapped & ~white_fives) & ~white_fives
            for reply in _numbers(kernels.CELLS & ~(more | black)):
                asked = after & ~kernels.fives(black | 1 << reply, self._scratch)
                if asked:
                    kernels.canonical(more, black | 1 << reply, asked, self._image)
                    high, low, mask = self._image.tolist()
                    following[high, low] = following.get((high, low), 0) | mask

    def _without_short(self, level: dict[_Family, int]) -> dict[_Family, int]:
        left = {}
        for (high, low), mask in level.items():
            if self._short > 0:
                white, black = kernels.white_of(high, low), kernels.black_of(high, low)
                mask &= ~kernels.won(white, black, mask, self._short, 0, self._scratch)
            if mask:
                left[high, low] = mask
        return left

    def _joined(self, entries: list["_Entry"], distance: int) -> Certificate:
        moves = [move for entry in entries for move in entry.moves]
        counts = [len(entry.moves) for entry in entries]

        def column(numbers: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
            return np.array(list(numbers), dtype=np.int64)

        return Certificate(
            start=(self._start.white, self._start.black),
            distance=distance,
            short=self._short,
            leaf=self._leaf,
            high=column(entry.high for entry in entries),
            low=column(entry.low for entry in entries),
            distances=column(entry.distance for entry in entries),
            boards=column(entry.boards for entry in entries),
            first=np.concatenate(([0], np.cumsum(column(counts)))),
            stone=column(stone for stone, _ in moves),
            swapped=column(swapped for _, swapped in moves),
        )


class Remembered(Closing):
    """A strategy whose answers are kept in a file, so that an export goes on where it stopped."""

    def __init__(self, strategy: Strategy, path: Path) -> None:
        self._strategy = strategy
        self._known: dict[Position, Win] = {}
        if path.exists():
            self._read(path)
        self._file = path.open("a")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def wins(self, positions: Sequence[Position]) -> Iterator[Win | None]:
        """Asks the strategy only for what is not kept."""
        new = [position for position in positions if position not in self._known]
        answers = iter(self._strategy.wins(new))
        for position in positions:
            win = self._known.get(position)
            if win is None:
                win = next(answers)
                if win is not None:
                    self._keep(position, win)
            yield win

    def _keep(self, position: Position, win: Win) -> None:
        self._known[position] = win
        numbers = (position.dark, position.light, win.distance, *win.moves)
        print(*numbers, ".", file=self._file, flush=True)

    def _read(self, path: Path) -> None:
        text = path.read_text()
        for line in text.splitlines():
            words = line.split()
            # The last line may have been cut off; whole ones end with a full stop.
            if words[-1:] == ["."]:
                dark, light, distance, *moves = map(int, words[:-1])
                self._known[Position(dark, light)] = Win(distance, tuple(moves))
        if text and not text.endswith("\n"):
            with path.open("a") as file:
                file.write("\n")


@dataclass(frozen=True, slots=True)
class _Entry:
    high: int
    low: int
    distance: int
    boards: int
    moves: tuple[tuple[int, int], ...]

    def order(self) -> tuple[int, ...]:
        stones = self.high.bit_count() + self.low.bit_count()
        return stones, self.high, self.low, self.distance


def _fewest_moves(wins: dict[int, Win]) -> tuple[tuple[int, int], ...]:
    """Moves that win all boards: a stone each, and a mask of arrangements after White's swap.

    Every stone brings its own replies, so few stones come first, then few arrangements; taken
    greedily.
    """
    ways: dict[int, dict[int, set[int]]] = {}
    for number, win in wins.items():
        for move in win.moves:
            stone, after = _in_family(move, number)
            ways.setdefault(stone, {}).setdefault(after, set()).add(number)
    left = set(wins)
    moves: dict[int, int] = {}
    while left:
        stone = max(
            ways, key=lambda stone: (len(set().union(*ways[stone].values()) & left), -stone)
        )
        while gained := max((boards & left for boards in ways[stone].values()), key=len):
            after = min(n for n, boards in ways[stone].items() if boards & left == gained)
            moves[stone] = moves.get(stone, 0) | 1 << after
            left -= gained
    return tuple(sorted(moves.items()))


def _in_family(move: Move, number: int) -> tuple[int, int]:
    """A move of the engine's on the board of arrangement `number`, in terms of its family."""
    cell, swap = divmod(move, len(kernels.SWAPS))
    row, column = divmod(cell, 6)
    place = kernels.place_of(column, row)
    content = kernels.ARRANGEMENTS[number][place]
    return 9 * content + row % 3 * 3 + column % 3, kernels.swapped(number, swap)


def _numbers(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def to_position(board: Board) -> Position:
    """The engine's position for a board of the checker's."""
    return Position(_to_rows(board.white), _to_rows(board.black))


def to_board(position: Position) -> Board:
    """The checker's board for a position of the engine's."""
    return Board(_to_places(position.dark), _to_places(position.light))


def _to_rows(stones: int) -> int:
    return sum(1 << 6 * row + column for row, column in map(_row_and_column, _numbers(stones)))


def _to_places(stones: int) -> int:
    placed = 0
    for bit in range(36):
        row, column = _row_and_column(bit)
        placed |= (stones >> 6 * row + column & 1) << bit
    return placed


def _row_and_column(bit: int) -> tuple[int, int]:
    column, row = kernels.CORNERS[bit // 9]
    return row + bit % 9 // 3, column + bit % 3

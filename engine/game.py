"""What every game is to the rooms above it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple

from engine.accuracy import Accuracy, accuracy_of
from engine.errors import IllegalMove, InvalidMove
from engine.evaluation import LinearEvaluation
from engine.position import Cell, Move, Position, Side, board_of, cells_of
from engine.proof import TABLE_MEBIBYTES, Prover
from engine.search import Searcher, SearchOptions
from engine.values import Value

Symmetry = int
Key = bytes

OF_A_SQUARE: Sequence[Symmetry] = range(8)
OF_A_RECTANGLE: Sequence[Symmetry] = (0, 2, 4, 6)
"""The symmetries of boards. Where width and height differ, no quarter turn is one."""
MIRRORED: Symmetry = 4
"""The symmetry by which left and right change places."""


class Outcome(Enum):
    """How a finished game ended."""

    DARK_WINS = "dark wins"
    LIGHT_WINS = "light wins"
    DRAW = "draw"

    @classmethod
    def won_by(cls, side: Side) -> Outcome:
        """The win of `side`."""
        return cls.DARK_WINS if side is Side.DARK else cls.LIGHT_WINS

    @property
    def winner(self) -> Side | None:
        """Who has won; None in a draw."""
        return {Outcome.DARK_WINS: Side.DARK, Outcome.LIGHT_WINS: Side.LIGHT}.get(self)


class Canonical(NamedTuple):
    """The smallest image of a position.

    `symmetry` turns the position that was asked about into `position`.
    """

    position: Position
    stones: bytes
    key: Key
    symmetry: Symmetry


@dataclass(frozen=True, slots=True)
class Child:
    """A position one move away, and every move that leads to it or to an image of it.

    The moves are ascending and in the parent's orientation.
    """

    moves: tuple[Move, ...]
    canonical: Canonical


@dataclass(frozen=True, slots=True)
class Family:
    """Games of one kind that differ in size or a rule.

    `ids` and `options` tell a reader which ids exist; `find` returns the game of an id, or None
    if this family has none. Where games are kept as SGF, `sgf` is the family's number there (in
    GM) and `sized` makes the id of the usual game on a board of a size.
    """

    name: str
    title: str
    ids: str
    options: str
    examples: tuple[str, ...]
    find: Callable[[str], Game | None]
    sgf: int | None = None
    sized: Callable[[str], str] = str


class Game(ABC):
    """The rules of one game on a board of `width` columns and `height` rows.

    A player puts one stone on the board in each turn, dark first. Moves are whole numbers from 0 to
    ``move_count - 1``. A symmetry is a number from 0 to 7, 0 the identity; it acts on cells, and
    through them on positions and moves.
    """

    id: str
    title: str
    width: int
    height: int
    move_count: int
    forbids_moves: bool = False
    """Whether a move to a free cell can be forbidden, see `forbidden_moves`."""

    @abstractmethod
    def legal_moves(self, position: Position) -> list[Move]:
        """Every legal move, ascending; none once the game is over."""

    def forbidden_moves(self, position: Position) -> list[Move]:
        """Every move to a free cell that a rule of the game forbids here, ascending.

        They are not among the legal moves. Most games have none.
        """
        return []

    @abstractmethod
    def play(self, position: Position, move: Move) -> Position:
        """The position after a legal `move`. Legality is not checked: see `play_line`."""

    @abstractmethod
    def unplay(self, position: Position) -> Iterator[tuple[Position, Move]]:
        """Every unfinished position from which one move leads here, with that move."""

    @abstractmethod
    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended, None while it goes on."""

    @abstractmethod
    def cell_of(self, move: Move) -> Cell:
        """The cell on which `move` puts its stone."""

    def landing(self, position: Position, move: Move) -> Cell:
        """Where the stone of a legal `move` lies after it is played in `position`."""
        return cells_of(self.play(self.initial, move).dark)[0]

    @abstractmethod
    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        """`move` as it reads on the board turned by `symmetry`, one of the game's own."""

    def map_line(self, line: Sequence[Move], symmetry: Symmetry) -> tuple[Move, ...]:
        """`map_move` of each move of `line`."""
        return tuple([self.map_move(move, symmetry) for move in line])

    @abstractmethod
    def parse_move(self, text: str, position: Position | None = None) -> Move:
        """The move that `text` names, in either case.

        Where it is to be played in a known `position`, a game may accept shorter names.

        Raises:
            InvalidMove: if it names none.
        """

    @abstractmethod
    def format_move(self, move: Move) -> str:
        """The notation of `move`."""

    @abstractmethod
    def searcher(self, options: SearchOptions = SearchOptions()) -> Searcher:
        """A new searcher. The first call in a process may load compiled kernels.

        Raises:
            InvalidOptions: if there is no memory for its table.
        """

    def estimate(self, position: Position) -> Value:
        """What the plain searcher takes an unfinished position for, for the side to move."""
        return 0

    def evaluation(self) -> LinearEvaluation | None:
        """What the searcher's static values are made of; None where its weights are no file's."""
        return None

    @cached_property
    def accuracy(self) -> Accuracy:
        """How sure the values are that its search gives."""
        return accuracy_of(self.measured_as)

    @property
    def measured_as(self) -> str:
        """The game in which the accuracy of values was measured, see `engine.accuracy`."""
        return self.id

    @abstractmethod
    def prover(self, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> Prover:
        """A new prover with a table of `table` MiB.

        It uses up to `threads` threads, as many of them as it can.
        """

    @property
    def initial(self) -> Position:
        """The empty board, dark to move."""
        return Position()

    @property
    def cell_count(self) -> int:
        """The number of cells on the board."""
        return self.width * self.height

    @cached_property
    def symmetries(self) -> Sequence[Symmetry]:
        """Those of the game itself: a move on the turned board is like a move on the board.

        Ascending, a group; all that the board has, unless the rules tell directions apart.
        Canonical positions are the smallest of these images alone.
        """
        return OF_A_SQUARE if self.width == self.height else OF_A_RECTANGLE

    def format_cell(self, cell: Cell) -> str:
        """Column letter and row number, from a1 at the bottom left."""
        row, column = divmod(cell, self.width)
        return f"{chr(ord('a') + column)}{row + 1}"

    def parse_cell(self, text: str) -> Cell:
        """The cell that `text` names.

        Raises:
            InvalidMove: if it is no cell of this board.
        """
        cell = self._cells_by_name.get(text)
        if cell is not None:
            return cell
        last = self.format_cell(self.cell_count - 1)
        raise InvalidMove(f"'{text}' is no cell of {self.id}: cells run from a1 to {last}")

    def parse_line(self, text: str) -> list[Move]:
        """The moves in `text`, separated by spaces or commas.

        Raises:
            InvalidMove: if a part of it is no move.
        """
        return [self.parse_move(word) for word in text.replace(",", " ").split()]

    def format_line(self, line: Sequence[Move]) -> str:
        """The notation of `line`, separated by spaces."""
        names = self.move_names
        return " ".join([names[move] for move in line])

    @cached_property
    def move_names(self) -> tuple[str, ...]:
        """The notation of every move, by number."""
        return tuple(map(self.format_move, range(self.move_count)))

    def play_line(self, line: Sequence[Move], start: Position | None = None) -> Position:
        """The position after `line`, from the empty board or from `start`.

        Raises:
            IllegalMove: if a cell is taken, a move is forbidden or comes after the game's end.
        """
        position = self.initial if start is None else start
        for index, move in enumerate(line):
            reason = self.why_illegal(position, move)
            if reason:
                after = f" after '{self.format_line(line[:index])}'" if index else ""
                raise IllegalMove(
                    f"illegal move '{self.format_move(move)}' in {self.id}{after}: {reason}"
                )
            position = self.play(position, move)
        return position

    def why_illegal(self, position: Position, move: Move) -> str | None:
        """Why `move` cannot be played, in a few words; None if it can."""
        outcome = self.outcome(position)
        if outcome is not None:
            return f"the game is over ({outcome.value})"
        if (position.dark | position.light) >> self.cell_of(move) & 1:
            return "the cell is taken"
        return None

    def pack(self, position: Position) -> bytes:
        """Dark cells then light cells, each group ascending.

        One byte a stone, two (the high one first) on boards of more than 256 cells.
        """
        return self._encode(cells_of(position.dark), cells_of(position.light))

    def pack_cell(self, cell: Cell) -> bytes:
        """The bytes that stand for `cell` in packed stones."""
        return cell.to_bytes(self._cell_width, "big")

    def unpack(self, stones: bytes) -> Position:
        """The position that `pack` wrote.

        Raises:
            ValueError: if no position packs to `stones`.
        """
        width = self._cell_width
        cells = [
            int.from_bytes(stones[at : at + width], "big") for at in range(0, len(stones), width)
        ]
        dark_count = (len(cells) + 1) // 2
        position = Position(board_of(cells[:dark_count]), board_of(cells[dark_count:]))
        sound = max(cells, default=0) < self.cell_count and position.ply == len(cells)
        if not sound or self.pack(position) != stones:
            raise ValueError(f"{stones.hex()} packs no position of {self.id}")
        return position

    def canonical(self, position: Position) -> Canonical:
        """The smallest image of `position`, by the order of packed stones, and its key."""
        dark, light = cells_of(position.dark), cells_of(position.light)
        chosen = self._smallest_image(dark, light)
        if chosen:
            cell_map = self._cell_maps[chosen]
            dark = sorted([cell_map[cell] for cell in dark])
            light = sorted([cell_map[cell] for cell in light])
            position = Position(board_of(dark), board_of(light))
        stones = self._encode(dark, light)
        return Canonical(position, stones, self.key(stones), chosen)

    def _smallest_image(self, dark: list[Cell], light: list[Cell]) -> Symmetry:
        """The first symmetry by which the stones have their smallest image.

        Of two lists of as many ascending cells the smaller one has the lowest cell that is not
        in both. So it is the larger number, if a cell's bit is the higher the lower the cell.
        """
        marks = self._image_marks
        images = sum([marks[cell] for cell in dark])
        # The marks of light lie below those of dark, by as many bits as there are cells.
        images += sum([marks[cell] for cell in light]) >> self.cell_count
        numbers = self._image_numbers.unpack(images.to_bytes(self._image_numbers.size, "big"))
        return self.symmetries[numbers.index(max(numbers))]

    def key(self, stones: bytes) -> Key:
        """The 16-byte key of a canonical position, from its packed stones."""
        return blake2b(self._key_prefix + stones, digest_size=16).digest()

    def map_position(self, position: Position, symmetry: Symmetry) -> Position:
        """`position` turned by `symmetry`."""
        cell_map = self._cell_maps[symmetry]
        return Position(
            board_of(cell_map[cell] for cell in cells_of(position.dark)),
            board_of(cell_map[cell] for cell in cells_of(position.light)),
        )

    def map_cell(self, cell: Cell, symmetry: Symmetry) -> Cell:
        """`cell` as it reads on the board turned by `symmetry`."""
        return self._cell_maps[symmetry][cell]

    def map_cells(self, cells: Sequence[Cell], symmetry: Symmetry) -> tuple[Cell, ...]:
        """`map_cell` of each of `cells`."""
        return tuple(map(self._cell_maps[symmetry].__getitem__, cells))

    @staticmethod
    def inverse(symmetry: Symmetry) -> Symmetry:
        """The symmetry that undoes `symmetry`."""
        return _INVERSE[symmetry]

    def children(self, position: Position) -> list[Child]:
        """The distinct positions one move away, up to symmetry, in which the game goes on.

        In the order of the smallest move that leads to each.
        """
        moves: dict[Key, list[Move]] = {}
        canonicals: dict[Key, Canonical] = {}
        for move in self.legal_moves(position):
            child = self.play(position, move)
            if self.outcome(child) is None:
                canonical = self.canonical(child)
                canonicals[canonical.key] = canonical
                moves.setdefault(canonical.key, []).append(move)
        return [Child(tuple(moves[key]), canonicals[key]) for key in moves]

    def parents(self, position: Position) -> dict[Key, Move]:
        """The keys of the positions one move before, with the smallest move that leads here.

        Each move is in the orientation of its parent's canonical image.
        """
        found: dict[Key, Move] = {}
        for parent, move in self.unplay(position):
            key = self.canonical(parent).key
            smallest = min(
                self.map_move(move, symmetry) for symmetry in self.symmetries_to_canonical(parent)
            )
            found[key] = min(smallest, found.get(key, smallest))
        return found

    def symmetries_to_canonical(self, position: Position) -> list[Symmetry]:
        """Every symmetry that turns `position` into its canonical image.

        There are as many as the position has symmetries of its own.
        """
        image = self.canonical(position).position
        return [s for s in self.symmetries if self.map_position(position, s) == image]

    @cached_property
    def _cell_maps(self) -> dict[Symmetry, list[Cell]]:
        return {
            symmetry: [self._turned(cell, symmetry) for cell in range(self.cell_count)]
            for symmetry in (OF_A_SQUARE if self.width == self.height else OF_A_RECTANGLE)
        }

    @cached_property
    def _image_numbers(self) -> Struct:
        """How the images of a position stand beside each other in a number."""
        return Struct(f"{(2 * self.cell_count + 7) // 8}s" * len(self.symmetries))

    @cached_property
    def _image_marks(self) -> list[int]:
        """For each cell its bits in all images at once, those of the first symmetry on top.

        The bits are those of a dark stone, in the upper half of an image's place.
        """
        cells, place = self.cell_count, 8 * (self._image_numbers.size // len(self.symmetries))
        marks = []
        for cell in range(cells):
            mark = 0
            for symmetry in self.symmetries:
                mark = mark << place | 1 << 2 * cells - 1 - self._cell_maps[symmetry][cell]
            marks.append(mark)
        return marks

    def _turned(self, cell: Cell, symmetry: Symmetry) -> Cell:
        row, column = divmod(cell, self.width)
        if symmetry >= MIRRORED:
            column = self.width - 1 - column
        width, height = self.width, self.height
        for _ in range(symmetry % 4):
            row, column = column, height - 1 - row
            width, height = height, width
        return row * self.width + column

    @cached_property
    def _cells_by_name(self) -> dict[str, Cell]:
        """Every cell by its name, in either case."""
        names = {self.format_cell(cell): cell for cell in range(self.cell_count)}
        return names | {name.upper(): cell for name, cell in names.items()}

    @cached_property
    def _cell_width(self) -> int:
        return 1 if self.cell_count <= 256 else 2

    @cached_property
    def _key_prefix(self) -> bytes:
        return self.id.encode() + b"\0"

    def _encode(self, dark: list[Cell], light: list[Cell]) -> bytes:
        if self._cell_width == 1:
            return bytes(dark + light)
        return b"".join(map(self.pack_cell, dark + light))


# Symmetry s mirrors left and right if s >= 4, then turns by s % 4 quarters.
_INVERSE = (0, 3, 2, 1, 4, 5, 6, 7)

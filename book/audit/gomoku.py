"""The rules of Gomoku: freestyle, standard and renju."""

import re
from collections.abc import Iterator

from book.audit.rules import OF_THE_SQUARE, AuditBoard, AuditRules

FIVE = 5


class GomokuRules(AuditRules):
    """A move is the cell that its stone goes to.

    In freestyle five or more win, in standard exactly five; in renju dark wins with exactly five
    and has forbidden points, and light with five or more. Rows of the board lie `stride` bits
    apart, one more than there are columns, so that no line runs from one edge into the other.
    """

    searched_by = "book.audit.gomoku_threats"

    def __init__(self, game_id: str, size: int, rule: str) -> None:
        self.stride = size + 1
        self.steps = (1, self.stride, self.stride + 1, self.stride - 1)
        self._standard, self.renju = rule == "-standard", rule == "-renju"
        super().__init__(game_id, size, size, size * size, OF_THE_SQUARE)

    def _bit(self, row: int, column: int) -> int:
        return row * self.stride + column

    def play(self, board: AuditBoard, move: int) -> AuditBoard | None:
        stone = 1 << self.cells[move] if 0 <= move < len(self.cells) else 0
        own, other = board.sides
        if not stone or stone & (own | other):
            return None
        if not self.may_play(own, other, stone, dark=board.dark_to_move):
            return None
        return board.with_sides(own | stone, other)

    def result(self, board: AuditBoard) -> int | None:
        own, other = board.sides
        if self.has_five(other, dark=not board.dark_to_move):
            return -1
        if self.has_five(own, dark=board.dark_to_move):
            return 1
        if own | other == self.full:
            return 0
        # Who has cells left and may play on none of them has lost: dark, in renju.
        return None if next(self.moves(board), None) else -1

    def name(self, move: int) -> str:
        return self._cell_name(move)

    def only_five(self, *, dark: bool) -> bool:
        """Whether this side does not win with more than five in a row."""
        return self._standard or (self.renju and dark)

    def has_five(self, stones: int, *, dark: bool) -> bool:
        """Whether `stones` win."""
        for step in self.steps:
            row = stones & stones >> step & stones >> 2 * step
            row &= stones >> 3 * step & stones >> 4 * step
            if self.only_five(dark=dark):
                row &= ~(stones << step) & ~(stones >> FIVE * step)
            if row:
                return True
        return False

    def gaps(self, own: int, empty: int, missing: int) -> int:
        """The empty cells that lie in a row of five cells with no stone but 5 - `missing` own."""
        found = 0
        for step in self.steps:
            found |= _cells(_rows(own, empty, missing, step, FIVE), step, FIVE)
        return found & empty

    def threes(self, own: int, empty: int) -> int:
        """The cells on which a stone may make a row of three that is open at both ends."""
        found = 0
        for step in self.steps:
            rows = _rows(own, empty, 2, step, FIVE - 1)
            found |= _cells(rows & empty << step & empty >> (FIVE - 1) * step, step, FIVE - 1)
        return found & empty

    def fives(self, own: int, other: int, *, dark: bool) -> int:
        """The cells on which a further stone of the side `own`, which is dark or not, wins.

        A search asks for little else. Four of five cells in a row have three side by side, or two
        and two.
        """
        only_five = self.only_five(dark=dark)
        found = 0
        for step in self.steps:
            two = own & own >> step
            three = two & own >> 2 * step
            apart = two & two >> 3 * step
            if three or apart:
                four = three & own >> 3 * step
                longer = own << step | own >> FIVE * step if only_five else 0
                # The rows by where the fifth cell is.
                for hole, rows in enumerate(
                    (four >> step, own & three >> 2 * step, apart, three & own >> 4 * step, four)
                ):
                    found |= (rows & ~longer) << hole * step
        return found & self.full & ~(own | other)

    def may_play(self, own: int, other: int, stone: int, *, dark: bool) -> bool:
        """Whether the side `own`, which is dark or not, may put a stone on this free cell."""
        return not (self.renju and dark) or not self._is_foul(own, other, stone)

    def _is_foul(self, dark: int, light: int, stone: int) -> bool:
        """Whether dark makes an overline, a double four or a double three, and no five."""
        dark |= stone
        lengths = [self._length(dark, stone, step) for step in self.steps]
        if FIVE in lengths:
            return False
        if max(lengths) > FIVE:
            return True
        fours = [four for step in self.steps for four in self._fours(dark, light, stone, step)]
        if len(fours) > 1:
            return True
        threes: set[int] = set()
        for step in self.steps:
            for three, other in self._threes(dark, light, stone, step):
                if three not in threes and self._counts(dark, light, other):
                    threes.add(three)
        return len(threes) > 1

    def _counts(self, dark: int, light: int, stone: int) -> bool:
        """Whether dark may play the stone that makes a straight four, without making a five."""
        after = dark | stone
        if any(self._length(after, stone, step) == FIVE for step in self.steps):
            return False
        return not self._is_foul(dark, light, stone)

    def _length(self, stones: int, stone: int, step: int) -> int:
        """How long the row of `stones` through one of them is in one direction."""
        length, ahead, behind = 1, stone << step, stone >> step
        while ahead & stones:
            length, ahead = length + 1, ahead << step
        while behind & stones:
            length, behind = length + 1, behind >> step
        return length

    def _fours(self, dark: int, light: int, stone: int, step: int) -> set[int]:
        """The groups of four with `stone` that one more stone makes exactly five."""
        found = set()
        for row in self._through(stone, step, FIVE):
            hole = row & ~dark
            is_one = hole and not hole & (hole - 1) and not hole & light
            if is_one and self._length(dark | hole, hole, step) == FIVE:
                found.add(row & dark)
        return found

    def _threes(self, dark: int, light: int, stone: int, step: int) -> Iterator[tuple[int, int]]:
        """Groups of three with `stone`, and a cell that makes each a straight four.

        That is four side by side which a stone at either end makes exactly five.
        """
        for row in self._through(stone, step, FIVE - 1):
            hole = row & ~dark
            if not hole or hole & (hole - 1) or hole & light:
                continue
            ends = ((row & -row) >> step, (1 << row.bit_length() - 1) << step)
            after = dark | hole
            if all(
                end & self.full & ~(dark | light) and self._length(after | end, end, step) == FIVE
                for end in ends
            ):
                yield row & dark, hole

    def _through(self, stone: int, step: int, length: int) -> Iterator[int]:
        """The rows of that many cells in one direction that hold the cell of `stone`."""
        for back in range(length):
            row = sum(stone << k * step >> back * step for k in range(length))
            if row & self.full == row and row.bit_count() == length:
                yield row


def _rows(own: int, empty: int, missing: int, step: int, length: int) -> int:
    """The cells at which a row of `length` begins that has `missing` empty cells and else own."""
    # By how many cells are empty so far.
    rows = [-1] + [0] * missing
    for k in range(length):
        stone, hole = own >> k * step, empty >> k * step
        for count in range(missing, 0, -1):
            rows[count] = rows[count] & stone | rows[count - 1] & hole
        rows[0] &= stone
    return rows[missing]


def _cells(rows: int, step: int, length: int) -> int:
    """All cells of the rows that begin at these."""
    cells = 0
    if rows:
        for k in range(length):
            cells |= rows << k * step
    return cells


def find_rules(game_id: str) -> GomokuRules | None:
    """The rules of a game of this kind; None if the id is of no such game."""
    match = re.fullmatch(r"gomoku-(\d+)(|-standard|-renju)", game_id)
    return GomokuRules(game_id, int(match[1]), match[2]) if match else None

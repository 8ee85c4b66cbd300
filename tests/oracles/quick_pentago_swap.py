"""Pentago-swap to the end by brute force, faster than `slow_pentago_swap` and as plain.

A board is four quadrants, 1 to 4, each the nine-bit sets of its dark and of its light cells, so
that a swap exchanges two items. Results are remembered for one question at a time.
"""

from functools import cache, lru_cache
from itertools import combinations

Quadrant = tuple[int, int]
Board = tuple[Quadrant, ...]
QuickMove = tuple[int, int, tuple[int, int]]
"""The quadrant from 0, the cell in it row by row from the top left, the quadrants swapped."""

SWAPS = list(combinations(range(4), 2))


def _bit(row: int, column: int) -> int:
    quadrant = row // 3 * 2 + column // 3
    return 1 << quadrant * 9 + row % 3 * 3 + column % 3


FIVES = [
    sum(_bit(row + k * down, column + k * right) for k in range(5))
    for row in range(6)
    for column in range(6)
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if 0 <= row + 4 * down < 6 and column + 4 * right < 6
]


@lru_cache(maxsize=1 << 18)
def has_five(first: int, second: int, third: int, fourth: int) -> bool:
    stones = first | second << 9 | third << 18 | fourth << 27
    return any(stones & five == five for five in FIVES)


def board_of(dark: int, light: int) -> Board:
    """The board of two bitboards, bit ``row * 6 + column``, rows from the bottom."""
    sets = [[0, 0] for _ in range(4)]
    for row in range(6):
        for column in range(6):
            bit = 1 << (5 - row) * 6 + column
            quadrant, cell = row // 3 * 2 + column // 3, row % 3 * 3 + column % 3
            for colour, stones in enumerate((dark, light)):
                if stones & bit:
                    sets[quadrant][colour] |= 1 << cell
    return tuple((dark_set, light_set) for dark_set, light_set in sets)


def winner(board: Board) -> int | None:
    """0 for dark, 1 for light, 2 for five of both, None for no five."""
    dark = has_five(*(stones[0] for stones in board))
    light = has_five(*(stones[1] for stones in board))
    return 2 if dark and light else 0 if dark else 1 if light else None


def children(board: Board, to_move: int) -> dict[QuickMove, Board]:
    """The board after each move."""
    found = {}
    for quadrant, (dark, light) in enumerate(board):
        for cell in range(9):
            stone = 1 << cell
            if (dark | light) & stone:
                continue
            filled = list(board)
            filled[quadrant] = (dark | stone, light) if to_move == 0 else (dark, light | stone)
            for first, second in SWAPS:
                after = filled.copy()
                after[first], after[second] = filled[second], filled[first]
                found[quadrant, cell, (first, second)] = tuple(after)
    return found


Result = tuple[str, int]


def value_of_move(result: Result) -> tuple[int, int]:
    """How good it is to have moved to a board with `result`; larger is better."""
    kind, plies = result
    if kind == "loss":
        return 1, -plies
    return (-1, plies) if kind == "win" else (0, 0)


def solve(board: Board, to_move: int, depth: int) -> tuple[Result, list[QuickMove]]:
    """What the side to move can force within `depth` plies, and all moves that do it.

    ("win", n), ("loss", n), ("draw", 0) or, where neither side wins within `depth`, ("open", 0);
    wins come as soon, losses as late as possible. `board` is not finished.
    """

    @cache
    def result(board: Board, to_move: int, left: int) -> Result:
        over = winner(board)
        if over is not None:
            return ("draw", 0) if over == 2 else ("win" if over == to_move else "loss", 0)
        after = set(children(board, to_move).values())
        if not after:
            return "draw", 0
        if left == 0:
            return "open", 0
        if any(winner(child) == to_move for child in after):
            return "win", 1
        return best([result(child, 1 - to_move, left - 1) for child in after])

    def best(replies: list[Result]) -> Result:
        side, plies = max(map(value_of_move, replies))
        if side == 0:
            return ("open", 0) if ("open", 0) in replies else ("draw", 0)
        return ("win", 1 - plies) if side > 0 else ("loss", plies + 1)

    replies = {
        move: result(child, 1 - to_move, depth - 1)
        for move, child in children(board, to_move).items()
    }
    top = max(map(value_of_move, replies.values()))
    moves = [move for move, reply in replies.items() if value_of_move(reply) == top]
    return best(list(replies.values())), moves

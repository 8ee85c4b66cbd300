"""The five-cell bins agent once more, from its description: slow, plain, nothing shared.

Stones are a dictionary from (row, column) to ``x`` or ``o``. A tree is a dictionary from a move to
the tree below it.
"""

from __future__ import annotations

from engine.position import Position, cells_of

Cell = tuple[int, int]
Stones = dict[Cell, str]
Tree = dict[Cell, "Tree"]

DIRECTIONS = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]
WEIGHTS = {2: 2, 3: 6, 4: 1000, 5: 50_000}
OTHER = {"x": "o", "o": "x"}


def bins(stones: Stones, side: str) -> dict[int, int]:
    """How many rows of each length start at any cell in any of the eight directions."""
    counts = dict.fromkeys(WEIGHTS, 0)
    for row, column in stones:
        for down, across in DIRECTIONS:
            for length in WEIGHTS:
                cells = [(row + step * down, column + step * across) for step in range(length)]
                counts[length] += all(stones.get(cell) == side for cell in cells)
    return counts


def evaluate(stones: Stones, side: str) -> int:
    """The weighted rows of `side` minus those of the other."""
    own, other = bins(stones, side), bins(stones, OTHER[side])
    return sum(weight * (own[length] - other[length]) for length, weight in WEIGHTS.items())


def moves(size: int, stones: Stones) -> list[Cell]:
    """The empty cells next to stones, in order."""
    around = {
        (row + down, column + across) for row, column in stones for down, across in DIRECTIONS
    }
    inside = {cell for cell in around if min(cell) >= 0 and max(cell) < size}
    return sorted(inside - set(stones))


def tree(size: int, stones: Stones, side: str, depth: int) -> Tree:
    """Every line of `depth` moves, shorter where a move makes five."""
    if depth == 0 or bins(stones, OTHER[side])[5] > 0:
        return {}
    return {
        cell: tree(size, {**stones, cell: side}, OTHER[side], depth - 1)
        for cell in moves(size, stones)
    }


def count(branches: Tree) -> int:
    """The number of moves in a tree."""
    return sum(1 + count(below) for below in branches.values())


def value(branches: Tree, stones: Stones, side: str) -> int:
    """Minimax without any pruning, for `side`, which is to move."""
    if not branches:
        return evaluate(stones, side)
    return max(
        -value(below, {**stones, cell: side}, OTHER[side]) for cell, below in branches.items()
    )


def choose(size: int, position: Position, depth: int) -> tuple[int, int, int]:
    """The agent's move, its value and its nodes, in a position with at least one stone."""
    stones = {divmod(cell, size): "x" for cell in cells_of(position.dark)}
    stones |= {divmod(cell, size): "o" for cell in cells_of(position.light)}
    side = "x" if position.dark_to_move else "o"
    root = tree(size, stones, side, depth)
    values = {
        cell: -value(below, {**stones, cell: side}, OTHER[side]) for cell, below in root.items()
    }
    best = max(values, key=lambda cell: values[cell])
    return best[0] * size + best[1], values[best], count(root)

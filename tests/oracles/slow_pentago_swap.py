"""Pentago-swap by the book and nothing else: slow, and meant to be obviously right.

A board is a tuple of six strings, the top row first, of ``.``, ``X`` (moves first) and ``O``.
A move is ((row from the top, column), (quadrant, quadrant)), quadrants 1 2 over 3 4.
"""

from functools import cache
from itertools import combinations

Board = tuple[str, ...]
SlowMove = tuple[tuple[int, int], tuple[int, int]]

EMPTY: Board = ("......",) * 6
CORNERS = {1: (0, 0), 2: (0, 3), 3: (3, 0), 4: (3, 3)}
SWAPS = list(combinations((1, 2, 3, 4), 2))
LINES = [
    [(row + k * down, column + k * right) for k in range(5)]
    for row in range(6)
    for column in range(6)
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if 0 <= row + 4 * down < 6 and column + 4 * right < 6
]


def to_move(board: Board) -> str:
    """X while both have as many stones."""
    text = "".join(board)
    return "X" if text.count("X") == text.count("O") else "O"


def fives(board: Board, stone: str) -> bool:
    """Whether `stone` has five in a row, or six."""
    return any(all(board[row][column] == stone for row, column in line) for line in LINES)


@cache
def winner(board: Board) -> str | None:
    """X, O, = for a draw, None while the game goes on."""
    dark, light = fives(board, "X"), fives(board, "O")
    if dark or light:
        return "=" if dark and light else "X" if dark else "O"
    return None if "." in "".join(board) else "="


def moves(board: Board) -> list[SlowMove]:
    """Every move of an unfinished game."""
    if winner(board):
        return []
    free = [(row, column) for row in range(6) for column in range(6) if board[row][column] == "."]
    return [(cell, swap) for cell in free for swap in SWAPS]


def after(board: Board, move: SlowMove) -> Board:
    """The board after a move."""
    (row, column), (first, second) = move
    grid = [list(line) for line in board]
    grid[row][column] = to_move(board)
    (top, left), (other_top, other_left) = CORNERS[first], CORNERS[second]
    for down in range(3):
        for right in range(3):
            here, there = grid[top + down], grid[other_top + down]
            here[left + right], there[other_left + right] = (
                there[other_left + right],
                here[left + right],
            )
    return tuple("".join(line) for line in grid)


def perft(board: Board, depth: int) -> int:
    """The number of lines of `depth` moves; a line that ends earlier does not count."""
    if depth == 0:
        return 1
    return sum(perft(after(board, move), depth - 1) for move in moves(board))


@cache
def result(board: Board, depth: int) -> tuple[str, int]:
    """What the side to move can force within `depth` plies, and after how many plies.

    ("win", n), ("loss", n) or ("draw", 0); ("open", 0) if the game does not end by force. Wins
    come as soon, losses as late as possible.
    """
    if winner(board):
        winning = winner(board)
        if winning == "=":
            return "draw", 0
        return ("win" if winning == to_move(board) else "loss"), 0
    if depth == 0:
        return "open", 0
    children = {after(board, move) for move in moves(board)}
    if any(winner(child) == to_move(board) for child in children):
        return "win", 1
    replies = [result(child, depth - 1) for child in children]
    wins = [plies + 1 for kind, plies in replies if kind == "loss"]
    if wins:
        return "win", min(wins)
    if any(kind == "open" for kind, _ in replies):
        return "open", 0
    if any(kind == "draw" for kind, _ in replies):
        return "draw", 0
    return "loss", max(plies + 1 for _, plies in replies)


@cache
def bounds(board: Board, depth: int) -> tuple[int, int]:
    """What `depth` plies prove: the side to move gets at least, and at most, this result.

    1 for a win, 0 for a draw, -1 for a loss; an open end may still be anything.
    """
    winning = winner(board)
    if winning:
        points = 0 if winning == "=" else 1 if winning == to_move(board) else -1
        return points, points
    if depth == 0:
        return -1, 1
    children = {after(board, move) for move in moves(board)}
    if any(winner(child) == to_move(board) for child in children):
        return 1, 1
    replies = [bounds(child, depth - 1) for child in children]
    return max(-most for _, most in replies), max(-least for least, _ in replies)

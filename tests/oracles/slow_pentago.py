"""Pentago and Pentago-Twist by the book and nothing else: slow, and meant to be obviously right.

A board is a text of 36 letters, the top row first, of ``.``, ``X`` (moves first) and ``O``. A
move is a place in that text and a turn such as ``1R``, quadrants 1 2 over 3 4.
"""

from functools import cache
from typing import NamedTuple

EMPTY = "." * 36
LINES = [
    [(row + k * down) * 6 + column + k * right for k in range(5)]
    for row in range(6)
    for column in range(6)
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if 0 <= row + 4 * down < 6 and column + 4 * right < 6
]
# The places of each quadrant, its top row first.
QUADRANTS = {
    "1": [0, 1, 2, 6, 7, 8, 12, 13, 14],
    "2": [3, 4, 5, 9, 10, 11, 15, 16, 17],
    "3": [18, 19, 20, 24, 25, 26, 30, 31, 32],
    "4": [21, 22, 23, 27, 28, 29, 33, 34, 35],
}
# What lies after the turn where 0 1 2, 3 4 5 and 6 7 8 lay before.
AFTER = {
    "R": [6, 3, 0, 7, 4, 1, 8, 5, 2],
    "L": [2, 5, 8, 1, 4, 7, 0, 3, 6],
    "F": [2, 1, 0, 5, 4, 3, 8, 7, 6],
}


class Rules(NamedTuple):
    """What the two games differ in."""

    letters: str
    stone_wins: bool


PENTAGO = Rules("RL", stone_wins=True)
TWIST = Rules("RF", stone_wins=False)

Move = tuple[int, str]


def to_move(board: str) -> str:
    """X while both have as many stones."""
    return "X" if board.count("X") == board.count("O") else "O"


@cache
def fives(board: str, stone: str) -> bool:
    """Whether `stone` has five in a row, or six."""
    return any(all(board[place] == stone for place in line) for line in LINES)


def winner(board: str) -> str | None:
    """X, O, = for a draw, None while the game goes on."""
    dark, light = fives(board, "X"), fives(board, "O")
    if dark or light:
        return "=" if dark and light else "X" if dark else "O"
    return None if "." in board else "="


def moves(rules: Rules, board: str) -> list[Move]:
    """Every move of an unfinished game."""
    if winner(board):
        return []
    turns = [quadrant + letter for quadrant in QUADRANTS for letter in rules.letters]
    return [(place, turn) for place in range(36) if board[place] == "." for turn in turns]


def after(rules: Rules, board: str, move: Move) -> str:
    """The board after a move."""
    place, (quadrant, letter) = move
    stone = to_move(board)
    placed = board[:place] + stone + board[place + 1 :]
    if rules.stone_wins and fives(placed, stone):
        return placed
    turned = list(placed)
    places = QUADRANTS[quadrant]
    for target, source in zip(places, AFTER[letter], strict=True):
        turned[target] = placed[places[source]]
    return "".join(turned)


def perft(rules: Rules, board: str, depth: int) -> int:
    """The number of lines of `depth` moves; a line that ends earlier does not count."""
    if depth == 0:
        return 1
    return sum(perft(rules, after(rules, board, move), depth - 1) for move in moves(rules, board))


@cache
def result(rules: Rules, board: str, depth: int) -> tuple[str, int]:
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
    children = {after(rules, board, move) for move in moves(rules, board)}
    if any(winner(child) == to_move(board) for child in children):
        return "win", 1
    replies = [result(rules, child, depth - 1) for child in children]
    wins = [plies + 1 for kind, plies in replies if kind == "loss"]
    if wins:
        return "win", min(wins)
    if any(kind == "open" for kind, _ in replies):
        return "open", 0
    if any(kind == "draw" for kind, _ in replies):
        return "draw", 0
    return "loss", max(plies + 1 for _, plies in replies)


@cache
def bounds(rules: Rules, board: str, depth: int) -> tuple[int, int]:
    """What `depth` plies prove: the side to move gets at least, and at most, this result.

    1 for a win, 0 for a draw, -1 for a loss; an open end may still be anything.
    """
    winning = winner(board)
    if winning:
        points = 0 if winning == "=" else 1 if winning == to_move(board) else -1
        return points, points
    if depth == 0:
        return -1, 1
    children = {after(rules, board, move) for move in moves(rules, board)}
    if any(winner(child) == to_move(board) for child in children):
        return 1, 1
    replies = [bounds(rules, child, depth - 1) for child in children]
    return max(-most for _, most in replies), max(-least for least, _ in replies)

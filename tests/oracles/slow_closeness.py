"""The closeness agent once more, from its description: slow, plain, on the slow rules."""

from itertools import combinations

from tests.oracles.slow_pentago_swap import SWAPS, Board, SlowMove, after, moves, to_move, winner

FINISHED = 100_000
OTHER = {"X": "O", "O": "X"}


def distances(board: Board, side: str) -> int:
    """Columns and rows apart, over all pairs of stones of `side`."""
    stones = [
        (row, column) for row in range(6) for column in range(6) if board[row][column] == side
    ]
    return sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in combinations(stones, 2))


def before_swap(board: Board, move: SlowMove) -> Board:
    """The board with the stone of `move` and all quadrants in their places."""
    (row, column), _ = move
    line = board[row][:column] + to_move(board) + board[row][column + 1 :]
    return (*board[:row], line, *board[row + 1 :])


def number(move: SlowMove) -> int:
    """The move's number: cells from the lower left, row by row, then swaps."""
    (row, column), swap = move
    return ((5 - row) * 6 + column) * 6 + SWAPS.index(swap)


def search(board: Board, depth: int, alpha: int, beta: int) -> tuple[int, int, int]:
    """Alpha-beta: the move's number, its value for the side to move, and the moves tried."""
    side = to_move(board)
    best = nodes = 0
    for move in sorted(moves(board), key=number):
        nodes += 1
        child = after(board, move)
        winning = winner(child)
        if winning is not None:
            value = {side: FINISHED, OTHER[side]: -FINISHED, "=": 0}[winning]
        elif depth == 1:
            placed = before_swap(board, move)
            value = distances(placed, OTHER[side]) - distances(placed, side)
        else:
            _, reply, below = search(child, depth - 1, -beta, -alpha)
            value = -reply
            nodes += below
        if value > alpha:
            best, alpha = number(move), value
        if alpha >= beta:
            break
    return best, alpha, nodes


def choose(board: Board, depth: int) -> tuple[int, int, int]:
    """The agent's move, its value and its nodes once its first two stones are placed."""
    return search(board, depth, -FINISHED - 1, FINISHED + 1)

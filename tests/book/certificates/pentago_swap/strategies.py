"""A strategy by plain search, for positions that are soon over."""

import numpy as np

from book.certificates.pentago_swap import arrangements
from engine.position import Position
from precompute.certificates.pentago_swap.strategy import SupernodeMove, numbers, to_board

SCRATCH = np.zeros(arrangements.SCRATCH, dtype=np.int64)


def won(position: Position, plies: int) -> bool:
    """Whether White, to move, wins within so many plies."""
    board = to_board(position)
    return bool(won_of(board.white, board.black, 1, plies))


def won_of(white: int, black: int, boards: int, plies: int) -> int:
    """Those boards of a supernode that White, to move, wins within so many plies."""
    return int(arrangements.won(white, black, boards, plies, arrangements.UNLIMITED, SCRATCH))


class Searched:
    """Takes the first stones by which White wins, as soon as he wins all boards."""

    def __init__(self) -> None:
        self.asked = 0

    def moves(self, white: int, black: int, boards: int, plies: int) -> list[SupernodeMove]:
        """See `precompute.certificates.pentago_swap.strategy.Strategy`."""
        self.asked += 1
        plies = next(
            (n for n in range(1, plies, 2) if won_of(white, black, boards, n) == boards), plies
        )
        moves: list[SupernodeMove] = []
        for cell in numbers(arrangements.CELLS & ~(white | black)):
            after = self.won_by(white | 1 << cell, black, arrangements.reach(boards), plies)
            if after:
                moves.append((cell, after))
                boards &= ~arrangements.reach(after)
        return moves

    def won_by(self, white: int, black: int, after: int, plies: int) -> int:
        """Those arrangements, after a stone and a swap of White's, by which he wins."""
        after &= ~arrangements.fives(black, SCRATCH)
        over = arrangements.fives(white, SCRATCH)
        for reply in numbers(arrangements.CELLS & ~(white | black)) if plies > 1 else ():
            lost = arrangements.fives(black | 1 << reply, SCRATCH)
            asked = arrangements.reach(after & ~over) & ~over & ~lost
            good = over & ~lost | won_of(white, black | 1 << reply, asked, plies - 2)
            after &= ~arrangements.reach(~good & arrangements.ALL) | over
        return int(after & over if plies == 1 else after)

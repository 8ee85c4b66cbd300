"""How supernodes of Pentago-swap are won: in all their arrangements at once."""

from engine.games.quadrants.alphabeta import CELLS
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.supernodes import fives, potential, spread
from engine.kernels import u64


class SupernodeWins:
    """The exact solver's answers about supernodes.

    A supernode is given by what its four slots hold of `mine`, the stones of the side to move, and
    of `theirs`; `wanted` is a mask of arrangements in which the game goes on: see `supernodes`.
    """

    def __init__(self, claims: Claims) -> None:
        self._claims = claims

    def copy(self) -> "SupernodeWins":
        """Another one, for another thread, with the same table."""
        return SupernodeWins(self._claims.sharing())

    def wins(
        self, mine: int, theirs: int, wanted: int, plies: int, *, nodes: int | None = None
    ) -> int | None:
        """The arrangements of `wanted` in which the side to move wins within `plies`.

        None if `nodes` did not do.
        """
        self._claims.limit(nodes)
        wins = self._claims.settle(mine, theirs, True, plies, wanted)
        return None if self._claims.stopped else wins

    def moves(self, mine: int, theirs: int, wanted: int, plies: int) -> tuple[tuple[int, int], ...]:
        """Few placements by which the side to move wins all of `wanted` within `plies`.

        Pairs of a cell, ``9 * slot + cell of the slot``, and all arrangements after the swap that
        are won by it, and that a swap leads to from boards no other pair wins. The best one known
        comes first. They win less than `wanted` where that is not won.
        """
        self._claims.limit()
        moves: list[tuple[int, int]] = []
        left = wanted
        for cell in self._by_promise(mine, theirs, plies):
            won = self._won_by(mine, theirs, cell, left, plies)
            gained = int(spread(u64(won))) & left
            if gained:
                moves.append((cell, won))
                left ^= gained
            if not left:
                break
        return tuple(moves)

    def _by_promise(self, mine: int, theirs: int, plies: int) -> list[int]:
        """The free cells of a supernode: the one known to be best, then by how near fives are."""
        best = self._claims.best_known(mine, theirs, True, plies)
        free = [cell for cell in range(CELLS) if not (mine | theirs) >> cell & 1]

        def promise(cell: int) -> tuple[bool, int]:
            return cell == best, int(potential(u64(mine | 1 << cell), u64(theirs)))

        return sorted(free, key=promise, reverse=True)

    def _won_by(self, mine: int, theirs: int, cell: int, wanted: int, plies: int) -> int:
        """The arrangements, one swap from `wanted`, that a placement wins within `plies`."""
        mine |= 1 << cell
        own_fives = int(fives(u64(mine), u64(theirs))[0])
        after = int(spread(u64(wanted))) & ~int(fives(u64(theirs), u64(mine))[0])
        wins = after & own_fives
        if after & ~own_fives:
            wins |= self._claims.settle(theirs, mine, False, plies - 1, after & ~own_fives)
        return wins

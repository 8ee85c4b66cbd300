"""Claims about supernodes of Pentago-swap, put to the kernels of `exact` by one or more threads."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from copy import copy

import numpy as np
from numpy.typing import NDArray

from engine.games.quadrants.alphabeta import CELLS
from engine.games.quadrants.swap import exact as kernels
from engine.kernels import LONG_AGO, u64
from engine.tables import new_table

_NO_LIMIT = 1 << 62
# Places for the marks of what threads are busy with: many more than there ever are.
_MARKS = 1 << 16
_ENTRIES_AT_A_TIME = 1 << 22

Knowledge = NDArray[np.void]


class Claims:
    """Settles claims with a table of `table` MiB, within limits that are set before.

    What the table holds is true, whatever wrote it, and stays for later claims: answers do not
    depend on it, but the nodes they take do. Several `threads` share the table and the work; the
    answers are the same, the nodes are then up to chance. For one caller at a time.

    A supernode is given by what four slots hold of `mine`, the side to move's stones, and of
    `theirs`, and the arrangements that are meant by a mask: see `supernodes`.

    Raises:
        InvalidOptions: if there is no memory for the table.
    """

    def __init__(self, *, table: int, threads: int = 1) -> None:
        self._states = np.zeros(threads, dtype=kernels.STATE_DTYPE)
        self._table = new_table(table, kernels.ENTRY_DTYPE)
        self._busy = np.zeros(_MARKS if threads > 1 else 0, dtype=np.uint64)
        self.limit()

    def sharing(self) -> "Claims":
        """Other claims with the same table, for another thread, which searches alone."""
        other = copy(self)
        other._states = np.zeros(1, dtype=kernels.STATE_DTYPE)
        other._busy = self._busy[:0]
        other.limit()
        return other

    @property
    def nodes(self) -> int:
        """The nodes since the limits were set."""
        return int(self._states["nodes"].sum())

    @property
    def used(self) -> float:
        """The share of the table in use."""
        return min(1.0, int(self._states["used"].sum()) / len(self._table))

    def limit(self, nodes: int | None = None, deadline: int | None = None) -> None:
        """Count nodes anew and stop at this number, or at a time of `time.monotonic_ns`."""
        self._states["nodes"] = 0
        self._states["deadline"] = deadline or 0
        self._states["history"] = 0
        self.allow(nodes or _NO_LIMIT)

    def end(self) -> None:
        """Have the search that another thread is in stop, as at its deadline."""
        self._states["deadline"] = LONG_AGO

    def allow(self, nodes: int) -> None:
        """Let the search go on until it has that many nodes in all."""
        states = self._states
        limits = states["nodes"] + (nodes - self.nodes) // len(states)
        self.stopped = False
        states["stopped"] = 0
        states["node_limit"] = limits
        states["next_check"] = np.minimum(states["nodes"] + kernels.NODES_BETWEEN_CHECKS, limits)

    def settle(self, mine: int, theirs: int, attacks: bool, plies: int, wanted: int) -> int:
        """The arrangements of `wanted`, of unfinished boards, for which a claim holds.

        With `attacks` that the side to move wins within `plies`, else that it loses. Void if the
        search was `stopped`.
        """
        claim = (u64(mine), u64(theirs), attacks, plies, u64(wanted))
        if len(self._states) == 1:
            return self._settle_in(0, claim)
        self._busy.fill(0)
        answer = 0
        with ThreadPoolExecutor(len(self._states)) as pool:
            threads = {
                pool.submit(self._settle_in, thread, claim): thread
                for thread in range(len(self._states))
            }
            settled = False
            for future in as_completed(threads):
                if not settled and not self._states["stopped"][threads[future]]:
                    settled, answer = True, future.result()
                    self._states["stopped"] = 1
        self.stopped = not settled
        if settled:
            self._states["stopped"] = 0
        return answer

    def settle_moves(
        self, mine: int, theirs: int, attacks: bool, plies: int, *, all_of_them: bool
    ) -> dict[int, int]:
        """For each placement the arrangements after the swap for which a claim holds.

        The board is that of the first arrangement. Unless `all_of_them` are asked for, there is
        only the first placement with any, if there is one. If the search was `stopped`, those it
        had not come to are left out.
        """
        settled = kernels.settle_moves(
            self._states[0],
            self._table,
            self._busy[:0],
            u64(mine),
            u64(theirs),
            attacks,
            plies,
            all_of_them,
        )
        self.stopped = bool(self._states["stopped"][0])
        proved = self._states["proved"][0]
        return {cell: int(proved[cell]) for cell in range(CELLS) if int(settled) >> cell & 1}

    def known(self, mine: int, theirs: int, attacks: bool, plies: int) -> int:
        """The arrangements, of unfinished boards, for which the table has it that a claim holds."""
        return int(kernels.known(self._table, u64(mine), u64(theirs), attacks, plies))

    def best_known(self, mine: int, theirs: int, attacks: bool, plies: int) -> int | None:
        """The placement that the table has as the best for a claim."""
        cell = int(kernels.known_best(self._table, u64(mine), u64(theirs), attacks, plies))
        return cell if cell < CELLS else None

    def forget(self) -> None:
        """Empty the table."""
        if self._states["used"].any():
            self._table.view(np.uint8).fill(0)
            self._states["used"] = 0

    def knowledge(self, plies: int) -> Knowledge:
        """The table's entries of claims with that many plies or more left."""
        parts = []
        for start in range(0, len(self._table), _ENTRIES_AT_A_TIME):
            part = self._table[start : start + _ENTRIES_AT_A_TIME].copy()
            parts.append(part[kernels.plies_of(part["facts"]) >= plies])
        return np.concatenate(parts)

    def learn(self, knowledge: Knowledge) -> None:
        """Put what another solver knew into the table."""
        kernels.learn(self._states[0], self._table, knowledge)

    def _settle_in(
        self, thread: int, claim: tuple[np.uint64, np.uint64, bool, int, np.uint64]
    ) -> int:
        state = self._states[thread]
        answer = int(kernels.settle(state, self._table, self._busy, *claim))
        if len(self._states) == 1:
            self.stopped = bool(state["stopped"])
        return answer

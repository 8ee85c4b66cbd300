"""The breaker's search, against playing everything out on crowded boards."""

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.games.gomoku.breaker.board import BREAKER, MAKER, new_board, put
from engine.games.gomoku.breaker.fours import maker_wins_at_once
from engine.games.gomoku.breaker.pairing import pair_up, paired
from engine.games.gomoku.breaker.search import OPEN_ENTRY, PROVEN_ENTRY, SEARCH, search
from tests.oracles.gomoku_draw_certificate import Cells, windows

ALL = np.uint64(2**64 - 1)


@cache
def rows(size: int) -> tuple[Cells, ...]:
    return tuple(windows(size))


@cache
def holds(size: int, free: Cells, breaker: Cells, maker: Cells) -> bool:
    """Whether the breaker holds the board, the maker to move: by trying everything."""
    if any(row <= maker for row in rows(size)):
        return False
    for move in free:
        after, left = maker | {move}, free - {move}
        if any(row <= after for row in rows(size)):
            return False
        if left and not any(holds(size, left - {a}, breaker | {a}, after) for a in left):
            return False
    return True


def crowded(size: int, free: int, random: Random) -> tuple[Cells, Cells, Cells]:
    """A position with so many free cells: these, the breaker's and the maker's, without a five."""
    while True:
        cells = list(range(size * size))
        random.shuffle(cells)
        # The maker has more than half, so that he wins about as often as not.
        stones = cells[free:]
        middle = len(stones) * 7 // 20
        left, breaker, maker = map(frozenset, (cells[:free], stones[:middle], stones[middle:]))
        if not any(row <= maker for row in rows(size)):
            return left, breaker, maker


def board(size: int, breaker: Cells, maker: Cells) -> Any:
    s = new_board(size)
    for side, stones in ((BREAKER, breaker), (MAKER, maker)):
        for cell in stones:
            put(s, side, cell)
    return s


@pytest.mark.parametrize("size", [5, 6])
def test_a_search_is_right_and_needs_only_its_zone(size: int) -> None:
    random, seen = Random(size), set()
    for _ in range(150):
        free, breaker, maker = crowded(size, 8, random)
        s = board(size, breaker, maker)
        q = np.zeros(1, dtype=SEARCH)[0]
        q["limit"] = 100_000
        search(s, q, np.zeros(1 << 12, OPEN_ENTRY), np.zeros(1 << 12, PROVEN_ENTRY))
        right = holds(size, free, breaker, maker)
        assert (q["proof"] == 0, q["disproof"] == 0) == (right, not right)
        seen.add(right)
        if right:
            zone = frozenset(cell for cell in free if int(q["zone"]) >> cell & 1)
            assert int(q["zone"]) == sum(1 << cell for cell in zone)
            assert holds(size, zone, breaker, maker | (free - zone))
    assert seen == {True, False}


def test_pairings_and_fours_are_right() -> None:
    random, seen = Random(3), set()
    for _ in range(150):
        free, breaker, maker = crowded(6, 8, random)
        s = board(6, breaker, maker)
        s["pairing_limit"] = 1 << 40
        found = bool(pair_up(s, ALL))
        won = bool(maker_wins_at_once(s))
        assert not (found and won)
        if found:
            assert holds(6, free, breaker, maker)
            pairs = s["pair"][: 2 * s["pairs"]].reshape(-1, 2).tolist()
            ends = [cell for pair in pairs for cell in pair]
            assert len(set(ends)) == len(ends)
            assert set(ends) <= free
            assert int(paired(s)) == sum(1 << cell for cell in ends)
            for row in rows(6):
                assert row & breaker or any(row.issuperset(pair) for pair in pairs)
        if won:
            assert not holds(6, free, breaker, maker)
            # A stone of the breaker's outside these cells does not help.
            for cell in free:
                if not int(s["fours"]) >> cell & 1:
                    assert not holds(6, free - {cell}, breaker | {cell}, maker)
        seen.add((found, won))
    assert {(True, False), (False, True)} <= seen

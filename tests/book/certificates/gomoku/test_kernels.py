"""The guided search finds wins, and nothing that is none."""

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from book.certificates.gomoku import file, kernels
from tests.checkout import ROOT
from tests.oracles.gomoku_certificate import SlowRules, SlowSearch, each

REAL = file.read(ROOT / "tests" / "book" / "certificates" / "gomoku" / "h8-a1.cert")
GAMES = [(6, False), (6, True), (7, False), (7, True)]


def forces_a_win(rules: SlowRules, own: int, other: int, plies: int) -> bool:
    """Whether the side to move wins within so many plies; every move and reply is played."""
    if plies < 1:
        return False
    for move in each(rules.all & ~(own | other)):
        after = own | move
        if rules.has_five(after):
            return True
        replies = list(each(rules.all & ~(after | other)))
        if replies and all(
            not rules.has_five(other | reply)
            and forces_a_win(rules, after, other | reply, plies - 2)
            for reply in replies
        ):
            return True
    return False


def boards(
    rules: SlowRules, size: int, free: int, count: int, seed: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Random boards without a five, of the winner and the opponent, the winner to move."""
    rng = random.Random(seed)
    while count:
        cells = rng.sample(range(size * size), size * size - free)
        half = len(cells) // 2
        own, other = cells[:half], cells[half:]
        if not rules.has_five(rules.stones(own)) and not rules.has_five(rules.stones(other)):
            yield own, other
            count -= 1


def found(size: int, exact: bool, own: list[int], other: list[int], cells: list[int]) -> int:
    state = kernels.new_state(size, exact=exact)
    kernels.set_up(state, np.array(own, dtype=np.int64), np.array(other, dtype=np.int64))
    return int(kernels.wins(state, np.array(cells, dtype=np.int16)))


@pytest.mark.parametrize(("size", "exact"), GAMES)
def test_what_it_finds_on_a_nearly_full_board_is_a_win_within_its_plies(
    size: int, exact: bool
) -> None:
    rules = SlowRules(size, exact=exact)
    rng = random.Random(size)
    by_plies: Counter[int] = Counter()
    for own, other in boards(rules, size, free=10, count=1000, seed=size):
        cells = rules.cells(rules.all & ~(rules.stones(own) | rules.stones(other)))
        rng.shuffle(cells)
        plies = found(size, exact, own, other, cells)
        if plies > 1:
            assert forces_a_win(rules, rules.stones(own), rules.stones(other), plies)
            by_plies[plies] += 1
    assert by_plies[3] >= 10
    assert by_plies.total() > by_plies[3]


@pytest.mark.parametrize(("size", "exact"), [(7, False), (8, True), (9, False), (17, True)])
def test_it_finds_what_a_search_that_plays_every_reply_finds(size: int, exact: bool) -> None:
    rules = SlowRules(size, exact=exact)
    rng = random.Random(size)
    longest = 0
    middle = [divmod(cell, size) for cell in range(size * size)]
    near = [row * size + c for row, c in middle if 1 <= row <= 8 and 1 <= c <= 8]
    for _ in range(80):
        stones = rng.sample(near, 15)
        own, other = stones[:8], stones[8:]
        cells = [cell for cell in rng.sample(near, len(near)) if cell not in stones][:10]
        if rules.has_five(rules.stones(own)) or rules.has_five(rules.stones(other)):
            continue
        plies = found(size, exact, own, other, cells)
        slow = SlowSearch(rules, cells).wins(rules.stones(own), rules.stones(other))
        assert (plies > 0) == (slow > 0), (own, other, cells)
        longest = max(longest, slow)
    assert longest >= 5


def test_six_in_a_row_win_in_freestyle_only() -> None:
    own, other = [0, 1, 2, 4, 5], [14, 16, 18, 20]
    assert found(7, False, own, other, []) == 1
    assert found(7, True, own, other, []) == 0


def test_an_open_four_needs_no_list_and_a_three_needs_one() -> None:
    row = 7 * 15
    own, other = [row + 5, row + 6, row + 7], [0, 2]
    assert found(15, False, own, other, []) == 3
    assert found(15, False, own[:2], other, []) == 0


def test_a_four_at_hand_that_does_not_stop_the_opponent_is_no_win() -> None:
    row, far = 7 * 15, 12 * 15
    own = [row + 5, row + 6, row + 7, far + 4]
    assert found(15, False, own, [far + column for column in (0, 1, 2, 3)], []) == 3
    assert found(15, False, own[:3], [far + column for column in (1, 2, 3, 4)], []) == 0


def test_two_open_threes_that_cross_win_from_a_list() -> None:
    row = 7 * 15
    own = [row + 5, row + 6, row + 7 - 15, row + 7 - 30]
    other = [0, 2, 30]
    assert found(15, False, own, other, [row + 7]) == 5
    assert found(15, False, own, other, []) == 0


def test_a_three_of_the_opponents_far_away_makes_the_win_longer_by_his_fours() -> None:
    row = 7 * 15
    own = [row + 5, row + 6, row + 7 - 15, row + 7 - 30]
    assert found(15, False, own, [0, 2, 30], [row + 7]) == 5
    # Each of the two cells left of the first row makes a four, which has to be stopped.
    assert found(15, False, own, [0, 2, 4], [row + 7]) == 9


def test_a_reply_far_away_that_makes_a_four_is_not_overlooked() -> None:
    row, far = 7 * 15, 13 * 15
    own = [row + 5, row + 6, row + 7 - 15, row + 7 - 30]
    three = [far + 5, far + 6, far + 7]
    state = kernels.new_state(15, exact=False)
    kernels.set_up(state, np.array([*own, row + 7]), np.array(three))
    assert kernels.threat(state, row + 8, np.array([], dtype=np.int16)) == 3
    replies = np.empty(15 * 15, dtype=np.int64)
    count = kernels.critical(state, replies)
    assert {far + 3, far + 4, far + 8, far + 9} <= set(replies[:count].tolist())


# On 9 × 9, where the list wins but for a reply that makes a four together with a forced parry.
FOURS_OF_PARRIES = [
    (
        False,
        [37, 2, 63, 41, 65, 40, 43, 4, 23, 8, 59, 21, 3, 7, 31],
        [73, 16, 9, 1, 28, 38, 66, 42, 57, 20, 22, 32, 61, 12, 55],
        [51, 78, 10, 25, 5, 48],
    ),
    (
        True,
        [35, 57, 39, 32, 19, 42, 68, 14, 74, 73, 60, 66, 10, 55],
        [78, 13, 18, 34, 2, 17, 52, 75, 64, 76, 41, 4, 9, 11, 54],
        [59, 7, 3, 21, 29, 30],
    ),
    (
        True,
        [49, 16, 55, 46, 9, 19, 23, 33, 7, 21, 26, 32, 48, 65],
        [13, 70, 71, 45, 64, 18, 56, 62, 68, 61, 22, 79, 69, 5],
        [77, 80, 57, 47, 78, 0],
    ),
]


@pytest.mark.parametrize(("exact", "own", "other", "cells"), FOURS_OF_PARRIES)
def test_a_reply_that_makes_a_four_with_a_forced_parry_is_not_overlooked(
    exact: bool, own: list[int], other: list[int], cells: list[int]
) -> None:
    rules = SlowRules(9, exact=exact)
    assert SlowSearch(rules, cells).wins(rules.stones(own), rules.stones(other)) == 0
    assert found(9, exact, own, other, cells) == 0


def cells_at(text: str) -> list[int]:
    return [(int(name[1:]) - 1) * 15 + ord(name[0]) - ord("a") for name in text.split()]


@pytest.mark.parametrize(("exact", "plies"), [(False, 5), (True, 0)])
def test_a_stone_that_stops_a_five_makes_a_four_only_where_the_rule_lets_it_win(
    exact: bool, plies: int
) -> None:
    # h8 has to be played, and leaves i8, which makes six. In freestyle the opponent stops that,
    # and the three on the twelfth row wins; in standard he stops the three.
    own = cells_at("e8 f8 g8 j8 h3 b12 c12 d12")
    other = cells_at("d8 h4 h5 h6 h7 o1 o3 a15")
    rules = SlowRules(15, exact=exact)
    slow = SlowSearch(rules, []).wins(rules.stones(own), rules.stones(other))
    assert (slow > 0) == (plies > 0)
    assert found(15, exact, own, other, []) == plies


def test_too_little_effort_finds_nothing() -> None:
    row = 7 * 15
    state = kernels.new_state(15, exact=False)
    own = [row + 5, row + 6, row + 7 - 15, row + 7 - 30]
    kernels.set_up(state, np.array(own), np.array([0, 2, 30]))
    cells = np.array([row + 7], dtype=np.int16)
    state["effort"] = 2
    assert kernels.wins(state, cells) == 0
    state["effort"] = 1000
    assert kernels.wins(state, cells) == 5
    needed = int(state["nodes"])
    state["effort"] = needed
    assert kernels.wins(state, cells) == 5


def test_a_search_leaves_the_board_as_it_was() -> None:
    row = 7 * 15
    state = kernels.new_state(15, exact=False)
    kernels.set_up(
        state, np.array([row + 5, row + 6, row + 7 - 15, row + 7 - 30]), np.array([0, 2, 30])
    )
    before = state["stones"].copy(), state["free"].copy()
    for reply in (3, row + 7, row + 8):
        kernels.answers(state, reply, np.array([row + 7, row + 4], dtype=np.int16))
    assert (state["stones"] == before[0]).all()
    assert (state["free"] == before[1]).all()


@pytest.mark.parametrize("exact", [False, True])
def test_a_reply_that_is_not_searched_would_have_come_to_the_same(exact: bool) -> None:
    """Those of real entries, each answered by itself and as the checker does it."""
    rng = random.Random(5)
    far = 0
    for number in rng.sample(range(REAL.entries), 60):
        entry = REAL.entry(number)
        state = kernels.new_state(15, exact=exact)
        kernels.set_up(state, np.array(entry.board.winner), np.array(entry.board.opponent))
        for listed in entry.lists:
            cells = np.array(listed, dtype=np.int16)
            each_alone = np.array(
                [kernels.answers(state, reply, cells) if state["free"][reply] else 0
                 for reply in range(15 * 15)]
            )  # fmt: skip
            which = np.where(each_alone > 0, 0, -1)
            plies = np.zeros(15 * 15, dtype=np.int64)
            first = np.array([0, len(cells)])
            assert kernels.check_replies(state, which, first, cells, plies) == -1
            assert plies.tolist() == each_alone.tolist()
            far += int(((state["near"][: 15 * 15] == 0) & (which == 0)).sum())
    assert far > 2_000


@pytest.mark.parametrize(("size", "exact"), [(9, False), (9, True), (11, False), (11, True)])
def test_the_first_reply_that_no_list_answers_is_the_same_as_one_by_one(
    size: int, exact: bool
) -> None:
    rules = SlowRules(size, exact=exact)
    rng = random.Random(size)
    wins = 0
    for own, other in boards(rules, size, size * size - 22, 200, size):
        state = kernels.new_state(size, exact=exact)
        kernels.set_up(state, np.array(own), np.array(other))
        free = [cell for cell in range(size * size) if state["free"][cell]]
        cells = np.array(rng.sample(free, 12), dtype=np.int16)
        each_alone = {reply: int(kernels.answers(state, reply, cells)) for reply in free}
        which = np.full(size * size, -1)
        which[free] = 0
        plies = np.zeros(size * size, dtype=np.int64)
        unanswered = [reply for reply in free if not each_alone[reply]][:1]
        found = kernels.check_replies(state, which, np.array([0, 12]), cells, plies)
        assert ([] if found < 0 else [found]) == unanswered
        for reply in free[: free.index(found) if found >= 0 else None]:
            assert plies[reply] == each_alone[reply]
            wins += 1
    assert wins > 500

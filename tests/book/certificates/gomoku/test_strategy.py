"""Who follows the strategy of a certificate wins, within the plies that it says."""

import random
from pathlib import Path

import numpy as np
import pytest

from book.certificates.gomoku import file, kernels
from book.certificates.gomoku.board import Board, Cell
from book.certificates.gomoku.checker import array_of, new_board
from book.certificates.gomoku.strategy import Strategy, StrategyAnswer
from tests.book.certificates.gomoku.strategies import checked, rules_for, written
from tests.checkout import ROOT
from tests.oracles.gomoku_certificate import SlowRules
from tests.oracles.gomoku_certificate.rules import OPPONENT, WINNER, SlowBoard

# Of some 1,700 entries; its test in tests/oracles says how it was made.
REAL = file.read(ROOT / "tests" / "book" / "certificates" / "gomoku" / "h8-a1.cert")

RULES = rules_for("gomoku-15")
SLOW = SlowRules(15, exact=False)


def strategy(folder: Path) -> Strategy:
    distances = checked(written(), folder).distances
    assert distances is not None
    return Strategy(written(), distances)


def wins(board: Board) -> bool:
    return SLOW.has_five(SLOW.stones(board.winner))


def test_the_move_at_the_start_is_answered_in_every_orientation(tmp_path: Path) -> None:
    asked = strategy(tmp_path)
    start = written().start
    assert start.move is not None
    for symmetry in range(8):
        answer = asked.answer(RULES.image(start.board, symmetry))
        assert answer is not None
        assert answer.move == RULES.maps[symmetry][start.move]
        assert answer.plies == 23


def test_a_position_of_no_line_has_no_answer(tmp_path: Path) -> None:
    asked = strategy(tmp_path)
    assert asked.answer(Board((0, 1), (2, 3))) is None
    assert asked.replies(Board((0, 1), (2,))) is None


def test_every_reply_at_every_entry_is_answered_within_its_plies(tmp_path: Path) -> None:
    asked = strategy(tmp_path)
    rng = random.Random(1)
    for number in range(written().entries):
        symmetry = rng.randrange(8)
        board = RULES.image(written().board(number), symmetry)
        replies = asked.replies(board)
        assert replies is not None
        assert sorted(replies) == list(RULES.free(board))
        for reply in rng.sample(sorted(replies), 40):
            answer = asked.answer(board.with_opponent(reply))
            assert answer is not None
            assert answer.plies <= replies[reply] - 1
            after = board.with_opponent(reply).with_winner(answer.move)
            assert wins(after) == (answer.plies == 1)


def test_the_longest_resistance_lasts_as_long_as_the_certificate_says(tmp_path: Path) -> None:
    asked = strategy(tmp_path)
    board, left = written().start.board, 23
    assert written().start.move is not None
    board, left = board.with_winner(written().start.move), left - 1
    while (replies := asked.replies(board)) is not None:
        longest = max(replies, key=lambda reply: replies[reply])
        assert replies[longest] == left
        answer = asked.answer(board.with_opponent(longest))
        assert answer is not None
        assert answer.plies == left - 1
        board = board.with_opponent(longest).with_winner(answer.move)
        left -= 2
    assert left < 23 - 1


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Strategy:
    distances = checked(REAL, tmp_path_factory.mktemp("real")).distances
    assert distances is not None
    return Strategy(REAL, distances)


class Follower:
    """Plays for the winner: what the strategy answers, then with the list that answered a reply."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._entries = {REAL.board(number): number for number in range(REAL.entries)}
        self._state = new_board(REAL)
        # With a list of an entry, the symmetry that leads to the entry.
        self._list: tuple[tuple[Cell, ...], int] | None = None

    def answer(self, before: Board, reply: Cell) -> StrategyAnswer:
        """The answer to a reply on `before`."""
        if self._list is not None:
            answer = self._answer_with(*self._list, before, reply)
            assert answer is not None
            return answer
        board = before.with_opponent(reply)
        answer = self._strategy.answer(board)
        assert answer is not None
        after = board.with_winner(answer.move)
        if not wins(after) and RULES.canonical(after)[0] not in self._entries:
            self._list = self._list_of(answer, board)
        return answer

    def _list_of(self, answer: StrategyAnswer, board: Board) -> tuple[tuple[Cell, ...], int]:
        """The list by which the strategy came to an answer.

        Several entries may lead to the board, each with another stone as the reply to it.
        """
        for reply in board.opponent:
            rest = tuple(cell for cell in board.opponent if cell != reply)
            before = Board(board.winner, rest)
            canonical, symmetry = RULES.canonical(before)
            number = self._entries.get(canonical)
            if number is not None:
                entry = REAL.entry(number)
                answering = entry.by_list.get(RULES.maps[symmetry][reply], 0)
                cells = (entry.lists or ((),))[answering]
                if self._answer_with(cells, symmetry, before, reply) == answer:
                    return cells, symmetry
        raise AssertionError("no list gives this answer")

    def _answer_with(
        self, cells: tuple[Cell, ...], symmetry: int, before: Board, reply: Cell
    ) -> StrategyAnswer | None:
        turned = RULES.image(before, symmetry)
        kernels.set_up(self._state, array_of(turned.winner), array_of(turned.opponent))
        replied = RULES.maps[symmetry][reply]
        plies = int(kernels.answers(self._state, replied, np.array(cells, dtype=np.int16)))
        move = RULES.inverse(symmetry)[int(self._state["move"])]
        return StrategyAnswer(move, plies) if plies else None


def reply_of(kind: str, strategy: Strategy, board: Board, rng: random.Random) -> Cell:
    """What the opponent plays: a five if he can, else according to his kind."""
    slow = SlowBoard(SLOW, SLOW.stones(board.winner), SLOW.stones(board.opponent))
    fives, fours = slow.fives(OPPONENT), list(slow.fours(OPPONENT))
    if fives:
        return rng.choice(SLOW.cells(fives))
    if kind == "fours" and fours and rng.random() < 0.5:
        return SLOW.cells(rng.choice(fours))[0]
    if kind != "random" and slow.fives(WINNER):
        return rng.choice(SLOW.cells(slow.fives(WINNER)))
    lasting = strategy.replies(board)
    if kind != "random" and lasting:
        return rng.choice(sorted(lasting, key=lambda reply: -lasting[reply])[: rng.choice([1, 8])])
    if kind != "random" and slow.fours(WINNER):
        return SLOW.cells(rng.choice(list(slow.fours(WINNER))))[0]
    return rng.choice(SLOW.cells(slow.free))


@pytest.mark.parametrize("kind", ["random", "longest", "fours"])
def test_whoever_follows_it_wins_within_what_was_announced(real: Strategy, kind: str) -> None:
    rng = random.Random(kind)
    lengths = []
    for _ in range(25):
        follower = Follower(real)
        board = RULES.image(REAL.start.board, rng.randrange(8))
        answer = real.answer(board)
        assert answer is not None
        assert answer.plies == 41
        lengths.append(1)
        while True:
            assert answer.move in RULES.free(board)
            board = board.with_winner(answer.move)
            if wins(board):
                assert answer.plies == 1
                break
            reply = reply_of(kind, real, board, rng)
            left = answer.plies - 2
            answer = follower.answer(board, reply)
            assert answer.plies <= left
            board = board.with_opponent(reply)
            assert not SLOW.has_five(SLOW.stones(board.opponent))
            lengths[-1] += 2
    if kind != "random":
        assert max(lengths) >= 19

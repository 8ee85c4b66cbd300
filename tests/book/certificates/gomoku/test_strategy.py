"""Who follows the strategy of a certificate wins, within the plies that it says."""

import random
from pathlib import Path

from book.certificates.gomoku.board import Board
from book.certificates.gomoku.strategy import Strategy
from tests.book.certificates.gomoku.strategies import checked, rules_for, written
from tests.oracles.gomoku_certificate import SlowRules

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

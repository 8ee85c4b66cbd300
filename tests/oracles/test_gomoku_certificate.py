"""The second checker of Gomoku's certificates, on what the strategy needs after h8 a1.

That certificate was written with `fivebook certify won.db -o h8-a1.cert --game gomoku-15 --root
"h8 a1"`.
"""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from book.certificates.gomoku import file
from tests.book.certificates.gomoku.strategies import with_entry
from tests.checkout import ROOT
from tests.oracles.gomoku_certificate import SlowChecker, SlowRules, SlowSearch, read
from tests.oracles.gomoku_certificate.__main__ import main
from tests.oracles.gomoku_certificate.rules import OPPONENT, WINNER, SlowBoard, each
from tests.oracles.gomoku_certificate.search import idle_replies

REAL = ROOT / "tests" / "book" / "certificates" / "gomoku" / "h8-a1.cert"


def test_every_reply_of_a_real_subtree_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(REAL), "--under", "h8 a1 i9 g9"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{REAL}: dark wins gomoku-15, 1,661 entries",
        "50 entries under 'h8 a1 i9 g9'",
        "10,691 replies answered by lists, 49 by moves",
        "no hole found: 50 of 1,661 entries checked",
    ]


@pytest.mark.slow
def test_a_whole_certificate_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(REAL), "--jobs", "2"]) == 0
    assert "accepted: 1,661 of 1,661 entries checked\n" in capsys.readouterr().out


def test_a_sample_is_the_same_for_one_job_and_two(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for jobs in "12":
        assert main([str(REAL), "--sample", "12", "--seed", "3", "--jobs", jobs]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert "no hole found: 12 of 1,661 entries checked\n" in told[0]


@pytest.mark.parametrize(
    ("jobs", "line"),
    [
        ("1", "h8 a1 i9 g9 i7 g7"),
        pytest.param("1", "h8 a1 i9 g9", marks=pytest.mark.slow),
        pytest.param("2", "h8 a1 i9 g9", marks=pytest.mark.slow),
    ],
)
def test_a_reply_that_no_list_answers_is_found(
    tmp_path: Path, jobs: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = SlowChecker(read(REAL))
    number = slow.below(slow.under(cells(line)))[-1]
    right = file.read(REAL)
    entry = right.entry(number)
    path = tmp_path / "wrong.cert"
    emptied = replace(entry, lists=tuple(() for _ in entry.lists))
    file.write(with_entry(right, number, emptied), path)
    assert main([str(path), "--jobs", jobs, "--under", line]) == 1
    assert f"rejected: entry {number}: no win after " in capsys.readouterr().out


@pytest.mark.parametrize("line", ["h8 a1 i9 g9 a2", "h8 b1", "h8 a1 i9 i9", "a1 b2 c3 d4", "h8 i9"])
def test_moves_that_lead_to_no_entry_are_refused(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(REAL), "--under", line]) == 2
    assert f"nothing to check under '{line}': " in capsys.readouterr().err


def test_what_is_no_certificate_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.cert"
    for data in (b"", b"{}\n", REAL.read_bytes()[:-9], REAL.read_bytes().replace(b"1661", b"1662")):
        path.write_bytes(data)
        assert main([str(path)]) == 2
        assert f"{path} is no certificate: " in capsys.readouterr().err


@pytest.mark.parametrize("count", [80, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("exact", [False, True])
def test_an_idle_reply_leaves_the_line_of_fours_as_it_is(exact: bool, count: int) -> None:
    rules = SlowRules(9, exact=exact)
    rng = random.Random(4)
    lengths: list[int] = []
    busy = 0
    while len(lengths) < count:
        stones = rng.sample(range(81), 28)
        board = SlowBoard(rules, rules.stones(stones[:14]), rules.stones(stones[14:]))
        if over(rules, board) or board.fives(WINNER) or board.fives(OPPONENT):
            continue
        line = SlowSearch(rules, rules.cells(board.free)).by_fours(board)
        if line:
            lengths.append(len(line))
            before = list(board.stones)
            idle = idle_replies(board, line)
            assert board.stones == before
            assert not idle & ~board.free
            busy += (board.free & ~idle).bit_count()
            for reply in each(idle):
                assert wins_with(rules, line, board.stones[WINNER], board.stones[OPPONENT] | reply)
    assert max(lengths) >= 7
    assert busy > count


def wins_with(rules: SlowRules, line: list[int], winner: int, opponent: int) -> bool:
    """Whether the winner, to move, makes a five with the moves of `line` before the opponent does.

    Every stone is put on a board of its own.
    """
    for move, parry in zip(line[:-1:2], line[1::2], strict=True):
        board = SlowBoard(rules, winner, opponent)
        if not board.free & move or board.fives(OPPONENT) & ~move:
            return False
        winner |= move
        after = SlowBoard(rules, winner, opponent)
        if parry not in each(after.fives(WINNER)) or after.fives(OPPONENT) & ~parry:
            return False
        if after.fives(WINNER) != parry:
            return True
        opponent |= parry
    return False


def over(rules: SlowRules, board: SlowBoard) -> bool:
    return any(map(rules.has_five, board.stones))


def cells(line: str) -> list[int]:
    return [(int(move[1:]) - 1) * 15 + ord(move[0]) - ord("a") for move in line.split()]

"""What is said of a check is what it found."""

import json
from pathlib import Path

from book.certificates.gomoku import report
from book.certificates.gomoku.checker import Checker
from tests.book.certificates.gomoku.strategies import checked, rebuilt, written


def said(check: Checker, *, resumable: bool = False) -> list[str]:
    answer = report.as_dict(Path("some.cert"), written(), check)
    assert json.loads(json.dumps(answer))["accepted"] == answer["accepted"]
    return report.lines(answer, resumable=resumable)


def test_an_accepted_certificate_is_said_to_be_won_within_its_plies(tmp_path: Path) -> None:
    told = said(checked(written(), tmp_path))
    assert told[0].startswith("some.cert: dark wins gomoku-15 within 23 plies from ....")
    assert told[1].startswith("5 entries with ")
    assert told[2:] == ["accepted: 5 entries checked, 100.00 % of them"]


def test_a_rejection_gives_the_moves_to_the_hole(tmp_path: Path) -> None:
    told = said(checked(rebuilt(written(), lambda some: some.pop()), tmp_path))
    assert "within" not in told[0]
    assert told[2].startswith("rejected: no entry has this position (entry ")
    assert " after 'i7 " in told[2]


def test_a_sample_and_an_unfinished_check_are_not_accepted() -> None:
    sample = Checker(written(), sample=2)
    for _ in sample.steps():
        pass
    assert said(sample)[2:] == ["no hole found: 2 entries checked, 40.00 % of them"]
    assert said(Checker(written()), resumable=True)[2:] == [
        "no hole found: 0 entries checked, 0.00 % of them",
        "Not finished: the same command goes on from here.",
    ]

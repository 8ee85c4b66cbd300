"""Writing certificates from a solver's answers."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.file import read
from engine import registry
from engine.errors import FivebookError
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.supernode_wins import SupernodeWins
from precompute.certificates.pentago_swap.certify import Certifier, CertifyState, make_certificate
from precompute.certificates.pentago_swap.strategy import EntryRules, NoStrategy, SupernodeMove
from tests.book.certificates.pentago_swap.samples import POSITIONS, entries, hole, position, rebuilt
from tests.book.certificates.pentago_swap.strategies import Searched

GAME = registry.get("pentago-swap")
START = position(POSITIONS[7])
RULES = EntryRules(short=1, leaf=3, nodes=arrangements.UNLIMITED)


class Failing:
    """A strategy that is cut off after so many answers."""

    def __init__(self, answers: int) -> None:
        self._strategy = Searched()
        self._left = answers

    def moves(self, white: int, black: int, boards: int, plies: int) -> Sequence[SupernodeMove]:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        return self._strategy.moves(white, black, boards, plies)


def test_a_certificate_goes_on_with_the_answers_it_has(tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    start, whole = position(POSITIONS[9]), Searched()
    expected = Certifier([whole], start, 9, rules=RULES).certificate()
    with pytest.raises(KeyboardInterrupt):
        Certifier([Failing(whole.asked // 2)], start, 9, rules=RULES, answers=answers).certificate()
    # A kill in the midst of a line.
    answers.write_text(answers.read_text()[:-4])
    searched = Searched()
    right = Certifier([searched], start, 9, rules=RULES, answers=answers).certificate()
    assert 0 < searched.asked < whole.asked
    again = Certifier([searched], start, 9, rules=RULES, answers=answers).certificate()
    assert entries(right) == entries(again) == entries(expected)
    assert hole(right) is None


def test_answers_by_other_rules_are_refused(tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    Certifier([Searched()], START, 7, rules=RULES, answers=answers).certificate()
    assert answers.read_text().startswith(
        f"fivebook answers by Rules(short=1, leaf=3, nodes={RULES.nodes}, nodes_for_moves=0)\n"
    )
    for rules in (replace(RULES, short=3), replace(RULES, leaf=1), replace(RULES, nodes=5)):
        with pytest.raises(FivebookError, match="another certificate"):
            Certifier([Searched()], START, 7, rules=rules, answers=answers).certificate()


def test_a_strategy_that_does_not_win_is_refused() -> None:
    with pytest.raises(NoStrategy, match="does not win"):
        Certifier([Searched()], START, 5, rules=RULES).certificate()


def test_two_threads_write_the_same_as_one() -> None:
    one, two = (
        Certifier([Searched() for _ in range(jobs)], START, 7, rules=RULES).certificate()
        for jobs in (1, 2)
    )
    assert entries(one) == entries(two)


def test_progress_is_told_family_by_family() -> None:
    states: list[CertifyState] = []
    right = Certifier([Searched()], START, 7, rules=RULES, report=states.append).certificate()
    assert states[0] == CertifyState(START.ply, 1, 1, 1)
    assert states[-1].entries == right.entries
    assert states[-1].done == states[-1].of
    assert [state.ply for state in states] == sorted(state.ply for state in states)


@pytest.mark.parametrize(
    ("distance", "short", "leaf", "nodes", "nodes_for_moves"),
    [(9, 3, 7, 30, 0), (9, 5, 7, 1000, 0), (11, 5, 9, 1000, 0), (11, 5, 9, 1000, 100_000)],
)
def test_wins_of_the_exact_solver_are_accepted(
    tmp_path: Path, distance: int, short: int, leaf: int, nodes: int, nodes_for_moves: int
) -> None:
    path = tmp_path / "win.cert"
    start = position(POSITIONS[distance])
    solver = SupernodeWins(Claims(table=16))
    written = make_certificate(
        solver,
        start,
        distance,
        path,
        jobs=2,
        short=short,
        leaf=leaf,
        nodes=nodes,
        nodes_for_moves=nodes_for_moves,
    )
    right = read(path)
    assert entries(right) == entries(written)
    assert right.leaves < right.entries
    assert hole(right, jobs=2) is None
    assert hole(replace(right, distance=distance - 2)) is not None
    rng = random.Random(distance)
    for _ in range(5):
        some = entries(right)
        del some[rng.randrange(len(some))]
        assert hole(rebuilt(right, some)) is not None


@pytest.mark.slow
def test_a_win_in_thirteen_plies_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "win.cert"
    make_certificate(SupernodeWins(Claims(table=256)), position(POSITIONS[13]), 13, path, jobs=2)
    assert hole(read(path), jobs=2) is None

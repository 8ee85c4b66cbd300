"""The checker accepts what is right, and nothing else."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.checker import Checker
from book.certificates.pentago_swap.file import Certificate, CertificateError
from book.certificates.pentago_swap.single_board import SingleBoard, key_of
from engine import registry
from engine.position import Position
from precompute.certificates.pentago_swap.certify import Certifier
from precompute.certificates.pentago_swap.strategy import EntryRules, to_board
from tests.book.certificates.pentago_swap.samples import (
    POSITIONS,
    certificate,
    entries,
    hole,
    position,
    rebuilt,
)
from tests.book.certificates.pentago_swap.strategies import Searched, won

GAME = registry.get("pentago-swap")
# Distance, short, leaf: with and without leaves that are searched for more than one ply.
SHAPES = [(3, 0, 1), (5, 0, 1), (5, 1, 3), (5, 1, 1), (7, 0, 1), (7, 1, 3), (7, 3, 5), (7, 5, 5)]
EVERY_PLY = certificate(7, 0, 1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_right_certificate_is_accepted(shape: tuple[int, int, int], jobs: int) -> None:
    assert hole(certificate(*shape), jobs) is None


@pytest.mark.parametrize("shape", [(3, 0, 1), (5, 0, 1), (7, 0, 1), (7, 1, 3)], ids=str)
def test_a_removed_reply_is_a_hole(shape: tuple[int, int, int]) -> None:
    right = certificate(*shape)
    for number in range(right.entries):
        some = entries(right)
        del some[number]
        found = hole(rebuilt(right, some))
        assert found is not None
        assert "no answer wins" in found.reason or "no entry wins the start" in found.reason


@pytest.mark.parametrize("shape", [(3, 0, 1), (5, 0, 1), (7, 0, 1), (7, 1, 3)], ids=str)
def test_a_changed_move_is_a_hole(shape: tuple[int, int, int]) -> None:
    right = certificate(*shape)
    rng = random.Random(1)
    changed = 0
    for number, entry in enumerate(entries(right)):
        taken = arrangements.white_of(entry["high"], entry["low"]) | arrangements.black_of(
            entry["high"], entry["low"]
        )
        for index, (stone, swapped) in enumerate(entry["moves"]):
            used = {stone for stone, _ in entry["moves"]}
            free = [cell for cell in range(36) if not taken >> cell & 1 and cell not in used]
            other = next(a for a in _arrangements(swapped) if a != swapped)
            for move in ((rng.choice(free), swapped), (stone, other)):
                some = entries(right)
                some[number]["moves"][index] = move
                assert hole(rebuilt(right, some)) is not None
                changed += 1
    assert changed


@pytest.mark.parametrize("shape", [(3, 0, 1), (5, 1, 3), (7, 0, 1), (7, 1, 3)], ids=str)
def test_a_moved_stone_of_a_leaf_is_a_hole(shape: tuple[int, int, int]) -> None:
    right = certificate(*shape)
    rng = random.Random(2)
    for number, entry in enumerate(entries(right)):
        if entry["moves"]:
            continue
        white = arrangements.white_of(entry["high"], entry["low"])
        black = arrangements.black_of(entry["high"], entry["low"])
        free = [cell for cell in range(36) if not (white | black) >> cell & 1]
        for colour in ("white", "black"):
            stones = white if colour == "white" else black
            one = rng.choice([cell for cell in range(36) if stones >> cell & 1])
            moved = stones ^ 1 << one ^ 1 << rng.choice(free)
            pair = (moved, black) if colour == "white" else (white, moved)
            high, low, boards = key_of(*pair, entry["boards"])
            some = entries(right)
            some[number].update(high=high, low=low, boards=boards)
            assert hole(rebuilt(right, some)) is not None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_lowered_distance_is_a_hole(shape: tuple[int, int, int]) -> None:
    right = certificate(*shape)
    for less in (1, 2):
        assert hole(replace(right, distance=right.distance - less)) is not None


def test_a_leaf_that_is_not_won_in_time_is_a_hole() -> None:
    right = certificate(5, 1, 3)
    alone = {**entries(right)[0], "moves": []}
    found = hole(replace(rebuilt(right, [alone]), distance=3))
    assert found is not None
    assert "the search finds no win within 3 plies" in found.reason
    assert found.line == ()


def test_a_leaf_longer_than_the_certificate_says_is_a_hole() -> None:
    right = certificate(5, 1, 3)
    alone = {**entries(right)[0], "moves": []}
    found = hole(rebuilt(right, [alone]))
    assert found is not None
    assert "malformed" in found.reason
    assert hole(replace(rebuilt(right, [alone]), leaf=5)) is None


def test_an_entry_that_nothing_leads_to_is_a_hole() -> None:
    right = certificate(7, 1, 3)
    # The start of another certificate, which has four stones more.
    alone = entries(certificate(3, 0, 1))[0]
    found = hole(rebuilt(right, [*entries(right), alone]))
    assert found is not None
    assert "is reached by no line" in found.reason


def test_an_entry_given_twice_or_out_of_order_is_a_hole() -> None:
    right = certificate(7, 1, 3)
    twice = rebuilt(right, entries(right) + entries(right)[-1:])
    turned = replace(right, high=right.high[::-1].copy())
    for wrong in (twice, turned):
        found = hole(wrong)
        assert found is not None
        assert "not in order" in found.reason


def test_an_arrangement_too_much_is_a_hole() -> None:
    rng = random.Random(7)
    for _ in range(200):
        some = entries(EVERY_PLY)
        entry = rng.choice(some)
        entry["boards"] |= 1 << rng.choice([n for n in range(25) if not entry["boards"] >> n & 1])
        assert hole(rebuilt(EVERY_PLY, some)) is not None


def test_another_start_is_a_hole() -> None:
    found = hole(replace(certificate(7, 1, 3), start=(0, 0)))
    assert found is not None
    assert found.line == ()
    assert found.reason == "no entry wins the start position within 7 plies"


def test_a_start_with_black_to_move_is_a_hole() -> None:
    assert hole(replace(certificate(7, 1, 3), start=(1, 0))) is not None


def test_no_flipped_bit_makes_a_wrong_certificate_a_right_one() -> None:
    """Flips bits of every column; what is still accepted must still be a strategy."""
    rng = random.Random(3)
    rejected = 0
    for _ in range(400):
        name = rng.choice(["high", "low", "boards", "stone", "swapped"])
        column = getattr(EVERY_PLY, name).copy()
        widths = {"high": 36, "low": 36, "boards": 24, "stone": 8, "swapped": 24}
        column[rng.randrange(len(column))] ^= 1 << rng.randrange(widths[name])
        flipped = replace(EVERY_PLY, **{name: column})
        if hole(flipped) is None:
            assert name == "swapped"
            assert bool(np.all(EVERY_PLY.swapped & column == EVERY_PLY.swapped))
        else:
            rejected += 1
    assert rejected > 350


def test_numbers_far_out_of_range_are_rejected_and_do_no_harm() -> None:
    rng = random.Random(4)
    for name in ("high", "low", "boards", "stone", "swapped"):
        for value in (-1, -(1 << 63), (1 << 63) - 1, 1 << 40, 255):
            column = getattr(EVERY_PLY, name).copy()
            column[rng.randrange(len(column))] = value
            assert hole(replace(EVERY_PLY, **{name: column})) is not None


def test_the_line_to_a_hole_follows_the_strategy_to_a_board_it_does_not_win() -> None:
    start = position(POSITIONS[7])
    lengths = set()
    for number in range(1, EVERY_PLY.entries):
        some = entries(EVERY_PLY)
        del some[number]
        found = hole(rebuilt(EVERY_PLY, some))
        assert found is not None
        assert found.line is not None
        end = start
        for text in found.line:
            end = GAME.play(end, GAME.parse_move(text))
        assert GAME.outcome(end) is None
        assert str(to_board(end)) == found.board
        left = some_entry(EVERY_PLY, number)
        assert to_board(end).key[:2] == left
        assert won(end, 7)
        lengths.add(len(found.line))
    assert lengths == {2, 4, 6}


def test_a_check_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    parts = 0
    for _ in range(100):
        check = Checker(EVERY_PLY, state=state, checksum="one")
        for _ in check.steps():
            parts += 1
            check.stop()
        if check.complete:
            break
        assert check.hole is None
    assert check.complete
    assert check.hole is None
    assert check.checked == EVERY_PLY.entries
    assert parts == -(-EVERY_PLY.entries // 16)


def test_a_state_of_another_certificate_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    for _ in Checker(EVERY_PLY, state=state, checksum="one").steps():
        pass
    with pytest.raises(CertificateError, match="another certificate"):
        Checker(EVERY_PLY, state=state, checksum="two")
    state.write_bytes(b"nothing")
    with pytest.raises(CertificateError, match="cannot read"):
        Checker(EVERY_PLY, state=state, checksum="one")


def test_a_sample_checks_so_many_entries_and_no_more() -> None:
    check = Checker(EVERY_PLY, sample=50, seed=1)
    for _ in check.steps():
        pass
    assert check.checked == 50
    assert not check.whole
    assert check.hole is None


def some_entry(certificate: Certificate, number: int) -> tuple[int, int]:
    return int(certificate.high[number]), int(certificate.low[number])


def _arrangements(swapped: int) -> list[int]:
    """Single arrangements of the parity that `swapped` does not have, then of its own."""
    reached: int = arrangements.reach(swapped)
    return [1 << n for n in range(24) if reached >> n & 1]


def test_a_start_one_ply_from_the_end_is_a_certificate_too() -> None:
    start: Any = None
    rng = random.Random(6)
    while start is None:
        candidate = Position()
        for _ in range(14):
            if GAME.outcome(candidate) is None:
                candidate = GAME.play(candidate, rng.choice(GAME.legal_moves(candidate)))
        if GAME.outcome(candidate) is None and won(candidate, 1):
            start = candidate
    rules = EntryRules(short=0, leaf=0, nodes=arrangements.UNLIMITED)
    right = Certifier([Searched()], start, 1, rules=rules).certificate()
    assert (right.entries, right.moves, right.distance) == (1, 1, 1)
    assert hole(right) is None
    assert SingleBoard(*right.start) == to_board(start)

"""What certificates of a draw are accepted, what is rejected and why."""

import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from book.certificates.check import Hole
from book.certificates.gomoku.board import Rules
from book.certificates.gomoku_draw import file
from book.certificates.gomoku_draw.checker import Checker
from book.certificates.gomoku_draw.file import Answer, Certificate, CertificateError, Entry
from tests.book.certificates.gomoku_draw.samples import SIZES, path_of, shipped
from tests.oracles import gomoku_draw_certificate as slow

Change = Callable[[Entry], Entry]


def checked(certificate: Certificate) -> Checker:
    checker = Checker(certificate)
    for _ in checker.steps():
        pass
    return checker


def hole(certificate: Certificate) -> Hole:
    found = checked(certificate).hole
    assert found is not None
    return found


def with_entry(certificate: Certificate, number: int, entry: Entry) -> Certificate:
    entries = list(certificate.entries)
    entries[number] = entry
    return replace(certificate, entries=tuple(entries))


def numbers(certificate: Certificate, with_answers: bool) -> list[int]:
    return [n for n, e in enumerate(certificate.entries) if bool(e.answers) == with_answers]


@pytest.mark.parametrize("size", SIZES)
def test_the_certificates_that_come_with_fivebook_are_accepted(size: int) -> None:
    checker = checked(shipped(size))
    assert checker.hole is None
    assert checker.complete
    assert checker.checked == len(shipped(size).entries)


@pytest.mark.parametrize("size", SIZES)
def test_the_slow_checker_accepts_them_too(size: int) -> None:
    read_size, entries = slow.read(path_of(size))
    assert read_size == size
    assert [tuple(entry) for entry in entries] == [
        (
            entry.stones,
            entry.pairs,
            tuple((answer.cell, answer.entry, answer.symmetry) for answer in entry.answers),
        )
        for entry in shipped(size).entries
    ]
    assert slow.needs(size, entries)[-1]


@pytest.mark.parametrize("size", SIZES)
def test_nobody_fills_five_against_the_strategy(size: int) -> None:
    _, entries = slow.read(path_of(size))
    rows, needed = slow.windows(size), slow.needs(size, entries)
    for seed in range(40):
        random = Random(seed)
        breaker = slow.SlowBreaker(size, entries, needed)
        free, maker, his = set(range(size * size)), set[int](), set[int]()
        while free:
            # Half of the moves go where the maker is nearest to five.
            best = max(
                sorted(free),
                key=lambda cell: max(
                    (len(row & maker) for row in rows if cell in row and not row & his), default=0
                ),
            )
            move = best if random.random() < 0.5 else random.choice(sorted(free))
            maker.add(move)
            free.remove(move)
            assert not any(row <= maker for row in rows)
            answer = breaker.answer(move)
            if free:
                if answer is None or answer in his:
                    answer = random.choice(sorted(free))
                assert answer in free
                his.add(answer)
                free.remove(answer)


# Damage to leaves, then to entries with answers.


def without_a_pair(entry: Entry) -> Entry:
    return replace(entry, pairs=entry.pairs[1:])


def pair_of_one_cell(entry: Entry) -> Entry:
    (first, _), *others = entry.pairs
    return replace(entry, pairs=((first, first), *others))


def pair_with_a_cell_of_another(entry: Entry) -> Entry:
    (first, _), (other, further), *others = entry.pairs
    return replace(entry, pairs=((first, other), (other, further), *others))


def pair_off_the_board(entry: Entry) -> Entry:
    (first, _), *others = entry.pairs
    return replace(entry, pairs=((first, 200), *others))


def pair_on_a_stone(entry: Entry) -> Entry:
    (first, _), *others = entry.pairs
    return replace(entry, pairs=((first, entry.stones[0]), *others))


def without_a_stone(entry: Entry) -> Entry:
    return replace(entry, stones=entry.stones[1:])


def without_an_answer(entry: Entry) -> Entry:
    return replace(entry, answers=entry.answers[1:])


def an_answer_twice(entry: Entry) -> Entry:
    return replace(entry, answers=(*entry.answers, entry.answers[-1]))


def changed_answer(**changes: int) -> Change:
    def change(entry: Entry) -> Entry:
        first, *others = entry.answers
        return replace(entry, answers=(replace(first, **changes), *others))

    return change


def answers_and_pairs(entry: Entry) -> Entry:
    free = sorted({*range(36)} - {*entry.stones})
    return replace(entry, pairs=((free[0], free[1]),))


@pytest.mark.parametrize(
    ("change", "with_answers", "reason"),
    [
        (without_a_pair, False, "no stone and no pair closes"),
        (pair_of_one_cell, False, "there twice"),
        (pair_with_a_cell_of_another, False, "there twice"),
        (pair_off_the_board, False, "not on the board"),
        (pair_on_a_stone, False, "taken"),
        (without_a_stone, False, "no stone and no pair closes"),
        (without_an_answer, True, "no answer is good"),
        (an_answer_twice, True, "an answer is to no move"),
        (changed_answer(entry=4_000_000_000), True, "leads to no earlier entry"),
        (changed_answer(symmetry=8), True, "leads to no earlier entry"),
        (changed_answer(cell=255), True, "not on the board"),
        (answers_and_pairs, True, "both pairs and answers"),
    ],
)
@pytest.mark.parametrize("size", [6, 7])
def test_damage_to_an_entry_is_found(
    size: int, change: Change, with_answers: bool, reason: str
) -> None:
    certificate = shipped(size)
    among = numbers(certificate, with_answers)
    for number in {among[0], among[len(among) // 2], among[-1]}:
        found = hole(with_entry(certificate, number, change(certificate.entries[number])))
        assert reason in found.reason
        assert f"(entry {number})" in found.reason


def test_each_pair_and_each_answer_of_the_smaller_ones_is_needed() -> None:
    for size in (5, 6):
        certificate = shipped(size)
        for number, entry in enumerate(certificate.entries):
            for place in range(len(entry.answers)):
                others = entry.answers[:place] + entry.answers[place + 1 :]
                assert hole(with_entry(certificate, number, replace(entry, answers=others)))
    only = shipped(5).entries[0]
    for place in range(len(only.pairs)):
        others_ = only.pairs[:place] + only.pairs[place + 1 :]
        assert hole(with_entry(shipped(5), 0, replace(only, pairs=others_)))


def test_other_cells_and_symmetries_of_answers_are_seldom_accepted() -> None:
    certificate = shipped(6)
    random, rejected = Random(1), 0
    for _ in range(200):
        number = random.choice(numbers(certificate, True))
        entry = certificate.entries[number]
        place = random.randrange(len(entry.answers))
        answers = list(entry.answers)
        answers[place] = Answer(
            random.randrange(36), random.randrange(len(certificate.entries)), random.randrange(8)
        )
        other = with_entry(certificate, number, replace(entry, answers=tuple(answers)))
        accepted = checked(other).hole is None
        rejected += not accepted
        if accepted:
            slow.needs(
                6,
                [
                    slow.SlowEntry(
                        e.stones,
                        e.pairs,
                        tuple(slow.SlowAnswer(a.cell, a.entry, a.symmetry) for a in e.answers),
                    )
                    for e in other.entries
                ],
            )
    assert rejected > 100


def test_the_line_to_a_hole_can_be_played() -> None:
    certificate = shipped(7)
    lines = 0
    for number in (0, 10, 100, 500, 1000):
        entry = certificate.entries[number]
        change = without_an_answer if entry.answers else without_a_pair
        found = hole(with_entry(certificate, number, change(entry)))
        if found.line is not None:
            lines += 1
            cells = [_cell(name) for name in found.line]
            assert len(set(cells)) == len(cells)
            assert found.board.count("X") + found.board.count("O") == len(cells)
    assert lines >= 4


def _cell(name: str) -> int:
    return (int(name[1:]) - 1) * 7 + ord(name[0]) - ord("a")


def test_a_strategy_must_begin_with_the_empty_board() -> None:
    certificate = shipped(6)
    assert "empty board" in hole(replace(certificate, entries=())).reason
    one = certificate.entries[numbers(certificate, False)[0]]
    assert "empty board" in hole(replace(certificate, entries=(one,))).reason


def test_an_entry_that_nothing_needs_is_rejected() -> None:
    certificate = shipped(5)
    doubled = replace(certificate, entries=certificate.entries * 2)
    assert "reached by no line" in hole(doubled).reason


def test_a_pairing_of_one_board_is_none_of_a_larger_one() -> None:
    larger = replace(shipped(5), rules=Rules(6, exact=False))
    assert "no stone and no pair closes" in hole(larger).reason


# The file.


def test_a_certificate_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "draw.cert"
    for size in SIZES:
        assert file.write(shipped(size), path) == path.stat().st_size
        assert file.read(path) == shipped(size)
    assert [other.name for other in tmp_path.iterdir()] == ["draw.cert"]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "draw.cert"
    data = path_of(6).read_bytes()
    head, _, rest = data.partition(b"\n")
    header = json.loads(head)
    columns = bytearray(lzma.decompress(rest))
    columns[3] ^= 1
    changes = (
        ("version", 2),
        ("game", "gomoku-4"),
        ("game", "gomoku-6-standard"),
        ("result", "win"),
        ("entries", header["entries"] + 1),
        ("pairs", -1),
        ("stones", True),
        ("checksum", None),
    )
    others = [
        data[:-8],
        data + b"x",
        b"",
        head + b"\n" + lzma.compress(bytes(columns)),
        *(json.dumps({**header, name: value}).encode() + b"\n" + rest for name, value in changes),
    ]
    for other in others:
        path.write_bytes(other)
        with pytest.raises(CertificateError):
            file.read(path)

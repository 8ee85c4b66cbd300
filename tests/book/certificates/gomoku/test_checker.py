"""The checker accepts what is right, and nothing else."""

import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from book.certificates.check import Hole
from book.certificates.gomoku import file
from book.certificates.gomoku.board import Board
from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import Certificate, CertificateError, Entry, Start
from engine import registry
from tests.book.certificates.gomoku.strategies import (
    checked,
    entries,
    hole,
    of_start,
    rebuilt,
    rules_for,
    start_after,
    with_entry,
    with_start,
    written,
)
from tests.oracles import gomoku_certificate as slow

GAME = registry.get("gomoku-15")
RULES = rules_for("gomoku-15")
Change = Callable[[Certificate], Certificate]


def cells(text: str, game_id: str = "gomoku-15") -> tuple[int, ...]:
    game = registry.get(game_id)
    return tuple(sorted(game.parse_cell(name) for name in text.split()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_right_certificate_is_accepted(tmp_path: Path, jobs: int) -> None:
    checker = checked(written(), tmp_path, jobs)
    assert checker.hole is None
    assert checker.complete
    assert checker.whole
    assert checker.checked == written().entries
    assert checker.distance == 23


def test_the_slow_checker_accepts_it_too(tmp_path: Path) -> None:
    assert slow_hole(written(), tmp_path) is None


def slow_hole(certificate: Certificate, folder: Path) -> slow.Hole | None:
    """What the slow checker finds wrong; ValueError if it cannot read it."""
    path = folder / "slow.cert"
    file.write(certificate, path)
    checker = slow.SlowChecker(slow.read(path))
    try:
        checker.start()
        checker.check_nothing_superfluous()
        for number in range(certificate.entries):
            checker.check(number)
    except slow.Hole as hole:
        return hole
    return None


# Changes of the meaning. Each gives a certificate whose entries are in order and whose checksum
# is right.


def without_name(entry: Entry, reply: int) -> Entry:
    return replace(
        entry,
        by_list={cell: number for cell, number in entry.by_list.items() if cell != reply},
        moves={cell: move for cell, move in entry.moves.items() if cell != reply},
    )


def of_entry(which: Callable[[Entry], bool], change: Callable[[Entry], Entry]) -> Change:
    """Changes the first entry of that kind."""

    def changed(certificate: Certificate) -> Certificate:
        some = entries(certificate)
        number = next(number for number, entry in enumerate(some) if which(entry))
        return with_entry(certificate, number, change(some[number]))

    return changed


def has_lists(entry: Entry) -> bool:
    return len(entry.lists) > 1


def has_moves(entry: Entry) -> bool:
    return bool(entry.moves)


def first_move_changed(entry: Entry) -> Entry:
    reply, move = next(iter(sorted(entry.moves.items())))
    free = [cell for cell in RULES.free(entry.board) if cell not in (reply, move)]
    return replace(entry, moves={**entry.moves, reply: free[0]})


def move_onto_the_reply(entry: Entry) -> Entry:
    reply = next(iter(sorted(entry.moves)))
    return replace(entry, moves={**entry.moves, reply: reply})


def move_onto_a_stone(entry: Entry) -> Entry:
    reply = next(iter(sorted(entry.moves)))
    return replace(entry, moves={**entry.moves, reply: entry.board.opponent[0]})


def moves_exchanged(entry: Entry) -> Entry:
    (one, first), (other, second) = sorted(entry.moves.items())[:2]
    return replace(entry, moves={**entry.moves, one: second, other: first})


def replies_of_moves_exchanged_with_a_list(entry: Entry) -> Entry:
    reply, move = next(iter(sorted(entry.moves.items())))
    named, number = next(iter(sorted(entry.by_list.items())))
    less = without_name(without_name(entry, reply), named)
    return replace(less, by_list={**less.by_list, reply: number}, moves={**less.moves, named: move})


def answered_by_a_list_for_another(entry: Entry) -> Entry:
    reply = next(iter(sorted(entry.moves)))
    less = without_name(entry, reply)
    return replace(less, by_list={**less.by_list, reply: 1})


def lists_exchanged(entry: Entry) -> Entry:
    return replace(entry, lists=(entry.lists[1], entry.lists[0], *entry.lists[2:]))


def first_list_emptied(entry: Entry) -> Entry:
    return replace(entry, lists=((), *entry.lists[1:]))


def second_list_emptied(entry: Entry) -> Entry:
    return replace(entry, lists=(entry.lists[0], (), *entry.lists[2:]))


def lists_without_their_first_cells(entry: Entry) -> Entry:
    return replace(entry, lists=tuple(cells[1:] for cells in entry.lists))


def all_answered_by_the_first_list(entry: Entry) -> Entry:
    return replace(entry, lists=entry.lists[:1], by_list={})


def list_left_out(entry: Entry) -> Entry:
    last = len(entry.lists) - 1
    named = {reply: number for reply, number in entry.by_list.items() if number != last}
    return replace(entry, lists=entry.lists[:-1], by_list=named)


def list_that_is_not_there(entry: Entry) -> Entry:
    reply = next(iter(sorted(entry.by_list)))
    return replace(entry, by_list={**entry.by_list, reply: len(entry.lists)})


def list_that_nothing_needs(entry: Entry) -> Entry:
    return replace(entry, lists=(*entry.lists, entry.lists[0]))


def list_with_a_cell_twice(entry: Entry) -> Entry:
    return replace(entry, lists=((*entry.lists[0], entry.lists[0][0]), *entry.lists[1:]))


def list_with_a_taken_cell(entry: Entry) -> Entry:
    return replace(entry, lists=((*entry.lists[0], entry.board.winner[0]), *entry.lists[1:]))


def list_with_a_cell_off_the_board(entry: Entry) -> Entry:
    return replace(entry, lists=((*entry.lists[0], RULES.cells), *entry.lists[1:]))


def reply_to_a_taken_cell(entry: Entry) -> Entry:
    return replace(entry, by_list={**entry.by_list, entry.board.opponent[0]: 1})


def stone_moved(entry: Entry) -> Entry:
    *rest, last = entry.board.winner
    free = next(cell for cell in RULES.free(entry.board) if cell > rest[-1] and cell != last)
    return moved_to(entry, Board(tuple(sorted((*rest, free))), entry.board.opponent))


def moved_to(entry: Entry, board: Board) -> Entry:
    """The entry with another board, in canonical form."""
    canonical, symmetry = RULES.canonical(board)
    where = RULES.maps[symmetry]
    return Entry(
        canonical,
        tuple(tuple(where[cell] for cell in cells) for cells in entry.lists),
        {where[reply]: number for reply, number in entry.by_list.items()},
        {where[reply]: where[move] for reply, move in entry.moves.items()},
    )


def opponent_stone_added(entry: Entry) -> Entry:
    free = next(iter(RULES.free(entry.board)))
    return moved_to(entry, entry.board.with_opponent(free))


def sides_exchanged(entry: Entry) -> Entry:
    return moved_to(entry, Board(entry.board.opponent, entry.board.winner))


def turned(entry: Entry) -> Entry:
    """The same position in another orientation than the canonical one."""
    for symmetry in range(8):
        image = RULES.image(entry.board, symmetry)
        if image != entry.board:
            where = RULES.maps[symmetry]
            return Entry(
                image,
                tuple(tuple(where[cell] for cell in cells) for cells in entry.lists),
                {where[reply]: number for reply, number in entry.by_list.items()},
                {where[reply]: where[move] for reply, move in entry.moves.items()},
            )
    raise AssertionError("the position has every symmetry")


def entry_left_out(certificate: Certificate) -> Certificate:
    return rebuilt(certificate, lambda some: some.pop(2))


def last_entry_left_out(certificate: Certificate) -> Certificate:
    return rebuilt(certificate, lambda some: some.pop())


def first_entry_left_out(certificate: Certificate) -> Certificate:
    return rebuilt(certificate, lambda some: some.pop(0))


def entry_twice(certificate: Certificate) -> Certificate:
    return rebuilt(certificate, lambda some: some.append(some[1]))


def entry_that_nothing_needs(certificate: Certificate) -> Certificate:
    """Another win, to which no move leads."""
    other = written("gomoku-15", "f8 a1 g8 a15 h8 o1")
    return rebuilt(certificate, lambda some: some.extend(entries(other)))


def stones_of_the_start_moved(certificate: Certificate) -> Certificate:
    return with_start(certificate, light=cells("i9 g7"))


def first_move_elsewhere(certificate: Certificate) -> Certificate:
    return with_start(certificate, move=cells("a1")[0])


def first_move_on_a_stone(certificate: Certificate) -> Certificate:
    return with_start(certificate, move=cells("h8")[0])


def no_first_move(certificate: Certificate) -> Certificate:
    return with_start(certificate, move=None)


def other_winner(certificate: Certificate) -> Certificate:
    return with_start(certificate, winner_is_dark=False)


def one_stone_less_at_the_start(certificate: Certificate) -> Certificate:
    return with_start(certificate, light=cells("i9"))


def a_stone_of_both_at_the_start(certificate: Certificate) -> Certificate:
    return with_start(certificate, light=cells("i9 h8"))


def bigger_board(certificate: Certificate) -> Certificate:
    return replace(certificate, rules=rules_for("gomoku-16"))


def smaller_board(certificate: Certificate) -> Certificate:
    return replace(certificate, rules=rules_for("gomoku-14"))


def no_effort(certificate: Certificate) -> Certificate:
    return replace(certificate, effort=1)


CHANGES: list[Change] = [
    entry_left_out,
    last_entry_left_out,
    first_entry_left_out,
    entry_twice,
    entry_that_nothing_needs,
    stones_of_the_start_moved,
    first_move_elsewhere,
    first_move_on_a_stone,
    no_first_move,
    other_winner,
    one_stone_less_at_the_start,
    a_stone_of_both_at_the_start,
    bigger_board,
    smaller_board,
    no_effort,
]
ENTRY_CHANGES: list[tuple[Callable[[Entry], bool], Callable[[Entry], Entry]]] = [
    (has_moves, first_move_changed),
    (has_moves, move_onto_the_reply),
    (has_moves, move_onto_a_stone),
    (lambda entry: len(entry.moves) > 1, moves_exchanged),
    (lambda entry: has_moves(entry) and has_lists(entry), replies_of_moves_exchanged_with_a_list),
    (lambda entry: has_moves(entry) and has_lists(entry), answered_by_a_list_for_another),
    (has_lists, lists_exchanged),
    (has_lists, first_list_emptied),
    (has_lists, second_list_emptied),
    (has_lists, lists_without_their_first_cells),
    (has_lists, all_answered_by_the_first_list),
    (has_lists, list_left_out),
    (has_lists, list_that_is_not_there),
    (has_lists, list_that_nothing_needs),
    (has_lists, list_with_a_cell_twice),
    (has_lists, list_with_a_taken_cell),
    (has_lists, list_with_a_cell_off_the_board),
    (has_lists, reply_to_a_taken_cell),
    (has_lists, stone_moved),
    (has_lists, opponent_stone_added),
    (has_lists, sides_exchanged),
    (has_lists, turned),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_certificate_that_says_something_else_is_rejected(change: Change, tmp_path: Path) -> None:
    assert hole(change(written()), tmp_path) is not None
    # It does not count nodes.
    assert (slow_hole(change(written()), tmp_path) is not None) == (change is not no_effort)


@pytest.mark.parametrize(
    ("which", "change"), ENTRY_CHANGES, ids=[change.__name__ for _, change in ENTRY_CHANGES]
)
def test_a_certificate_with_another_entry_is_rejected(
    which: Callable[[Entry], bool], change: Callable[[Entry], Entry], tmp_path: Path
) -> None:
    changed = of_entry(which, change)(written())
    assert hole(changed, tmp_path) is not None
    assert slow_hole(changed, tmp_path) is not None


def test_each_named_move_is_needed(tmp_path: Path) -> None:
    dropped = 0
    for number, entry in enumerate(entries(written())):
        for reply in entry.moves:
            assert hole(with_entry(written(), number, without_name(entry, reply)), tmp_path)
            dropped += 1
    assert dropped == len(written().moves) > 2


def test_replies_out_of_order_are_rejected(tmp_path: Path) -> None:
    right = written()
    replies = right.replies.copy()
    replies[:2] = replies[1::-1]
    found = hole(replace(right, replies=replies), tmp_path)
    assert found is not None
    assert "not in order" in found.reason


def test_entries_out_of_order_are_rejected(tmp_path: Path) -> None:
    one = of_start("gomoku-15", start_after("gomoku-15", "h8"), Entry(Board()), Entry(Board()))
    # Two entries with no stones: the first is malformed before their order is.
    assert hole(one, tmp_path) is not None
    right = written()
    backwards = right.stones.copy()
    size = int(right.first_stone[2] - right.first_stone[1])
    assert size == right.first_stone[3] - right.first_stone[2]
    first, second = (slice(right.first_stone[n], right.first_stone[n] + size) for n in (1, 2))
    backwards[first], backwards[second] = right.stones[second], right.stones[first]
    found = hole(replace(right, stones=backwards), tmp_path)
    assert found is not None


# Hand-made positions in which the rule decides.

OVERLINE = start_after("gomoku-15", "a8 a1 b8 b3 c8 c5 e8 d7 f8 e1")


def test_a_line_of_six_wins_in_freestyle_alone(tmp_path: Path) -> None:
    move = cells("d8")[0]
    start = replace(OVERLINE, move=move)
    accepted = checked(of_start("gomoku-15", start), tmp_path)
    assert accepted.hole is None
    assert accepted.complete
    assert accepted.distance == 1
    assert hole(of_start("gomoku-15-standard", start), tmp_path) is not None


def test_a_line_of_six_that_the_opponent_threatens_is_no_threat_in_standard(
    tmp_path: Path,
) -> None:
    # Dark has an open three; light would make six on d13, which is nothing in standard.
    line = "f5 a13 g5 b13 h5 c13 a1 e13 o1 f13"
    certificate = written("gomoku-15-standard", line)
    assert hole(certificate, tmp_path) is None
    found = hole(replace(certificate, rules=rules_for("gomoku-15")), tmp_path)
    assert found is not None
    assert found.line is not None


def test_a_reply_that_wins_is_a_hole(tmp_path: Path) -> None:
    board = Board(cells("h8 i8 j8 k8 a1"), cells("c1 d1 e1 f1"))
    canonical, _ = RULES.canonical(board)
    start = Start(board.winner, board.opponent, winner_is_dark=True)
    found = hole(of_start("gomoku-15", start, Entry(canonical)), tmp_path)
    assert found is not None
    assert "finds no win" in found.reason
    assert found.line is not None
    assert found.line[-1] in ("b1", "g1")


def test_a_reply_that_wins_is_a_hole_though_a_move_answers_it(tmp_path: Path) -> None:
    board = Board(cells("h8 i8 j8 k8 a1"), cells("c1 d1 e1 f1"))
    canonical, symmetry = RULES.canonical(board)
    where = RULES.maps[symmetry]
    moves = {where[reply]: where[cells("l8")[0]] for reply in cells("b1 g1")}
    start = Start(board.winner, board.opponent, winner_is_dark=True)
    found = hole(of_start("gomoku-15", start, Entry(canonical, moves=moves)), tmp_path)
    assert found is not None
    assert "the opponent has won" in found.reason


def test_a_full_board_is_no_win(tmp_path: Path) -> None:
    rules = rules_for("gomoku-5")
    rows = ("XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX")
    marks = "".join(rows)
    board = Board(*(tuple(i for i, m in enumerate(marks) if m == mark) for mark in "XO"))
    start = Start(board.winner, board.opponent, winner_is_dark=True)
    canonical, _ = rules.canonical(board)
    found = hole(of_start("gomoku-5", start, Entry(canonical)), tmp_path)
    assert found is not None
    assert "the board is full" in found.reason


def test_a_start_that_is_over_is_rejected(tmp_path: Path) -> None:
    start = start_after("gomoku-15", "a1 a3 b1 b3 c1 c3 d1 d3 e1")
    found = hole(of_start("gomoku-15", start), tmp_path)
    assert found is not None
    assert "over at the start" in found.reason


# What a rejection says, and how a check goes on.


def played(found: Hole) -> str:
    """The board after the line of a hole, as the hole pictures it."""
    assert found.line is not None
    start = written().start
    board = start.board
    for ply, name in enumerate(found.line):
        cell = GAME.parse_cell(name)
        assert cell in set(RULES.free(board))
        board = board.with_opponent(cell) if ply % 2 else board.with_winner(cell)
    return RULES.picture(board)


@pytest.mark.parametrize(
    "change", [entry_left_out, last_entry_left_out, of_entry(has_lists, first_list_emptied)]
)
def test_the_line_to_a_hole_can_be_played(change: Change, tmp_path: Path) -> None:
    found = hole(change(written()), tmp_path)
    assert found is not None
    assert played(found) == found.board


def test_a_sample_accepts_nothing_but_finds_a_hole_in_it() -> None:
    checker = Checker(written(), sample=2, seed=3)
    assert [progress.of for progress in checker.steps()] == [2]
    assert checker.complete
    assert checker.hole is None
    assert not checker.whole
    assert checker.distance is None
    emptied = of_entry(has_lists, first_list_emptied)(written())
    numbers = range(20)
    holes = [run(Checker(emptied, sample=2, seed=seed)).hole for seed in numbers]
    assert any(holes)
    assert not all(holes)


def run(checker: Checker) -> Checker:
    for _ in checker.steps():
        pass
    return checker


def test_a_check_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("book.certificates.gomoku.checker._PART", 1)
    state = tmp_path / "state.npz"
    total = 0
    for _ in range(10):
        checker = Checker(written(), state=state, checksum="some")
        already = checker.checked
        assert already == total
        for _ in checker.steps():
            checker.stop()
        total = checker.checked
        if checker.complete:
            break
        assert total > already
    assert checker.complete
    assert checker.hole is None
    assert checker.distance == 23


def test_a_state_of_another_certificate_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    run(Checker(written(), state=state, checksum="some"))
    with pytest.raises(CertificateError, match="another certificate's"):
        Checker(written(), state=state, checksum="other")
    state.write_bytes(b"nothing")
    with pytest.raises(CertificateError, match="cannot read"):
        Checker(written(), state=state, checksum="some")


def test_what_is_needless_is_found_after_going_on_too(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    more = entry_that_nothing_needs(written())
    for _ in range(2):
        found = run(Checker(more, state=state, checksum="some")).hole
        assert found is not None
        assert "reached by no line" in found.reason


# The file.


def test_a_certificate_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    size = file.write(written(), path)
    assert path.stat().st_size == size
    assert not list(tmp_path.glob("*.partial"))
    again = file.read(path)
    assert again.start == written().start
    assert again.rules == written().rules
    assert entries(again) == entries(written())
    assert rebuilt(again).replies.tolist() == again.replies.tolist()


def test_the_slow_reader_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    file.write(written(), path)
    for entry, other in zip(entries(written()), slow.read(path).entries, strict=True):
        assert (entry.board.winner, entry.board.opponent) == (other.winner, other.opponent)
        assert [list(cells) for cells in entry.lists] == other.lists
        assert dict(entry.by_list) == other.by_list
        assert dict(entry.moves) == other.by_move


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    file.write(written(), path)
    data = path.read_bytes()
    head, _, rest = data.partition(b"\n")
    header = json.loads(head)
    columns = bytearray(lzma.decompress(rest))
    columns[5] ^= 1
    others = [
        data[:-20],
        data + b"more",
        data[:20],
        b"",
        head + b"\n" + lzma.compress(bytes(columns)),
        *(
            json.dumps({**header, name: value}).encode() + b"\n" + rest
            for name, value in (
                ("version", 2),
                ("format", "other"),
                ("game", "gomoku-27"),
                ("game", "gomoku-15-renju"),
                ("winner", "nobody"),
                ("move", 225),
                ("dark", [225]),
                ("light", "i9"),
                ("entries", -1),
                ("entries", header["entries"] + 1),
                ("effort", header["effort"] + 1),
                ("checksum", "0"),
                ("checksum", None),
            )
        ),
    ]
    for other in others:
        path.write_bytes(other)
        with pytest.raises(CertificateError):
            file.read(path)
    with pytest.raises(CertificateError, match="cannot read"):
        file.read(tmp_path / "none.cert")


def test_numbers_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    right = written()
    counts = np.diff(right.first_list)
    counts[0] += 1
    file.write(replace(right, first_list=np.concatenate(([0], np.cumsum(counts)))), path)
    with pytest.raises(CertificateError, match="do not add up"):
        file.read(path)

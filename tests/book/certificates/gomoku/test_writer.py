"""The writer writes what the checker accepts, and says what it cannot answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from book.certificates.gomoku.board import Board, Cell, Stones
from book.certificates.gomoku.file import Certificate, Start
from book.certificates.gomoku.writer import (
    EFFORT,
    Unanswered,
    Writer,
    entries_of,
    entry_of_moves,
    join,
)
from engine import registry
from tests.book.certificates.gomoku.advisers import EngineAdviser
from tests.book.certificates.gomoku.strategies import (
    QUIET,
    checked,
    entries,
    quiet_moves,
    rules_for,
    start_after,
    written,
)

GAME = registry.get("gomoku-15")
RULES = rules_for("gomoku-15")


def adviser(**more: object) -> EngineAdviser:
    return EngineAdviser(RULES, quiet=quiet_moves("gomoku-15", QUIET), **more)  # type: ignore[arg-type]


def test_a_strategy_is_the_same_in_every_orientation() -> None:
    right = entries(written())
    start = written().start
    for symmetry in range(1, 8):
        image = RULES.image(start.board, symmetry)
        turned = Start(image.winner, image.opponent)
        assert entries(Writer(RULES, adviser()).write(turned)) == right


def test_no_list_has_a_cell_that_no_win_uses() -> None:
    for entry in entries(written()):
        for cells in entry.lists:
            assert len(set(cells)) == len(cells) <= 20


@pytest.mark.slow
def test_quiet_moves_may_be_found_by_the_adviser(tmp_path: Path) -> None:
    known = {line: QUIET[line] for line in QUIET if line != "h8 i9 g9 e3 i7 f10"}
    asked = EngineAdviser(RULES, quiet=quiet_moves("gomoku-15", known), nodes=12_000, plies=1)
    certificate = Writer(RULES, asked).write(start_after("gomoku-15", "h8 i9 g9 e3"))
    assert checked(certificate, tmp_path).hole is None
    assert len(asked.quiet) > len(known)


def test_what_the_adviser_does_not_know_is_named() -> None:
    known = {line: QUIET[line] for line in QUIET if line != "h8 i9 g9 e3 i7 f10"}
    asked = EngineAdviser(RULES, quiet=quiet_moves("gomoku-15", known), plies=0)
    start = start_after("gomoku-15", "h8 i9 g9 e3")
    with pytest.raises(Unanswered) as raised:
        Writer(RULES, asked).write(start)
    board = start.board.with_winner(GAME.parse_move("i7"))
    for number, cell in enumerate(raised.value.moves):
        board = board.with_winner(cell) if number % 2 else board.with_opponent(cell)
    assert RULES.canonical(board)[0] == raised.value.board
    assert GAME.parse_move("f10") in raised.value.moves


def test_a_writer_goes_on_with_what_it_has_written() -> None:
    asked = Counting()
    writer = Writer(RULES, asked)
    start = start_after("gomoku-15", "h8 i9 g9 e3")
    first = writer.write(start)
    questions = asked.questions
    # The first move is asked for again.
    assert entries(writer.write(start)) == entries(first)
    assert asked.questions <= questions + 2


def test_a_writer_that_met_an_open_position_goes_on_when_it_is_known() -> None:
    class Learning(Counting):
        knows = False

        def move(self, board: Board) -> Cell | None:
            return super().move(board) if self.knows or board.stones < 6 else None

    asked = Learning()
    writer = Writer(RULES, asked)
    start = start_after("gomoku-15", "h8 i9 g9 e3")
    with pytest.raises(Unanswered):
        writer.write(start)
    asked.knows = True
    assert entries(writer.write(start)) == entries(written())


class Counting:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self._adviser = adviser()
        self.questions = 0

    def move(self, board: Board) -> Cell | None:
        self.questions += 1
        return self._adviser.move(board)

    def threats(self, board: Board) -> Stones | None:
        self.questions += 1
        return self._adviser.threats(board)

    def fours(self, board: Board) -> Stones | None:
        self.questions += 1
        return self._adviser.fours(board)


class Liar(Counting):
    """Says that a row along the lower edge wins everywhere."""

    def threats(self, board: Board) -> Stones | None:
        free = list(RULES.free(board))
        return tuple(free[:9])


def test_an_adviser_who_is_wrong_makes_no_certificate_that_is_accepted(tmp_path: Path) -> None:
    writer = Writer(RULES, Liar())
    with pytest.raises(Unanswered):
        writer.write(start_after("gomoku-15", "h8 i9 g9 e3 i7 f10 o1 f9 o3 f8 o5 f7"))


def test_a_move_that_is_not_free_is_refused() -> None:
    class OntoStones(Counting):
        def move(self, board: Board) -> Cell | None:
            return board.winner[0]

    with pytest.raises(ValueError, match="not to a free cell"):
        Writer(RULES, OntoStones()).write(start_after("gomoku-15", "h8 a1 c3 a3"))


def parts() -> tuple[Start, list[Certificate], dict[Cell, Cell]]:
    """A strategy in parts, one for each reply: its start, the parts and their first moves."""
    start = start_after("gomoku-15", "h8 i9 g9 e3 i7", winner_is_dark=True)
    found, moves = [], {}
    for reply in RULES.free(start.board):
        writer = Writer(RULES, adviser())
        after = start.board.with_opponent(reply)
        part = writer.write(Start(after.winner, after.opponent))
        assert part.start.move is not None
        moves[reply] = part.start.move
        found.append(part)
    return start, found, moves


def test_parts_are_joined_to_a_whole(tmp_path: Path) -> None:
    start, found, moves = parts()
    top = entry_of_moves(RULES, start.board, moves)
    given = [{top.board: top}, *map(entries_of, found)]
    whole = join(RULES, start, EFFORT, given)
    accepted = checked(whole, tmp_path)
    assert accepted.hole is None
    assert accepted.complete
    assert whole.entries <= sum(part.entries for part in found) + 1
    # The order of the parts matters to nothing but which of two right entries is taken.
    assert checked(join(RULES, start, EFFORT, given[::-1]), tmp_path).hole is None
    missing = join(RULES, start, EFFORT, [given[0], *given[2:]])
    rejected = checked(missing, tmp_path).hole
    assert rejected is not None
    assert "no entry has this position" in rejected.reason


def test_what_the_whole_does_not_need_is_left_out() -> None:
    other = written("gomoku-15", "f8 a1 g8 a15 h8 o1")
    joined = join(RULES, written().start, EFFORT, [entries_of(other), entries_of(written())])
    assert entries(joined) == entries(written())


# Other boards, rules and sides, each with an open three or two.
@pytest.mark.parametrize(
    ("game_id", "line", "winner_is_dark"),
    [
        ("gomoku-15-standard", "h8 i9 g9 e3", True),
        ("gomoku-16", "f6 a1 g6 a16 h7 p1 h8 p16", True),
        ("gomoku-17", "f6 a1 g6 a17 h7 q1 h8 q17", True),
        ("gomoku-26-standard", "v20 a1 w20 a26 x21 z1 x22 z26", True),
        ("gomoku-9", "a1 e5 a9 e4 i1 f6 i9 g6 a5", False),
        ("gomoku-19", "f6 a1 g6 a19 h7 s1 h8", True),
    ],
)
def test_strategies_on_other_boards_are_accepted(
    game_id: str, line: str, winner_is_dark: bool, tmp_path: Path
) -> None:
    certificate = written(game_id, line, winner_is_dark=winner_is_dark)
    accepted = checked(certificate, tmp_path)
    assert accepted.hole is None
    assert accepted.complete
    assert certificate.entries > 0
    assert accepted.distance is not None
    assert accepted.distance % 2 == certificate.start.winner_to_move
    emptied = replace(certificate, effort=0)
    assert checked(emptied, tmp_path).hole is not None


def test_a_win_in_one_needs_no_entry(tmp_path: Path) -> None:
    certificate = written("gomoku-15", "f8 a1 g8 a15 h8 o1 i8 o15")
    assert certificate.entries == 0
    accepted = checked(certificate, tmp_path)
    assert accepted.hole is None
    assert accepted.complete
    assert accepted.distance == 1

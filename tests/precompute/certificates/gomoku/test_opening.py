"""The opening of a strategy answers every reply as its image is answered."""

import pytest

from book.certificates.gomoku.board import Board, Cell
from engine.position import Move
from precompute.certificates.gomoku.opening import Line, NoThirdStone, Opening
from precompute.certificates.gomoku.part import game_of, rules_for


def choices(opening: Opening, game_id: str) -> dict[Line, Move]:
    """Some move after each line that leaves one open: the first free cell but one."""
    game = game_of(game_id)
    chosen = {line: game.legal_moves(game.play_line(line))[1] for line in opening.undecided}
    parts = [line for lines in opening.parts(chosen) for line in lines]
    return chosen | {line: game.legal_moves(game.play_line(line))[1] for line in parts}


@pytest.mark.parametrize("game_id", ["gomoku-5", "gomoku-6-standard"])
def test_every_reply_has_an_answer_that_leads_on_or_to_a_part(game_id: str) -> None:
    game, rules = game_of(game_id), rules_for(game_id)
    opening = Opening(game)
    chosen = choices(opening, game_id)
    entries = {entry.board: entry for entry in opening.entries(chosen)}
    assert len(entries) > 5
    ends = set()
    for line in (line for lines in opening.parts(chosen) for line in lines):
        position = game.play_line((*line, chosen[line]))
        ends.add(rules.canonical(board(position.dark, position.light))[0])
    for entry in entries.values():
        assert set(entry.moves) == set(rules.free(entry.board))
        for reply, move in entry.moves.items():
            after = entry.board.with_opponent(reply).with_winner(move)
            assert rules.canonical(after)[0] in entries.keys() | ends
    first = rules.canonical(Board((opening.move((), chosen),)))[0]
    assert first in entries


def test_there_are_as_many_parts_on_fifteen_as_replies_up_to_symmetry() -> None:
    game = game_of("gomoku-15")
    opening = Opening(game)
    assert len(opening.undecided) == 35
    beside = game.parse_move("i9")
    chosen = {line: beside for line in opening.undecided if beside not in line}
    sizes = [len(lines) for lines in opening.parts(chosen)]
    assert set(sizes) == {117, 222}


@pytest.mark.parametrize(
    ("root", "parts"),
    [("h8 f1 i9 b12", 1), ("h8 f1 i9", 222), ("a1 f1", 1), ("a1", 119), ("h8 f1 i9 b12 h7", 220)],
)
def test_a_root_within_the_opening_or_elsewhere_has_its_own_parts(root: str, parts: int) -> None:
    game = game_of("gomoku-15")
    line = tuple(game.parse_line(root))
    (lines,) = Opening(game, line).parts({})
    assert len(lines) == parts
    assert all(each[: len(line)] == line for each in lines)


def board(dark: int, light: int) -> Board:
    return Board(cells(dark), cells(light))


def cells(stones: int) -> tuple[Cell, ...]:
    return tuple(cell for cell in range(stones.bit_length()) if stones >> cell & 1)


def test_a_third_stone_is_given_in_any_orientation() -> None:
    game = game_of("gomoku-9")
    opening = Opening(game)
    given = tuple(game.parse_line("e5 e6 d6"))
    images = {
        tuple(game.map_move(move, symmetry) for move in given) for symmetry in game.symmetries
    }
    assert len(images) == 8
    after = set()
    for image in images:
        ((line, move),) = opening.given([image]).items()
        assert line in opening.undecided
        after.add(game.canonical(game.play_line((*line, move))).stones)
    assert after == {game.canonical(game.play_line(given)).stones}


def test_a_third_stone_of_another_opening_does_not_count() -> None:
    game = game_of("gomoku-9")
    root = tuple(game.parse_line("e5 i1"))
    thirds = [tuple(game.parse_line(line)) for line in ("e5 e6 d6", "e5 a1 d4")]
    assert Opening(game, root).given(thirds) == {root: game.parse_move("f4")}
    assert Opening(game, (*root, 0, 1)).given(thirds) == {}


@pytest.mark.parametrize("line", ["", "e5", "e5 e6", "d5 e6 d6", "e5 e6 d6 f6"])
def test_what_is_no_third_stone_is_refused(line: str) -> None:
    game = game_of("gomoku-9")
    with pytest.raises(NoThirdStone, match="is no first stone in the centre"):
        Opening(game).given([tuple(game.parse_line(line))])

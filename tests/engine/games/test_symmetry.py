"""The eight images of a position, and the one that stands for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.game import OF_A_RECTANGLE, OF_A_SQUARE, Game, Symmetry
from tests.engine.samples import every_game, positions, unfinished_positions
from tests.examples import examples
from tests.oracles.boards import board_of
from tests.oracles.slow_rules import Board, as_text, images

few_examples = examples(30)


def images_of(board: Board) -> list[str]:
    """Those of the same width as the board."""
    return [image for image in images(board) if image.index("\n") == len(board[0])]


def symmetries(game: Game) -> st.SearchStrategy[Symmetry]:
    """Those of the game itself."""
    return st.sampled_from(game.symmetries)


@every_game
@given(data=st.data())
@few_examples
def test_the_images_of_a_position_are_its_turns_and_those_of_its_mirror_image(
    game: Game, data: st.DataObject
) -> None:
    position = data.draw(positions(game))
    of_board = OF_A_SQUARE if game.width == game.height else OF_A_RECTANGLE
    drawn = [as_text(board_of(game, game.map_position(position, s))) for s in of_board]
    assert sorted(drawn) == sorted(images_of(board_of(game, position)))
    assert drawn[0] == as_text(board_of(game, position))


@every_game
@given(data=st.data())
@few_examples
def test_all_images_of_a_position_have_one_canonical_position_and_one_key(
    game: Game, data: st.DataObject
) -> None:
    position = data.draw(positions(game))
    canonicals = [game.canonical(game.map_position(position, s)) for s in game.symmetries]
    assert len({(c.position, c.stones, c.key) for c in canonicals}) == 1
    assert len(canonicals[0].key) == 16


@every_game
@given(data=st.data())
@few_examples
def test_the_canonical_position_is_the_image_with_the_smallest_packed_stones(
    game: Game, data: st.DataObject
) -> None:
    position = data.draw(positions(game))
    canonical = game.canonical(position)
    packed = [game.pack(game.map_position(position, s)) for s in game.symmetries]
    assert canonical.stones == min(packed)
    assert canonical.stones == game.pack(canonical.position)
    assert canonical.key == game.key(canonical.stones)


@every_game
@given(data=st.data())
@few_examples
def test_the_symmetry_of_the_canonical_position_leads_to_it(
    game: Game, data: st.DataObject
) -> None:
    position = data.draw(positions(game))
    canonical = game.canonical(position)
    assert game.map_position(position, canonical.symmetry) == canonical.position
    back = game.inverse(canonical.symmetry)
    assert game.map_position(canonical.position, back) == position
    to_canonical = game.symmetries_to_canonical(position)
    assert canonical.symmetry in to_canonical
    assert to_canonical == [
        s for s in game.symmetries if game.map_position(position, s) == canonical.position
    ]


@every_game
@given(data=st.data())
@few_examples
def test_a_move_on_the_turned_board_leads_to_the_turned_position(
    game: Game, data: st.DataObject
) -> None:
    symmetry = data.draw(symmetries(game))
    position = data.draw(unfinished_positions(game))
    move = data.draw(st.sampled_from(game.legal_moves(position)))
    turned = game.map_position(position, symmetry)
    turned_move = game.map_move(move, symmetry)
    assert turned_move in game.legal_moves(turned)
    assert game.play(turned, turned_move) == game.map_position(game.play(position, move), symmetry)


@every_game
@given(data=st.data())
@few_examples
def test_a_move_found_for_the_canonical_position_maps_back_to_any_image(
    game: Game, data: st.DataObject
) -> None:
    symmetry = data.draw(symmetries(game))
    image = game.map_position(data.draw(unfinished_positions(game)), symmetry)
    canonical = game.canonical(image)
    found = data.draw(st.sampled_from(game.legal_moves(canonical.position)))
    move = game.map_move(found, game.inverse(canonical.symmetry))
    assert move in game.legal_moves(image)
    after = game.canonical(game.play(image, move))
    assert after.key == game.canonical(game.play(canonical.position, found)).key


@every_game
@given(data=st.data())
@few_examples
def test_a_game_ends_alike_on_the_turned_board(game: Game, data: st.DataObject) -> None:
    symmetry = data.draw(symmetries(game))
    position = data.draw(positions(game))
    assert game.outcome(game.map_position(position, symmetry)) is game.outcome(position)


@every_game
def test_the_symmetries_of_a_game_are_a_group(game: Game) -> None:
    own = {tuple(map_of(game, symmetry)) for symmetry in game.symmetries}
    assert len(own) == len(game.symmetries)
    for first in own:
        assert {tuple(first[cell] for cell in second) for second in own} == own


def map_of(game: Game, symmetry: Symmetry) -> list[int]:
    return [game.map_cell(cell, symmetry) for cell in range(game.cell_count)]


@every_game
@given(data=st.data())
@few_examples
def test_a_symmetry_and_its_inverse_cancel_out_on_every_cell_and_move(
    game: Game, data: st.DataObject
) -> None:
    symmetry = data.draw(symmetries(game))
    inverse = game.inverse(symmetry)
    cells = [game.map_cell(cell, symmetry) for cell in range(game.cell_count)]
    assert sorted(cells) == list(range(game.cell_count))
    assert [game.map_cell(cell, inverse) for cell in cells] == list(range(game.cell_count))
    moves = [game.map_move(move, symmetry) for move in range(game.move_count)]
    assert sorted(moves) == list(range(game.move_count))
    assert [game.map_move(move, inverse) for move in moves] == list(range(game.move_count))


@every_game
def test_symmetry_zero_changes_nothing_and_all_differ(game: Game) -> None:
    moves = range(game.move_count)
    assert [game.map_move(move, 0) for move in moves] == list(moves)
    mapped = {tuple(game.map_move(move, s) for move in moves) for s in game.symmetries}
    with_two = game.id == "pentago-twist" or game.id.startswith("connect-four")
    assert len(mapped) == (2 if with_two else 8)


def test_a_turn_of_pentago_swap_turns_the_swap_too() -> None:
    game = registry.get("pentago-swap")
    images_of_move = {
        game.format_move(game.map_move(game.parse_move("a1:34"), s)) for s in range(8)
    }
    assert images_of_move == {
        "a1:34", "a1:13", "f1:34", "f1:24", "a6:12", "a6:13", "f6:12", "f6:24",
    }  # fmt: skip
    # A diagonal swap stays diagonal.
    assert {game.format_move(game.map_move(game.parse_move("a1:14"), s)) for s in range(8)} == {
        "a1:14", "f1:23", "a6:23", "f6:14",
    }  # fmt: skip


def mapped(game_id: str, move: str) -> set[str]:
    game = registry.get(game_id)
    return {game.format_move(game.map_move(game.parse_move(move), s)) for s in game.symmetries}


def test_a_mirror_makes_a_turn_of_pentago_one_the_other_way() -> None:
    assert mapped("pentago", "a2:1R") == {
        "a2:1R", "b6:2R", "f5:4R", "e1:3R", "f2:2L", "e6:1L", "a5:3L", "b1:4L",
    }  # fmt: skip


def test_half_a_turn_is_the_only_symmetry_of_pentago_twist() -> None:
    assert mapped("pentago-twist", "a2:1R") == {"a2:1R", "f5:4R"}
    assert mapped("pentago-twist", "a2:1F") == {"a2:1F", "f5:4F"}
    game = registry.get("pentago-twist")
    position = game.play_line(game.parse_line("a2:4R"))
    after = {game.play(position, move) for move in game.legal_moves(position)}
    for symmetry in OF_A_SQUARE:
        turned = game.map_position(position, symmetry)
        replies = {game.play(turned, move) for move in game.legal_moves(turned)}
        images_of_replies = {game.map_position(child, symmetry) for child in after}
        assert (replies == images_of_replies) is (symmetry in game.symmetries)


@pytest.mark.parametrize(
    ("game_id", "line", "count"),
    [
        ("gomoku-15", "", 8),
        ("gomoku-15", "h8", 8),
        ("gomoku-15", "h8 h9", 2),
        ("gomoku-15", "h8 i9", 2),
        ("gomoku-15", "h8 i10", 1),
        ("pentago-swap", "b2:14", 2),
        ("pentago-swap", "a2:14", 1),
        ("pentago", "b2:1R", 2),
        ("pentago", "b2:3L a2:2R", 1),
        ("pentago-twist", "", 2),
        ("pentago-twist", "b2:1R", 1),
        ("connect-four-7x6", "", 2),
        ("connect-four-7x6", "d1 d2", 2),
        ("connect-four-7x6", "a1", 1),
        ("connect-four-5x5", "c1", 2),
    ],
)
def test_as_many_symmetries_lead_to_the_canonical_position_as_a_position_has(
    game_id: str, line: str, count: int
) -> None:
    game = registry.get(game_id)
    assert len(game.symmetries_to_canonical(game.play_line(game.parse_line(line)))) == count

"""Stones as bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.game import Game
from tests.engine.samples import every_game, positions
from tests.examples import examples


@every_game
@given(data=st.data())
@examples(50)
def test_a_position_reads_back_from_its_packed_stones(game: Game, data: st.DataObject) -> None:
    position = data.draw(positions(game))
    assert game.unpack(game.pack(position)) == position


@pytest.mark.parametrize(
    ("game_id", "line", "packed"),
    [
        ("gomoku-15", "", ""),
        ("gomoku-15", "h8 i9 a1", "007080"),
        ("gomoku-15", "a2 o15 b1 a1", "010f00e0"),
        ("gomoku-16", "p16 a1", "ff00"),
        ("gomoku-17", "q17 a1", "01200000"),
        ("gomoku-26", "z26 b1 a1", "000002a30001"),
        ("pentago-swap", "a1:13", "12"),
        ("pentago", "a1:3R", "0c"),
        ("pentago-twist", "a1:3F", "02"),
    ],
)
def test_dark_cells_come_before_light_ones_and_small_before_large(
    game_id: str, line: str, packed: str
) -> None:
    game = registry.get(game_id)
    assert game.pack(game.play_line(game.parse_line(line))).hex() == packed


@every_game
def test_the_bytes_of_a_cell_are_those_of_a_lone_stone(game: Game) -> None:
    for cell in (0, game.cell_count - 1):
        position = game.unpack(game.pack_cell(cell))
        assert (position.dark, position.light) == (1 << cell, 0)


@pytest.mark.parametrize(
    ("game_id", "packed"),
    [
        pytest.param("gomoku-15", "e1", id="a cell beyond the board"),
        pytest.param("gomoku-15", "70e1", id="a light cell beyond the board"),
        pytest.param("gomoku-15", "600570", id="dark cells that descend"),
        pytest.param("gomoku-15", "01027060", id="light cells that descend"),
        pytest.param("gomoku-15", "606070", id="a dark cell twice"),
        pytest.param("gomoku-15", "01027070", id="a light cell twice"),
        pytest.param("gomoku-15", "7070", id="a cell both dark and light"),
        pytest.param("gomoku-15", "6070808090", id="one of several cells twice"),
        pytest.param("gomoku-26", "00", id="half a cell"),
        pytest.param("gomoku-26", "000100", id="a cell and a half"),
        pytest.param("gomoku-26", "02a4", id="a cell beyond a large board"),
        pytest.param("gomoku-26", "00010001", id="a cell both dark and light on a large board"),
        pytest.param("pentago-swap", "24", id="a cell beyond the 36"),
        pytest.param("pentago-swap", "ff", id="a cell far beyond the 36"),
    ],
)
def test_bytes_that_pack_no_position_are_refused_and_named(game_id: str, packed: str) -> None:
    with pytest.raises(ValueError, match=f"^{packed} packs no position of {game_id}$"):
        registry.get(game_id).unpack(bytes.fromhex(packed))


@every_game
@given(stones=st.binary(max_size=40))
@examples(200)
def test_any_bytes_are_refused_or_are_what_the_position_packs_to(game: Game, stones: bytes) -> None:
    try:
        position = game.unpack(stones)
    except ValueError:
        return
    assert game.pack(position) == stones
    assert position.dark & position.light == 0
    assert position.dark.bit_count() - position.light.bit_count() in (0, 1)

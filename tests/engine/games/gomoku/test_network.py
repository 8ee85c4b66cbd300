"""The network of the Gomoku evaluation: its value, however a position came about, and its file."""

import json
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine import registry
from engine.game import Game
from engine.games.gomoku import Rule, board, weights
from engine.games.gomoku.alphabeta import evaluate
from engine.games.gomoku.board import FADING_STEPS, STONES_A_STEP, WHOLE
from engine.games.gomoku.network import (
    EMBEDDING_MAX,
    LAST_UNIT,
    NODE_MAX,
    WEIGHT_MAX,
    network_value,
)
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import Network
from tests.engine.games.gomoku.test_weights import RULES, random_position, random_weights
from tests.oracles import plain_network

GAMES = pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15-standard", "gomoku-15-renju"])


def random_network(rule: Rule, seed: int) -> Network:
    """One in which features and nodes are of the sizes of a fitted one."""
    random, silent = np.random.default_rng(seed), Network.silent(rule)
    spread = {"embedding": 20, "first": 400, "second": 400, "last": 20_000}

    def drawn(name: str, like: Any) -> Any:
        most = spread.get(name, 100_000)
        return random.integers(-most, most + 1, like.shape).astype(like.dtype)

    arrays = {
        each.name: drawn(each.name, getattr(silent, each.name))
        for each in fields(silent)
        if each.name != "last_bias"
    }
    fading = random.integers(0, 2 * WHOLE, silent.fading.shape, np.int32)
    return Network(**arrays | {"fading": fading}, last_bias=-123_456)


def searcher_with(game: Game, network: Network) -> GomokuSearcher:
    return GomokuSearcher(game, weights=replace(random_weights(game.rule, seed=1), network=network))


def plain_value(state: Any, network: Network) -> int:
    size = int(state["size"])
    cells = [board.padded(cell, size) for cell in range(size * size)]
    patterns = [
        tuple(board.pattern_of(state, colour, at) for colour in range(2))
        for at in cells
        if state["cell"][at] == board.EMPTY
    ]
    return plain_network.network_value(patterns, int(state["colour"]), network)


@GAMES
def test_the_value_is_that_of_the_plain_network(name: str) -> None:
    game, random = registry.get(name), Random(name)
    network = random_network(game.rule, seed=2)
    searcher = searcher_with(game, network)
    values = set()
    for _ in range(40):
        state = searcher.state_of(random_position(game, random))
        values.add(network_value(state))
        assert network_value(state) == plain_value(state, network)
    assert len(values) > 20


@GAMES
def test_the_value_does_not_depend_on_how_the_position_came_about(name: str) -> None:
    game, random = registry.get(name), Random(name)
    network = random_network(game.rule, seed=3)
    state = searcher_with(game, network).state_of(game.initial)
    played: list[int] = []
    for _ in range(1500):
        empty = [
            at
            for cell in range(game.cell_count)
            if state["cell"][at := board.padded(cell, game.size)] == board.EMPTY
        ]
        if played and random.random() < 0.45:
            board.take_back(state, played.pop())
        elif len(played) < min(40, len(empty)):
            played.append(random.choice(empty))
            board.place(state, played[-1])
        # Not every position is asked about, so that some are several stones from the last.
        if random.random() < 0.3:
            assert network_value(state) == plain_value(state, network)


def test_images_of_a_position_have_one_value() -> None:
    game, random = registry.get("gomoku-15"), Random(5)
    searcher = game.searcher()
    for _ in range(10):
        position = random_position(game, random)
        images = {
            network_value(searcher.state_of(game.map_position(position, symmetry)))
            for symmetry in game.symmetries
        }
        assert len(images) == 1


def test_an_empty_board_of_any_size_has_one_value() -> None:
    values = {
        network_value(game.searcher().state_of(game.initial))
        for game in map(registry.get, ("gomoku-7", "gomoku-15", "gomoku-26"))
    }
    assert len(values) == 1


def test_features_and_nodes_that_are_too_large_count_as_the_largest() -> None:
    game = registry.get("gomoku-9")
    silent = Network.silent(game.rule)
    network = Network(
        silent.embedding + np.int16(400),
        silent.first + np.int16(WEIGHT_MAX),
        silent.first_bias,
        silent.second + np.int16(WEIGHT_MAX),
        silent.second_bias,
        silent.last + np.int32(16),
        0,
        silent.fading,
    )
    # On every cell that sees the stone all features are 1,600, and there are 32 of these cells.
    state = searcher_with(game, network).state_of(game.play_line(game.parse_line("e5")))
    assert network_value(state) == plain_value(state, network)
    assert network_value(state) == board.SECOND_HIDDEN * 16 * NODE_MAX // LAST_UNIT


@GAMES
def test_embeddings_as_large_as_they_may_be_add_up(name: str) -> None:
    game, random = registry.get(name), Random(name)
    network = random_network(game.rule, seed=6)
    largest = np.where(network.embedding < 0, -EMBEDDING_MAX, EMBEDDING_MAX).astype(np.int16)
    network = replace(network, embedding=largest)
    searcher = searcher_with(game, network)
    for _ in range(20):
        state = searcher.state_of(random_position(game, random))
        assert network_value(state) == plain_value(state, network)


@pytest.mark.parametrize("rule", Rule)
def test_no_weight_in_use_is_larger_than_it_may_be(rule: Rule) -> None:
    network = weights.read(rule).network
    assert abs(network.embedding).max() <= EMBEDDING_MAX
    assert max(abs(layer).max() for layer in (network.first, network.second)) <= WEIGHT_MAX


def test_values_fade_by_steps_of_stones() -> None:
    game = registry.get("gomoku-9")
    network = random_network(game.rule, seed=2)
    fading = WHOLE - 3 * np.arange(FADING_STEPS, dtype=np.int32)
    whole, faded = (
        searcher_with(game, replace(network, fading=each))
        for each in (Network.silent(game.rule).fading, fading)
    )
    random, steps = Random(4), set()
    for _ in range(40):
        position = random_position(game, random)
        step = position.ply // STONES_A_STEP
        value = evaluate(whole.state_of(position))
        assert evaluate(faded.state_of(position)) == value * int(fading[step]) // WHOLE
        steps.add(step)
    assert len(steps) > 3


@RULES
def test_a_network_survives_being_written_and_read(rule: Rule, tmp_path: Path) -> None:
    file, written = tmp_path / "weights.json", random_network(rule, seed=4)
    linear = random_weights(rule, seed=1)
    linear.write(file, rule, {"made by": "chance"})
    assert not weights.read(rule, file).network.embedding.any()
    written.write(file, {"made by": "luck"})
    read = weights.read(rule, file)
    for each in fields(written):
        assert np.array_equal(getattr(read.network, each.name), getattr(written, each.name))
    assert (read.worth == linear.worth).all()
    document = json.loads(file.read_text())
    assert document["origin"] == {"made by": "chance"}
    assert document["network"]["origin"] == {"made by": "luck"}

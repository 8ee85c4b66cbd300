"""The weights of the Gomoku evaluation: their file, their use, and what they are the weights of."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Game
from engine.games.gomoku import alphabeta, board, weights
from engine.games.gomoku.features import COUNT, GomokuEvaluation
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import Weights
from engine.position import Position
from engine.search import Limits

NUMBERS = tuple(range(1, COUNT + 1))


def random_position(game: Game, random: Random) -> Position:
    """Some random stones, the game not over."""
    while True:
        count = random.randrange(game.cell_count // 2)
        position = game.initial
        for move in random.sample(range(game.cell_count), count):
            position = game.play(position, move)
        if game.outcome(position) is None:
            return position


def test_every_weight_survives_being_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    Weights.of(NUMBERS).write(file, {"made by": "counting"})
    assert list(weights.read(file)) == list(NUMBERS)
    assert json.loads(file.read_text())["origin"] == {"made by": "counting"}


def test_a_file_without_one_of_the_weights_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    Weights.of(NUMBERS).write(file, {})
    document = json.loads(file.read_text())
    del document["side to move"]["rows"]["open three"]
    file.write_text(json.dumps(document))
    with pytest.raises(KeyError, match="open three"):
        weights.read(file)


def test_the_shipped_weights_say_how_they_came_about() -> None:
    origin = json.loads(weights.FILE.read_text())["origin"]
    assert "service.play.arena.fit" in origin["made by"]
    assert origin["positions"] > 10_000
    assert origin["error after"] < origin["error before"]


def test_a_searcher_made_after_the_file_has_changed_uses_what_is_in_it_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.get("gomoku-9")
    position = game.play_line(game.parse_line("e5 f6 e6"))
    file = tmp_path / "weights.json"
    monkeypatch.setattr(weights.read, "__defaults__", (file,))

    def value_with(tempo: int) -> int:
        Weights.of([*range(COUNT - 1), tempo]).write(file, {})
        return game.searcher().search(position, Limits(depth=1)).value

    # At depth 1 it is the opponent to whom being to move is worth something.
    assert value_with(tempo=300) == value_with(tempo=100) - 200


@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15-standard", "gomoku-26"])
def test_the_static_value_is_the_sum_of_features_times_weights(name: str) -> None:
    game = registry.get(name)
    evaluation = GomokuEvaluation(game)
    random = Random(name)
    numbers = [random.randrange(-9, 10) for _ in range(COUNT)]
    searcher = evaluation.searcher(numbers)
    seen = np.zeros(COUNT, dtype=bool)
    for _ in range(60):
        position = random_position(game, random)
        features = evaluation.features(position)
        if features is not None:
            state = searcher.state_of(position)
            assert alphabeta.evaluate(state) == features @ numbers
            seen |= features != 0
    assert seen.sum() > COUNT / 2


def test_a_position_with_a_win_at_hand_or_a_forced_move_has_no_features() -> None:
    game = registry.get("gomoku-15")
    evaluation = GomokuEvaluation(game)

    def asks(line: str) -> bool:
        return evaluation.features(game.play_line(game.parse_line(line))) is not None

    assert asks("h8 a1 h9")
    # Three in the open: the next stone of that side wins, one of the other side still parries.
    assert asks("h8 a1 h9 a3 h10")
    assert not asks("h8 a1 h9 a3 h10 a5")
    # Four with one end closed: a five at hand, and one to be blocked.
    assert not asks("h8 h7 h9 a3 h10 a5 h11")
    assert not asks("h8 h7 h9 a3 h10 a5 h11 a7")


def test_incremental_sums_are_those_counted_afresh_after_moves_made_and_taken_back() -> None:
    game = registry.get("gomoku-9")
    random = Random(4)
    numbers = [random.randrange(-9, 10) for _ in range(COUNT)]
    searcher = GomokuSearcher(game, weights=Weights.of(numbers))
    evaluation = GomokuEvaluation(game)
    compared = 0
    for _ in range(20):
        position = random_position(game, random)
        state = searcher.state_of(position)
        for move in random.sample(game.legal_moves(position), 5):
            board.place(state, board.padded(move, 9))
            after = game.play(position, move)
            features = evaluation.features(after)
            if game.outcome(after) is None and features is not None:
                assert alphabeta.evaluate(state) == features @ numbers
                compared += 1
            board.take_back(state, board.padded(move, 9))
    assert compared > 20

"""The weights of the Gomoku evaluation: their files, their use, and what they belong to."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Game
from engine.games.gomoku import Rule, alphabeta, board, features, line_table, patterns, weights
from engine.games.gomoku.features import GomokuEvaluation
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import Network, Weights
from engine.position import Position
from engine.search import Limits

TABLES = {Rule.FREESTYLE: 1, Rule.STANDARD: 1, Rule.RENJU: 2}
RULES = pytest.mark.parametrize("rule", list(Rule))
TWO = line_table.KINDS.index((line_table.TWO, 0))
WITHOUT_A_TWO = [max(kinds) < TWO for kinds in patterns.COMBINATIONS]


def random_weights(rule: Rule, seed: int, tempo: int = 5) -> Weights:
    shape = TABLES[rule], 2, len(patterns.COMBINATIONS)
    random = np.random.default_rng(seed)
    worth, policy = (random.integers(-9, 10, shape).astype(np.int16) for _ in range(2))
    worth[:, :, WITHOUT_A_TWO] = 0
    threats = random.integers(-99, 100, (TABLES[rule], board.THREATS)).astype(np.int16)
    return Weights(worth, policy, threats, tempo, Network.silent(rule))


def random_position(game: Game, random: Random) -> Position:
    """Some random stones, the game not over."""
    while True:
        count = random.randrange(game.cell_count // 2)
        position = game.initial
        for move in random.sample(range(game.cell_count), count):
            if game.why_illegal(position, move) is None and game.outcome(position) is None:
                position = game.play(position, move)
        if game.outcome(position) is None:
            return position


@RULES
def test_every_weight_survives_being_written_and_read(rule: Rule, tmp_path: Path) -> None:
    file, written = tmp_path / "weights.json", random_weights(rule, seed=1)
    written.write(file, rule, {"made by": "chance"})
    read = weights.read(rule, file)
    assert (read.worth == written.worth).all()
    assert (read.policy == written.policy).all()
    assert (read.threats == written.threats).all()
    assert read.tempo == written.tempo
    assert json.loads(file.read_text())["origin"] == {"made by": "chance"}


def test_a_file_without_some_of_the_weights_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    random_weights(Rule.RENJU, seed=1).write(file, Rule.RENJU, {})
    document = json.loads(file.read_text())
    del document["dark"]["policy"]
    file.write_text(json.dumps(document))
    with pytest.raises(KeyError, match="policy"):
        weights.read(Rule.RENJU, file)


@RULES
def test_the_shipped_weights_say_how_they_came_about(rule: Rule) -> None:
    origin = json.loads(weights.file_of(rule).read_text())["origin"]
    assert "python -m tools.fit gomoku-15" in origin["made by"]
    assert origin["positions"] > 50_000
    assert origin["error after"] < origin["error before"]


def test_a_searcher_made_after_the_file_has_changed_uses_what_is_in_it_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.get("gomoku-9")
    position = game.play_line(game.parse_line("e5 f6 e6"))
    file = tmp_path / "weights.json"
    monkeypatch.setattr(weights, "file_of", lambda _: file)

    def value_with(tempo: int) -> int:
        random_weights(Rule.FREESTYLE, seed=2, tempo=tempo).write(file, Rule.FREESTYLE, {})
        return game.searcher().search(position, Limits(depth=1)).value

    # At depth 1 it is the opponent to whom being to move is worth something.
    assert value_with(tempo=300) == value_with(tempo=100) - 200


@RULES
def test_cells_where_no_two_can_be_made_are_worth_nothing(rule: Rule) -> None:
    assert not weights.read(rule).worth[:, :, WITHOUT_A_TWO].any()


@RULES
def test_an_empty_board_is_worth_the_same_at_any_size(rule: Rule) -> None:
    assert len({value_of(rule, size, stones=0) for size in (5, 11, 15, 20, 26)}) == 1


@RULES
def test_a_stone_far_from_every_border_is_worth_the_same_on_a_larger_board(rule: Rule) -> None:
    assert value_of(rule, 20, stones=1) == value_of(rule, 26, stones=1) != value_of(rule, 26, 0)


def value_of(rule: Rule, size: int, stones: int) -> int:
    """The static value of an empty board of `size`, or of one with a stone amidst."""
    game = next(
        game
        for suffix in ("", "-standard", "-renju")
        if (game := registry.get(f"gomoku-{size}{suffix}")).rule is rule
    )
    line = (size // 2 * (size + 1),)
    state = GomokuSearcher(game).state_of(game.play_line(line[:stones]))
    return alphabeta.evaluate(state)


@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15-standard", "gomoku-15-renju", "gomoku-26"])
def test_the_static_value_is_the_sum_of_features_times_weights(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.get(name)
    evaluation, searcher = evaluation_by_chance(game, tmp_path, monkeypatch)
    random = Random(name)
    asked = 0
    for _ in range(60):
        position = random_position(game, random)
        counted = evaluation.features(position)
        if counted is not None:
            state = searcher.state_of(position)
            assert alphabeta.evaluate(state) == weighed(evaluation, counted)
            asked += 1
    assert asked > 10


def evaluation_by_chance(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[GomokuEvaluation, GomokuSearcher]:
    """The evaluation of `game` with random weights, and a searcher that uses the same."""
    file = tmp_path / "weights.json"
    by_chance = random_weights(game.rule, seed=3)
    by_chance.write(file, game.rule, {})
    monkeypatch.setattr(features, "file_of", lambda _: file)
    return GomokuEvaluation(game), GomokuSearcher(game, weights=by_chance)


@pytest.mark.parametrize("name", ["gomoku-9", "gomoku-15-renju"])
def test_moves_rank_by_the_patterns_that_they_make_for_both_sides(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.get(name)
    evaluation, searcher = evaluation_by_chance(game, tmp_path, monkeypatch)
    random = Random(name)
    asked = 0
    for _ in range(30):
        position = random_position(game, random)
        choices = evaluation.choices(position)
        if choices is None:
            continue
        state = searcher.state_of(position)
        mine, other = state["colour"], 1 - state["colour"]
        for move, numbers in zip(*choices, strict=True):
            at = board.padded(move, game.size)
            odds = 0
            for side, colour in ((board.MOVER, mine), (board.WAITER, other)):
                number = board.number_of(state, colour, at)
                odds += state["odds_of"][2 * number + side]
            assert sum(evaluation.policy[number] for number in numbers) == odds
            asked += 1
    assert asked > 200


def weighed(evaluation: GomokuEvaluation, features: tuple[np.ndarray, np.ndarray]) -> int:
    numbers, counts = features
    return int(
        sum(
            evaluation.weights[number] * count
            for number, count in zip(numbers, counts, strict=True)
        )
    )


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


def test_incremental_sums_are_those_counted_afresh_after_moves_made_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = registry.get("gomoku-9")
    random = Random(4)
    evaluation, searcher = evaluation_by_chance(game, tmp_path, monkeypatch)
    compared = 0
    for _ in range(20):
        position = random_position(game, random)
        state = searcher.state_of(position)
        for move in random.sample(game.legal_moves(position), 5):
            board.place(state, board.padded(move, 9))
            after = game.play(position, move)
            counted = evaluation.features(after)
            if game.outcome(after) is None and counted is not None:
                assert alphabeta.evaluate(state) == weighed(evaluation, counted)
                compared += 1
            board.take_back(state, board.padded(move, 9))
    assert compared > 20


def test_a_pattern_is_what_it_is_whatever_line_each_of_its_rows_is_on() -> None:
    numbers = patterns.combination_of()
    levels = patterns.levels()
    kinds = len(line_table.KINDS)
    random = Random(5)
    for _ in range(200):
        rows = [random.randrange(kinds) for _ in range(4)]
        shuffled = random.sample(rows, 4)
        first, second = (
            sum(row << 4 * place for place, row in enumerate(each)) for each in (rows, shuffled)
        )
        assert numbers[first] == numbers[second]
        assert levels[first] == levels[second]
        assert patterns.COMBINATIONS[numbers[first]] == tuple(sorted(rows))


def test_what_both_sides_threaten_is_told_by_their_cells_alone() -> None:
    """Six digits of base three: for each level, none, a few or many cells of either side."""
    game = registry.get("gomoku-15")
    searcher = GomokuSearcher(game)

    def number_of(line: str) -> int:
        return int(board.threats(searcher.state_of(game.play_line(game.parse_line(line)))))

    assert number_of("") == number_of("h8 a1") == 0
    # An open three of the side that has moved: two cells of OPEN_FOURS, the last digit.
    assert number_of("g8 a1 h8 o1 i8") % 3 == 1
    # A second one makes many of them.
    assert number_of("g8 a1 h8 o1 i8 a15 g4 o15 h4 a8 i4") % 3 == 2
    # Turned by a quarter it is the same.
    assert number_of("g8 a1 h8 o1 i8") == number_of("h7 a15 h8 a1 h9")

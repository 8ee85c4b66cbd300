"""What all published agents have in common."""

import pytest

from engine import registry
from engine.game import Game, Outcome
from engine.players import AGENT_NAMES, UnknownPlayer, agent
from engine.players.base import Agent, UnsuitableGame
from engine.players.random import RandomPlayer
from engine.position import Position

GOBANG_NAMES = tuple(name for name in AGENT_NAMES if name != "closeness")
GAMES = dict.fromkeys(GOBANG_NAMES, ("gomoku-5", "gomoku-11", "gomoku-11-standard"))
GAMES["closeness"] = ("pentago-swap",)
QUIET = {"gomoku-11": "f6 g7 e5 g5 d8", "pentago-swap": "b2:13 e5:12 e2:34 c3:14"}
FORCED = {"gomoku-11": "f6 a1 f7 a11 f8 k1", "pentago-swap": "a1:12 f6:12 a2:12 f5:12 c4:34"}

each_agent = pytest.mark.parametrize("name", AGENT_NAMES)
each_gobang_agent = pytest.mark.parametrize("name", GOBANG_NAMES)


def after(game: Game, text: str) -> Position:
    return game.play_line(game.parse_line(text))


def finished(agent: Agent, *, dark: bool) -> Outcome:
    """How a game against random moves ends; every move is checked."""
    game, other = agent.game, RandomPlayer(agent.game, seed=1)
    position = game.initial
    while (outcome := game.outcome(position)) is None:
        player = agent if position.dark_to_move is dark else other
        position = game.play_line([player.choose(position).move], position)
    return outcome


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
@pytest.mark.parametrize(
    ("name", "game_id"), [(name, game_id) for name, ids in GAMES.items() for game_id in ids]
)
def test_they_play_whole_legal_games_and_lose_none_to_random_moves(
    name: str, game_id: str, dark: bool
) -> None:
    outcome = finished(agent(name)(registry.get(game_id)), dark=dark)
    assert outcome is not (Outcome.LIGHT_WINS if dark else Outcome.DARK_WINS)
    if game_id == "gomoku-11":
        assert outcome is (Outcome.DARK_WINS if dark else Outcome.LIGHT_WINS)


@each_agent
def test_a_move_depends_on_position_and_depth_alone_and_no_time_is_promised(name: str) -> None:
    game = registry.get("pentago-swap" if name == "closeness" else "gomoku-11")
    quiet, forced = after(game, QUIET[game.id]), after(game, FORCED[game.id])
    player = agent(name)(game)
    first = player.choose(quiet)
    player.choose(forced)
    assert player.choose(quiet) == first == agent(name)(game, first.depth).choose(quiet)
    assert first.nodes > first.depth > 0
    assert player.movetime is None


@each_gobang_agent
@pytest.mark.parametrize(
    ("game_id", "centre"), [("gomoku-5", "c3"), ("gomoku-11", "f6"), ("gomoku-26", "n14")]
)
def test_gobang_agents_open_in_the_centre(name: str, game_id: str, centre: str) -> None:
    game = registry.get(game_id)
    assert game.format_move(agent(name)(game).choose(game.initial).move) == centre


@each_gobang_agent
def test_gobang_agents_complete_five_in_a_corner_of_the_largest_board(name: str) -> None:
    game = registry.get("gomoku-26")
    position = after(game, "z26 a1 y25 b1 x24 c1 w23 d25")
    assert game.format_move(agent(name)(game).choose(position).move) == "v22"


@each_agent
def test_other_games_are_refused_in_one_sentence(name: str) -> None:
    other = registry.get("gomoku-11" if name == "closeness" else "pentago-swap")
    with pytest.raises(UnsuitableGame) as refusal:
        agent(name)(other)
    assert str(refusal.value) == f"{name} does not play {other.id}"


@each_gobang_agent
def test_renju_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(UnsuitableGame) as refusal:
        agent(name)(registry.get("gomoku-15-renju"))
    reason = "it knows of no forbidden moves"
    assert str(refusal.value) == f"{name} does not play gomoku-15-renju: {reason}"


def test_an_unknown_agent_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(UnknownPlayer) as refusal:
        agent("closenes")
    assert all(name in str(refusal.value) for name in AGENT_NAMES)

"""Games and positions for the tests of this room."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import strategies as st

from engine import registry
from engine.game import Game
from engine.position import Move, Position

SIZES = (5, 6, 11, 15, 19, 26)
RULES = ("", "-standard", "-renju")
GOMOKU_IDS = tuple(f"gomoku-{size}{rule}" for size in SIZES for rule in RULES)
EXAMPLES = tuple(example for family in registry.families() for example in family.examples)
GAME_IDS = tuple(sorted({*EXAMPLES, *GOMOKU_IDS}))

every_game = pytest.mark.parametrize(
    "game", [registry.get(name) for name in GAME_IDS], ids=GAME_IDS
)


def positions(game: Game) -> st.SearchStrategy[Position]:
    """Positions of random legal games, finished ones among them."""

    def played(choices: list[int]) -> Position:
        position = game.initial
        for choice in choices:
            moves = game.legal_moves(position)
            if not moves:
                break
            position = game.play(position, moves[choice % len(moves)])
        return position

    # Few stones for positions that are symmetrical themselves, many for crowded ones.
    few, many = st.integers(0, 5), st.integers(0, 60)
    choices = st.integers(0, game.move_count - 1)
    return st.one_of(few, many).flatmap(
        lambda count: st.lists(choices, min_size=count, max_size=count).map(played)
    )


def unfinished_positions(game: Game) -> st.SearchStrategy[Position]:
    """Positions of random legal games in which a move can be made."""
    return positions(game).filter(lambda position: game.outcome(position) is None)


def random_game(game: Game, random: Random) -> Iterator[tuple[Move, Position]]:
    """The moves of one random game to its end, each with the position after it."""
    position = game.initial
    while moves := game.legal_moves(position):
        move = random.choice(moves)
        position = game.play(position, move)
        yield move, position

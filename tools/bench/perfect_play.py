"""The first player with the shipped book: it wins every game, and answers at once.

Of Pentago-swap here, and what `perfect_gomoku` has in common with it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from engine import registry
from engine.game import Game, Outcome
from engine.players import agent
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.players.random import RandomPlayer
from engine.position import Move, Position
from engine.search import Limits
from service.play.book import BookPlayer

GAME = "pentago-swap"
BOOK = f"{GAME}.db"
WON_BY = 19
# What a live answer may take: the same everywhere, and more than any position needed.
_LIVE = Limits(nodes=9_000_000)
# The opponent's first moves in a game are random, at most this many, to make games differ.
_MOST_RANDOM_MOVES = 5
_OPPONENT_LIMITS = Limits(nodes=100_000)


@dataclass(frozen=True, slots=True)
class Games:
    """The games against one opponent; times are in milliseconds a move of the first player's."""

    opponent: str
    games: int
    won: int
    longest: int
    median_ms: float
    p99_ms: float
    slowest_ms: float


def opponents(game: Game, book: Path) -> dict[str, Callable[[], Player]]:
    """Who plays second: at random; by what looks best at once; by the published closeness at
    depth 3; and as long as it can, with the book's own knowledge."""
    return {
        "random": lambda: RandomPlayer(game, seed=1),
        "greedy": lambda: EnginePlayer(game, Limits(depth=1)),
        "closeness": lambda: agent("closeness")(game, depth=3),
        "stubborn": lambda: BookPlayer(book, EnginePlayer(game, _OPPONENT_LIMITS)),
    }


def play_all(book: Path, count: int, *, seed: int = 1) -> Iterator[Games]:
    """`count` games against each of the opponents."""
    game = registry.get(GAME)
    winner = BookPlayer(book, EnginePlayer(game, _LIVE))
    try:
        for name, make in opponents(game, book).items():
            opponent = make()
            yield _play(game, winner, name, opponent, count, Random(seed))
            opponent.close()
    finally:
        winner.close()


def _play(
    game: Game, winner: Player, name: str, opponent: Player, count: int, random: Random
) -> Games:
    won = longest = 0
    milliseconds: list[float] = []
    for _ in range(count):
        strange = 2 * random.randint(0, _MOST_RANDOM_MOVES)

        def reply(position: Position, strange: int = strange) -> Move:
            if position.ply < strange:
                return random.choice(game.legal_moves(position))
            return opponent.choose(position).move

        played = play_out(game, winner, reply)
        won += played.won
        longest = max(longest, played.end.ply)
        milliseconds += played.milliseconds
    return Games(
        opponent=name,
        games=count,
        won=won,
        longest=longest,
        median_ms=round(float(np.median(milliseconds)), 2),
        p99_ms=round(float(np.percentile(milliseconds, 99)), 2),
        slowest_ms=round(max(milliseconds), 2),
    )


@dataclass(frozen=True, slots=True)
class Played:
    """One game: how it ended, the first player's choices, and the milliseconds they took."""

    won: bool
    end: Position
    choices: list[Choice]
    milliseconds: list[float]


def play_out(
    game: Game,
    winner: Player,
    reply: Callable[[Position], Move],
    start: Position | None = None,
) -> Played:
    """A game of `winner`, who is dark, from the empty board or from `start`."""
    position = game.initial if start is None else start
    choices: list[Choice] = []
    milliseconds: list[float] = []
    while game.outcome(position) is None:
        if position.dark_to_move:
            started = time.perf_counter()
            choices.append(winner.choose(position))
            milliseconds.append(1000 * (time.perf_counter() - started))
            move = choices[-1].move
        else:
            move = reply(position)
        position = game.play(position, move)
    won = game.outcome(position) is Outcome.DARK_WINS
    return Played(won, position, choices, milliseconds)

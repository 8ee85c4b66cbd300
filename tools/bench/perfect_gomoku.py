"""Gomoku's first player with a book of proofs, 100 ms a move: games won, and the time they took."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.openings import first_move, second_moves
from engine.players import AGENT_NAMES, agent
from engine.players.base import Player, UnsuitableGame
from engine.players.engine import EnginePlayer
from engine.players.random import RandomPlayer
from engine.position import Move, Position
from engine.search import Limits
from engine.values import is_decisive
from service.play.book import BookPlayer
from tools.bench.perfect_play import Played, play_out

MOVETIME = 0.1
# The published agents take seconds a move at the depth of their reports.
_AGENT_DEPTH = 1


@dataclass(frozen=True, slots=True)
class GomokuGames:
    """The games against one opponent, `distinct` of them.

    `unproven` counts the first player's moves that it did not know to win. Times are in
    milliseconds a move of the first player's; `over_ms` is how much the slowest was over its limit.
    """

    opponent: str
    games: int
    distinct: int
    won: int
    longest: int
    unproven: int
    median_ms: float
    p99_ms: float
    slowest_ms: float
    over_ms: float


def opponents(game: Game, book: Path | None, longer: int) -> dict[str, Callable[[], Player]]:
    """Who plays second: at random; the published agents that play Gomoku; the engine with `longer`
    times as much time; and as long as it can, with the book's own knowledge and the engine's."""
    found: dict[str, Callable[[], Player]] = {"random": lambda: RandomPlayer(game, seed=1)}
    for name in AGENT_NAMES:
        with suppress(UnsuitableGame):
            found[name] = partial(_same, agent(name)(game, depth=_AGENT_DEPTH))
    found["engine"] = lambda: _engine(game, longer * MOVETIME, None)
    found["stubborn"] = lambda: _engine(game, MOVETIME, book)
    return found


def openings(game: Gomoku, count: int, random: Random) -> Iterator[tuple[list[Move], Move | None]]:
    """For each game its first two moves, and a fourth one if that is random.

    The second moves are all there are up to symmetry, in turn. Only in the first game from each
    the opponent chooses its second move itself.
    """
    seconds = second_moves(game)
    for number in range(count):
        moves = [first_move(game), seconds[number % len(seconds)]]
        taken = {*moves}
        fourth = random.choice([cell for cell in range(game.cell_count) if cell not in taken])
        yield moves, fourth if number >= len(seconds) else None


def play_all(
    game: Gomoku,
    book: Path | None,
    count: int,
    longer: int,
    *,
    movetime: float = MOVETIME,
    seed: int = 1,
) -> Iterator[GomokuGames]:
    """`count` games against each of the `opponents`; without a `book` the engine plays alone."""
    winner = _engine(game, movetime, book)
    # What only the first search of all has to do.
    winner.choose(game.initial)
    try:
        for name, make in opponents(game, book, longer).items():
            opponent = make()
            random = Random(seed)
            games = [
                _play(game, winner, opponent, *opening) for opening in openings(game, count, random)
            ]
            opponent.close()
            yield _row(name, games, movetime)
    finally:
        winner.close()


def _same(player: Player) -> Player:
    return player


def _engine(game: Game, movetime: float, book: Path | None) -> Player:
    player = EnginePlayer(game, Limits(movetime=movetime))
    return player if book is None else BookPlayer(book, player)


def _play(
    game: Game, winner: Player, opponent: Player, start: Sequence[Move], fourth: Move | None
) -> Played:
    def reply(position: Position) -> Move:
        is_free = fourth is not None and not (position.dark | position.light) >> fourth & 1
        if fourth is not None and position.ply == len(start) + 1 and is_free:
            return fourth
        return opponent.choose(position).move

    return play_out(game, winner, reply, game.play_line(start))


def _row(name: str, games: Sequence[Played], movetime: float) -> GomokuGames:
    milliseconds = [each for game in games for each in game.milliseconds]
    choices = [choice for game in games for choice in game.choices]
    known = sum(choice.value is not None and is_decisive(choice.value) for choice in choices)
    return GomokuGames(
        opponent=name,
        games=len(games),
        distinct=len({game.end for game in games}),
        won=sum(game.won for game in games),
        longest=max(game.end.ply for game in games),
        unproven=len(choices) - known,
        median_ms=round(float(np.median(milliseconds)), 2),
        p99_ms=round(float(np.percentile(milliseconds, 99)), 2),
        slowest_ms=round(max(milliseconds), 2),
        over_ms=round(max(0.0, max(milliseconds) - 1000 * movetime), 2),
    )

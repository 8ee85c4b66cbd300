"""The openings that make up a whole strategy: the first stone in the centre, every reply, a third
stone beside the first, every reply to that. Each of these pairs is a proof of its own, which
depends on no other and can run anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.finder import Entry, StrategyFinder
from engine.position import Move, Position

_NODES_FOR_PAIR = 5_000_000
_NODES_FOR_TRIAL = 300_000
_TRIALS = 8
_TRIAL_SPAN = 2


@dataclass(frozen=True, slots=True)
class PairResult:
    """Whether the fifth stone wins after `moves`, and the positions with what wins in them.

    `entries` are those of `StrategyFinder.strategy`.
    """

    moves: tuple[Move, ...]
    won: bool | None
    nodes: int
    distance: int | None
    entries: dict[bytes, Entry]


def first_move(game: Gomoku) -> Move:
    """The centre, or on an even board the one of the four central cells furthest up and right."""
    return game.size // 2 * (game.size + 1)


def second_moves(game: Gomoku) -> list[Move]:
    """Every reply to the first stone, one of each kind up to symmetry."""
    return _distinct(game, game.play(game.initial, first_move(game)))


def third_moves(game: Gomoku, second: Move) -> list[Move]:
    """The cells one step diagonally from the centre, one of each kind up to symmetry."""
    position = game.play_line([first_move(game), second])
    row, column = divmod(first_move(game), game.size)
    beside = {(row + up) * game.size + column + right for up in (-1, 1) for right in (-1, 1)}
    return [move for move in _distinct(game, position) if move in _images(game, position, beside)]


def fourth_moves(game: Gomoku, second: Move, third: Move) -> list[Move]:
    """Every reply to the third stone, one of each kind up to symmetry."""
    return _distinct(game, game.play_line([first_move(game), second, third]))


def choose_third(game: Gomoku, second: Move, *, nodes: int = _NODES_FOR_TRIAL) -> Move:
    """The third stone after which most of some near replies are proven to lose, each within
    `nodes`, and of several such the one that takes fewest nodes.
    """
    finder = StrategyFinder(game)
    trials = []
    for third in third_moves(game, second):
        won = spent = 0
        position = game.play_line([first_move(game), second, third])
        for fourth in _near_replies(game, position, third):
            result = finder.prove(game.play(position, fourth), nodes=nodes)
            won += result.won is True
            spent += result.nodes
        trials.append((-won, spent, third))
    return min(trials)[2]


def pair(
    game_id: str,
    moves: Sequence[Move],
    *,
    nodes: int = _NODES_FOR_PAIR,
    hints: Sequence[Move] = (),
) -> PairResult:
    """Prove that the side to move wins after `moves`, within `nodes`, on a store of its own.

    `hints` are moves to try first. The result depends on the arguments alone.

    Raises:
        ValueError: if the game forbids moves, or is over.
        IllegalMove: if `moves` cannot be played.
    """
    game = registry.get(game_id)
    if not isinstance(game, Gomoku):
        raise ValueError(f"{game_id} is no game of Gomoku")
    finder = StrategyFinder(game)
    position = game.play_line(moves)
    result = finder.prove(position, nodes=nodes, hints=tuple(hints))
    entries = finder.strategy(position) if result.won else {}
    return PairResult(tuple(moves), result.won, result.nodes, result.distance, entries)


def _distinct(game: Gomoku, position: Position) -> list[Move]:
    """The smallest legal move to each position one ply on, ascending."""
    return [child.moves[0] for child in game.children(position)]


def _images(game: Gomoku, position: Position, moves: set[Move]) -> set[Move]:
    """`moves` and what they are turned to by the symmetries of `position` itself."""
    own = [each for each in game.symmetries if game.map_position(position, each) == position]
    return {game.map_move(move, symmetry) for move in moves for symmetry in own}


def _near_replies(game: Gomoku, position: Position, third: Move) -> Iterator[Move]:
    """Some replies near the third stone, evenly chosen."""
    row, column = divmod(third, game.size)
    near = [
        move
        for move in _distinct(game, position)
        if max(abs(move // game.size - row), abs(move % game.size - column)) <= _TRIAL_SPAN
    ]
    yield from near[:: max(1, len(near) // _TRIALS)]

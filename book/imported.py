"""What was imported of a position, as a reader of the book tells it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from book.files.contents import NO_GAMES, Results
from book.rows.imports import Hint, Imports
from engine.game import Game, Key
from engine.position import Move, Position


class PlayedMove(NamedTuple):
    """A move, and the games in which the position after it, or an image of it, was reached."""

    move: Move
    results: Results


@dataclass(frozen=True, slots=True)
class Imported:
    """What imported files say of a position; nothing of it is proven.

    `results` are of the games that came there, `moves` those that were played in it or lead where
    games came, the most frequent first; of moves equal by symmetry there is one. `hints` are what
    each file says.
    """

    results: Results
    moves: tuple[PlayedMove, ...]
    hints: tuple[Hint, ...]


def look_up(imports: Imports, game: Game, position: Position) -> Imported | None:
    """What was imported of `position`, None if there is nothing."""
    key = game.canonical(position).key
    said = imports.hints([key]).get(key, [])
    behind: dict[Key, Move] = {}
    for move in game.legal_moves(position):
        behind.setdefault(game.canonical(game.play(position, move)).key, move)
    played = imports.results(behind)
    if not said and not played:
        return None
    results = reduce(Results.plus, (hint.results for hint in said), NO_GAMES)
    return Imported(
        results,
        _by_games([PlayedMove(behind[key], results) for key, results in played.items()]),
        tuple(hint for hint in said if hint.value is not None or hint.label or hint.comment),
    )


def joined(found: Sequence[Imported]) -> Imported | None:
    """What several books have of one position, as one; None if they have nothing."""
    if not found:
        return None
    moves: dict[Move, Results] = {}
    for move, results in (each for one in found for each in one.moves):
        moves[move] = moves.get(move, NO_GAMES).plus(results)
    return Imported(
        reduce(Results.plus, (one.results for one in found)),
        _by_games([PlayedMove(*each) for each in moves.items()]),
        tuple(hint for one in found for hint in one.hints),
    )


def _by_games(moves: Sequence[PlayedMove]) -> tuple[PlayedMove, ...]:
    return tuple(sorted(moves, key=lambda each: (-each.results.games, each.move)))

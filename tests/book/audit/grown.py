"""Books of a few positions below one that is won, lost or drawn, so that all of them are proven."""

import random

from book.writer import BookWriter, Task
from engine import registry
from engine.game import Canonical, Game, Key, Outcome
from engine.position import Position
from engine.search import Limits
from precompute.job import run_task
from tests.book.handmade import Place

LIMITS = Limits(nodes=30_000)


def grown(
    place: Place, game_id: str, position: Position, *, share: float = 1.0, plies: int = 2
) -> Place:
    """A book of the position and of what can come within so many plies; at each step of a
    `share` of the positions, drawn at random, so that rest slots stay."""
    game = registry.get(game_id)
    rng = random.Random(1)
    levels: list[dict[Key, Canonical]] = [{game.canonical(position).key: game.canonical(position)}]
    for _ in range(plies):
        children = {
            child.canonical.key: child.canonical
            for parent in levels[-1].values()
            for child in game.children(parent.position)
        }
        levels.append({key: children[key] for key in sorted(children) if rng.random() < share})
    with BookWriter(place, game) as writer:
        run = writer.start_run({"limits": {"nodes": LIMITS.nodes}})
        below: dict[Key, Canonical] = {}
        for level in reversed(levels):
            batch = []
            for canonical in level.values():
                stored = frozenset(
                    child.canonical.key
                    for child in game.children(canonical.position)
                    if child.canonical.key in below
                )
                task = Task(canonical.key, canonical.stones, True, stored)
                batch.append((task, run_task(game.id, task, LIMITS)))
            with writer.transaction():
                writer.enter_batch(batch, 0, run)
            below = level
        writer.end_run(run)
    return place


def late(game: Game, plies: int, seed: int, *, quiet: bool = False) -> Position:
    """A position of a random game after so many plies, in which the game goes on.

    If `quiet`, one in which no move wins at once.
    """
    rng = random.Random(seed)
    while True:
        position = game.initial
        while game.outcome(position) is None and position.ply < plies:
            position = game.play(position, rng.choice(game.legal_moves(position)))
        if game.outcome(position) is None and not (quiet and _wins_at_once(game, position)):
            return position


def _wins_at_once(game: Game, position: Position) -> bool:
    wins = Outcome.DARK_WINS if position.dark_to_move else Outcome.LIGHT_WINS
    moves = game.legal_moves(position)
    return any(game.outcome(game.play(position, move)) is wins for move in moves)

"""One search as a worker does it: a task in, a result for the book out."""

import threading
import time
from dataclasses import dataclass
from functools import cache

from book.rows.encoding import Rest, Searched
from book.writer import PlannedTask, Task
from engine import registry
from engine.game import Game
from engine.position import Position, cells_of
from engine.search import Limits, Searcher, SearchOptions, SearchResult
from precompute.dispatch import Work

# The expected line that a book keeps: enough to see the idea, short enough for millions.
_LINE_PLIES = 8


@dataclass(frozen=True, slots=True)
class Search(Work[PlannedTask, Searched]):
    """What all searches of a build have in common."""

    game_id: str
    limits: Limits
    options: SearchOptions

    def prepare(self) -> None:
        _make_searcher(self.game_id, self.options)

    def do(self, task: PlannedTask) -> Searched:
        return run_task(self.game_id, task.task, self.limits, self.options)

    def name(self, task: PlannedTask) -> str:
        return f"the search of {self._position(task.task)}"

    def _position(self, task: Task) -> str:
        """A task's position as a sentence has it: its game, and its stones in notation."""
        game = registry.get(self.game_id)
        position = game.unpack(task.stones)
        if not position.ply:
            return f"the empty board of {game.id}"
        dark, light = (
            " ".join(map(game.format_cell, cells_of(stones)))
            for stones in (position.dark, position.light)
        )
        return f"{game.id} with dark {dark}" + (f" and light {light}" if light else "")


def run_task(
    game_id: str, task: Task, limits: Limits, options: SearchOptions = SearchOptions()
) -> Searched:
    """Search the rest slot of the task's position within `limits`."""
    game = registry.get(game_id)
    position = game.unpack(task.stones)
    children = game.children(position)
    excluded = {
        move for child in children if child.canonical.key in task.excluded for move in child.moves
    }
    # Made before time is taken: the first one of a process loads the kernels.
    searcher = _of_this_thread.searcher(game_id, options)
    started = time.monotonic()
    result = None
    if excluded != set(game.legal_moves(position)):
        result = searcher.search(position, limits, exclude=excluded)
    return Searched(
        key=task.key,
        stones=task.stones,
        rest=None if result is None else _rest(game, position, result),
        depth=0 if result is None else result.depth,
        nodes=0 if result is None else result.nodes,
        milliseconds=round((time.monotonic() - started) * 1000),
        children={child.canonical.key: child.moves[0] for child in children} if task.new else {},
    )


def _rest(game: Game, position: Position, result: SearchResult) -> Rest:
    assert result.move is not None
    child = game.play(position, result.move)
    over = game.outcome(child) is not None
    return Rest(
        move=result.move,
        value=result.value,
        bound=result.bound,
        proven=result.proven,
        child=None if over else game.canonical(child).key,
        line=result.line[:_LINE_PLIES],
    )


class _OfThread(threading.local):
    """A thread's own searchers, whose tables are made once."""

    def __init__(self) -> None:
        self.searcher = cache(_make_searcher)


def _make_searcher(game_id: str, options: SearchOptions) -> Searcher:
    return registry.get(game_id).searcher(options)


_of_this_thread = _OfThread()

"""Lines of a stored win asked over HTTP: every position of them has to come back as a proof.

Dark plays what the service answers, light at random, to the end of the game. Both sides' positions
are asked about.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np

from book.reader import BookReader
from engine.game import Game
from engine.position import Move, cells_of
from fivebook.local import free_port, served

# Rows and columns within which a reply is near a stone, and the share of replies that are.
_NEAR, _NEAR_SHARE = 2, 0.5
_MOVETIME = 500
_TIMEOUT = 60
# Positions that were not proven which are named.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Lines:
    """What came back along the lines of a book: how many answers were proofs, and how long they
    took, in milliseconds, the way to and fro included."""

    book: str
    lines: int
    positions: int
    proven: int
    not_proven: str
    longest: int
    median_ms: float
    p99_ms: float
    slowest_ms: float


def ask_lines(book: Path, count: int, *, start: str = "", seed: int = 1) -> Lines:
    """Ask about every position of `count` lines of the win in `book`, which holds one game.

    After the moves of `start` dark is to win.
    """
    with BookReader(book) as reader:
        (game,) = reader.games
    random, port = Random(seed), free_port()
    asked: dict[tuple[Move, ...], float] = {}
    failed: list[str] = []
    longest = 0
    with served((book,), port) as service:
        for _ in range(count):
            line = list(game.parse_line(start))
            while game.outcome(game.play_line(line)) is None:
                answer, milliseconds = _ask(service.address, game, line)
                if tuple(line) not in asked:
                    asked[tuple(line)] = milliseconds
                    if answer["source"] != "proof":
                        failed.append(game.format_line(line))
                line.append(_next(game, line, answer["best"], random))
            longest = max(longest, len(line))
    times = list(asked.values())
    return Lines(
        book=book.name,
        lines=count,
        positions=len(asked),
        proven=len(asked) - len(failed),
        not_proven="; ".join(failed[:_NAMED]),
        longest=longest,
        median_ms=round(float(np.median(times)), 2),
        p99_ms=round(float(np.percentile(times, 99)), 2),
        slowest_ms=round(max(times), 2),
    )


def _ask(address: str, game: Game, line: list[Move]) -> tuple[dict[str, Any], float]:
    """The answer to a position, and the milliseconds it took."""
    query = urlencode({"game": game.id, "moves": game.format_line(line), "movetime": _MOVETIME})
    started = time.perf_counter()
    with urlopen(f"{address}/api/v1/best?{query}", timeout=_TIMEOUT) as response:
        body = response.read()
    return json.loads(body), 1000 * (time.perf_counter() - started)


def _next(game: Game, line: list[Move], best: str, random: Random) -> Move:
    """The winner's move is the answer; every other reply is near a stone, where it may matter."""
    if len(line) % 2 == 0:
        (move,) = game.parse_line(best)
        return move
    position = game.play_line(line)
    moves = game.legal_moves(position)
    if random.random() < _NEAR_SHARE:
        taken = [divmod(cell, game.width) for cell in cells_of(position.dark | position.light)]
        moves = [move for move in moves if _is_near(divmod(move, game.width), taken)] or moves
    return random.choice(moves)


def _is_near(cell: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(max(abs(cell[0] - row), abs(cell[1] - column)) <= _NEAR for row, column in taken)

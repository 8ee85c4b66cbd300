"""Proofs made of the book's rows: complete, never false, and the same however they are made."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Connection, select

from book.address import AnyAddress
from book.export import records
from book.reader import BookReader
from book.schema import moves, positions
from book.writer import BookWriter, PlannedTask, Task
from engine import games
from engine.games.base import Game
from engine.position import Move, Position, cells_of
from engine.search import Limits
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.job import run_task
from precompute.proving import Goal, Proving, verdict
from tests.oracles import quick_pentago_swap as quick
from tests.oracles.book_checker import assert_sound
from tests.oracles.exhaustive import Exhaustive
from tests.oracles.threat_checker import Stones

SMALL = games.get("gomoku-6")
SWAP = games.get("pentago-swap")
GOMOKU = games.get("gomoku-9")
# A look that sees hardly more than a five: the proofs are the book's.
LOOK = Limits(nodes=20)
# Dark wins by quiet moves too.
QUIET = GOMOKU.parse_line("g5 b7 b5 h7 g4 g7 e7 h4 e5 h5 h6 g6 f4 e3 d6 g3")


def goal(game: Game, line: list[Move] | tuple[Move, ...], *, dark: bool) -> Goal:
    return Goal(tuple(line), dark)


def build(place: AnyAddress, game: Game, wanted: Goal, **options: object) -> BuildState:
    given = {"limits": LOOK} | options
    return Builder(place, BuildOptions(game, goal=wanted, **given)).run()  # type: ignore[arg-type]


def unfinished_lines(game: Game, random: Random, stones: int) -> Iterator[list[Move]]:
    """Random games that so many plies did not end."""
    while True:
        line: list[Move] = []
        position = game.initial
        while len(line) < stones and game.outcome(position) is None:
            line.append(random.choice(game.legal_moves(position)))
            position = game.play(position, line[-1])
        if game.outcome(position) is None:
            yield line


def cells(stones: int) -> Stones:
    return frozenset(divmod(cell, SMALL.size) for cell in cells_of(stones))


def plies_on_the_small_board(truth: Exhaustive, position: Position) -> int:
    dark, light = cells(position.dark), cells(position.light)
    return truth.plies(*((dark, light) if position.dark_to_move else (light, dark)))


def prove(writer: BookWriter, run: int, wanted: Goal) -> int:
    """Build as the builder does, with one batch at a time; returns how many searches it took."""
    frontier = Proving(writer.game, writer.game_number, wanted, batch_size=16)
    searches = 0
    while True:
        with writer.transaction() as connection:
            tasks = frontier.next_batch(connection, [])
            batch = [(task, run_task(writer.game.id, task, LOOK)) for task in tasks]
            writer.enter_batch(connection, batch, 0, run)
        if not tasks:
            return searches
        searches += len(tasks)


def decided_and_drawn(random: Random) -> Iterator[tuple[list[Move], int]]:
    """Positions with eight free cells on the small board, of each kind as many, with the plies
    to the five of the side to move or, with a minus, of the other one."""
    truth = Exhaustive(SMALL.size, exactly_five=False)
    lines = unfinished_lines(SMALL, random, stones=28)
    wanted = {"won": 10, "lost": 10, "drawn": 10}
    while any(wanted.values()):
        line = next(lines)
        plies = plies_on_the_small_board(truth, SMALL.play_line(line))
        truth.forget()
        kind = "won" if plies > 1 else "lost" if plies < 0 else "drawn"
        if plies != 1 and wanted[kind]:
            wanted[kind] -= 1
            yield line, plies


def test_every_verdict_is_what_trying_everything_finds(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    searches = 0
    with BookWriter(path, SMALL) as writer:
        run = writer.start_run({"limits": {}})
        for line, plies in decided_and_drawn(Random(1)):
            for dark in (True, False):
                wanted = Goal(tuple(line), dark)
                searches += prove(writer, run, wanted)
                won = plies > 0 if len(line) % 2 == (0 if dark else 1) else plies < 0
                assert verdict(path, SMALL, wanted) is won
                print(plies, won, searches)
    assert searches > 500
    assert_sound(path, SMALL)

"""Processes that play the games of a match."""

import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import resource_tracker
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from book.processes import follow
from engine import games
from engine.players.base import Player
from engine.search import Limits
from service.play.arena.openings import Opening
from service.play.arena.referee import Forfeit, PlayedGame, play_game
from service.play.players import make_player


@contextmanager
def workers(jobs: int) -> Iterator[Any]:
    """An executor of `jobs` processes, which leave Ctrl-C to this one.

    At the end of the block they are killed, with the programs they have started, whatever they
    are doing.
    """
    executor = ProcessPoolExecutor(jobs, initializer=follow, initargs=(os.getpid(),))
    try:
        with _interrupts_held_back():
            # The processes inherit this, and the first call starts them all.
            executor.submit(int)
        yield executor
    finally:
        with warnings.catch_warnings():
            # Where there is no pgrep, loky warns that it kills no more than the workers. The
            # programs they have started end with their input.
            warnings.simplefilter("ignore")
            executor.shutdown(kill_workers=True)


def play_in_worker(
    game_id: str,
    texts: tuple[str, str],
    names: tuple[str, str],
    limits: Limits,
    opening: Opening,
    swapped: bool,
    margin: float,
) -> PlayedGame:
    """A game between the players that `texts` describe; `swapped`: the second one is dark."""
    players = _players(game_id, texts, limits)
    if swapped:
        players, names = players[::-1], names[::-1]
    played = play_game(players, names, opening, margin, control=limits.clock)
    if played.forfeit is Forfeit.FAILED:
        # A program that has ended plays no further game; a new one may.
        for player in players:
            player.close()
        _players.cache_clear()
    return played


@cache
def _players(game_id: str, texts: tuple[str, str], limits: Limits) -> tuple[Player, Player]:
    """This process's players, two also where they are described alike."""
    first, second = (make_player(text, games.get(game_id), limits) for text in texts)
    return first, second


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    # It would be started within, which lets all signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

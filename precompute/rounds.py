"""Refining by rounds: each has larger limits than the one before, for fewer positions."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, select

from book.errors import BookMissing
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.schema import tasks
from engine.search import Limits
from precompute.builder import BuildOptions
from precompute.modes.refine import Refine

# A round has this many times the nodes of the one before, for a part of its positions that makes
# all rounds cost about the same.
GROWTH = 4

_planned = select(tasks.c.limits).where(tasks.c.game == bindparam("game")).limit(1)


def rounds_of(address: AnyAddress, options: BuildOptions, count: int) -> Iterator[BuildOptions]:
    """The builds of a refining by `count` rounds, of which each is to be complete before the next.

    The first is the one that the book's plan is of, so that the same rounds go on where they were
    stopped; else the first of all, which does nothing where it is done. `options.seconds` bounds
    all together. The options are to refine, by nodes, up to a number of searches.
    """
    started = time.monotonic()
    rounds = [_round(options, GROWTH**number) for number in range(count)]
    for chosen in rounds[_stopped_in(address, rounds) :]:
        if options.seconds is None:
            yield chosen
        else:
            left = options.seconds - (time.monotonic() - started)
            yield replace(chosen, seconds=max(0.0, left))


def _round(options: BuildOptions, times: int) -> BuildOptions:
    """The round with that many times the nodes."""
    mode, limits = options.mode, options.limits
    assert isinstance(mode, Refine)
    assert mode.searches
    assert limits.nodes
    return replace(
        options,
        mode=replace(mode, searches=max(1, mode.searches // times)),
        limits=Limits(limits.depth, limits.nodes * times, limits.movetime),
    )


def _stopped_in(address: AnyAddress, rounds: Sequence[BuildOptions]) -> int:
    """The number of the round that the book's plan is of, from 0; 0 if it is of none."""
    game = rounds[0].game
    try:
        with BookReader(address) as reader:
            if game not in reader.games:
                return 0
            with reader.rows_of(game) as rows:
                planned = {row.limits for row in rows.select(_planned)}
    except BookMissing:
        return 0
    return next((n for n, chosen in enumerate(rounds) if chosen.decides in planned), 0)

"""What a search is asked and what it answers."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol

from engine.clock import Allotment, Clock, allot
from engine.errors import InvalidLimits, InvalidOptions
from engine.position import Move, Position
from engine.values import Bound, Value, distance

MOST_THREADS = 256
MOST_TABLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search stops: at whichever of its limits comes first.

    `depth` is in plies, `nodes` in moves made in the tree, `movetime` in seconds; `clock` is
    that of the game, of which the search takes its share. At least one is given and all are
    positive.

    Raises:
        InvalidLimits: if none is given, or one is not positive.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None
    clock: Clock | None = None

    def __post_init__(self) -> None:
        given = {"depth": self.depth, "nodes": self.nodes, "movetime": self.movetime}
        if self.clock is None and all(limit is None for limit in given.values()):
            raise InvalidLimits("a search needs a limit: depth, nodes, movetime or clock")
        for name, limit in given.items():
            if limit is not None and not limit > 0:
                raise InvalidLimits(f"{name} must be greater than zero, not {limit}")

    def allotment(self, ply: int, cells: int) -> Allotment | None:
        """The time for a search at `ply` on a board of that many cells; None: it has no limit."""
        if self.clock is None:
            return None if self.movetime is None else Allotment(self.movetime, self.movetime)
        shared = allot(self.clock, ply, cells)
        if self.movetime is None:
            return shared
        return Allotment(min(shared.soft, self.movetime), min(shared.hard, self.movetime))

    def as_dict(self) -> dict[str, Any]:
        """The limits as JSON has them. Without a clock there is no mention of one, so that what
        was kept before there were clocks is still found."""
        limits = asdict(self)
        if self.clock is None:
            del limits["clock"]
        return limits


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a searcher is given to work with.

    `threads` search at the same time; `table` is the size of the transposition table in MiB,
    of which a searcher uses as many entries as a power of two allows. With one thread, the
    result of a search limited by depth or nodes depends on the size of the table, and with
    several on chance.

    Raises:
        InvalidOptions: if one is out of range.
    """

    threads: int = 1
    table: int = 4

    def __post_init__(self) -> None:
        for name, value, most in (
            ("threads", self.threads, MOST_THREADS),
            ("table", self.table, MOST_TABLE),
        ):
            if not 1 <= value <= most:
                raise InvalidOptions(f"{name} must be from 1 to {most:,}, not {value}")


class Method(StrEnum):
    """What found a result.

    `solver`: an exact solver, so that it is proven. `search`: the heuristic search, which proves
    what it sees the end of, and estimates the rest.
    """

    SOLVER = "solver"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The outcome of one search, from the point of view of the side to move.

    `proven` holds where the value is the game's own truth about the moves that were not
    excluded: a win or loss (then `value` tells its distance and `bound` whether that distance
    is the shortest), or a draw. `line` starts with `move` and is in the orientation of the
    searched position. `move` is None, and `line` empty, only where no move was left to search.
    """

    move: Move | None
    value: Value
    bound: Bound
    proven: bool
    depth: int
    nodes: int
    seconds: float
    line: tuple[Move, ...]
    method: Method = Method.SEARCH

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss."""
        return distance(self.value) if self.proven else None


class Searcher(Protocol):
    """Searches positions of one game; holds tables of its own, so one thread at a time."""

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """Search `position` until a limit, leaving out the root moves in `exclude`.

        With a limit by depth or nodes alone, and one thread, the result depends on the arguments,
        the size of the table and nothing else. The position must not be finished, and must have
        a legal move outside `exclude`.
        """
        ...

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """The `count` best root moves outside `exclude`, best first, each with its own result.

        `limits` are for all of them together. Of moves that lead to the same position, or to
        an image of it, there is one. There are fewer results where there are fewer moves, or
        where the limits leave nothing for the others. Each value is proven, or not, for its own
        move; their nodes and seconds add up to those of the whole.
        """
        ...

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """Take over what another search knew of `position`, before it is searched here.

        `line` was expected, with `value` for the side to move, by a search of `depth` plies. A
        search limited by time alone may begin with that; the results of others do not change.
        """
        ...

    def so_far(self) -> list[SearchResult]:
        """What the search that another thread is in has found, best first.

        As of its last whole depth; empty before the first. It is read while it is written: of the
        lines, those that cannot be played are to be left out.
        """
        ...

    def end(self) -> None:
        """Have the search that another thread is in end within milliseconds, as at a deadline.

        It is to be said again until that has ended, as a search may be between two steps. The
        searcher is of no further use.
        """
        ...

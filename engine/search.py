"""What a search is asked and what it answers."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from engine.errors import InvalidLimits
from engine.position import Move, Position
from engine.values import Bound, Value, distance


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search stops: at whichever of its limits comes first.

    `depth` is in plies, `nodes` in moves made in the tree, `movetime` in seconds. At least one
    is given and all are positive.

    Raises:
        InvalidLimits: if none is given, or one is not positive.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None

    def __post_init__(self) -> None:
        given = {"depth": self.depth, "nodes": self.nodes, "movetime": self.movetime}
        if all(limit is None for limit in given.values()):
            raise InvalidLimits("a search needs a limit: depth, nodes or movetime")
        for name, limit in given.items():
            if limit is not None and not limit > 0:
                raise InvalidLimits(f"{name} must be greater than zero, not {limit}")


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

        With a limit by depth or nodes alone the result depends on the arguments and nothing
        else. The position must not be finished, and must have a legal move outside `exclude`.
        """
        ...

"""The engine's search from Python."""

from __future__ import annotations

from dataclasses import dataclass

from engine import registry
from engine.errors import InvalidOptions
from engine.game import Game
from engine.search import Limits, Method, SearchOptions, SearchResult
from engine.values import Bound
from fivebook._games import Moves, MoveText, notation, read_unfinished
from fivebook.machine import prepare_python
from service.answers import win_rate

_USUAL = SearchOptions()


@dataclass(frozen=True, slots=True)
class AnalysisLine:
    """A move that a search found, with its value for the side to move.

    `value` is in centi-units: 100 is a winning chance of about 56 %. `bound` tells whether it is
    exact, or the true value is at least (lower) or at most (upper) this. `proven` holds where
    the value is the game's own truth, and not an estimate; `distance` is then the number of plies
    to the end of a win or loss, None for a draw. `uncertainty` is by how much `win_rate` may well
    be wrong, None where nobody has measured it. `line` is the play that the search expects, from
    `move` on. `depth` is in plies.
    """

    move: MoveText
    value: int
    bound: Bound
    proven: bool
    uncertainty: float | None
    distance: int | None
    depth: int
    line: tuple[MoveText, ...]

    @property
    def win_rate(self) -> float:
        """The chance, 0 to 1, that the side to move wins, a draw counting one half."""
        return win_rate(self.value, self.proven)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found: its `lines`, best first, each in the orientation that was asked about.

    `nodes` and `seconds` are those of all lines together. `method` is the exact solver of the
    game, whose results are proven, or the heuristic search. The other properties are those of
    the best line; see `AnalysisLine`.
    """

    game: str
    lines: tuple[AnalysisLine, ...]
    nodes: int
    seconds: float
    method: Method

    @property
    def best(self) -> MoveText:
        """The best move."""
        return self.lines[0].move

    @property
    def value(self) -> int:
        """The value of the position for the side to move, in centi-units."""
        return self.lines[0].value

    @property
    def win_rate(self) -> float:
        """The chance, 0 to 1, that the side to move wins, a draw counting one half."""
        return self.lines[0].win_rate

    @property
    def uncertainty(self) -> float | None:
        """By how much `win_rate` may well be wrong; None where nobody has measured it."""
        return self.lines[0].uncertainty

    @property
    def bound(self) -> Bound:
        """How `value` relates to the true one."""
        return self.lines[0].bound

    @property
    def proven(self) -> bool:
        """Whether `value` is the game's own truth, and not an estimate."""
        return self.lines[0].proven

    @property
    def distance(self) -> int | None:
        """Plies to the end of a proven win or loss; None for any other value."""
        return self.lines[0].distance

    @property
    def depth(self) -> int:
        """How deep the search looked, in plies."""
        return self.lines[0].depth

    @property
    def line(self) -> tuple[MoveText, ...]:
        """The play that the search expects, beginning with the best move."""
        return self.lines[0].line


def search(
    game: str,
    moves: Moves = "",
    *,
    movetime: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int = _USUAL.threads,
    table: int = _USUAL.table,
    lines: int = 1,
) -> Analysis:
    """Search for the best move of `game` after `moves`, until the first of the limits given.

    `movetime` is in seconds, `depth` in plies; `table`, the transposition table, in MiB. `lines`
    is the number of moves to look for, which share the limits. With one thread and no movetime
    the same question has the same answer on any machine.

    >>> found = search("gomoku-15", "h8 i9 g9 i7 i8", nodes=20_000)
    >>> found.best, found.value, found.depth
    ('g8', -742, 12)

    Raises:
        UnknownGame: if there is no such game.
        InvalidMove: if one of `moves` cannot be read.
        IllegalMove: if one of them cannot be played.
        GameOver: if the game has ended by then.
        InvalidLimits: if no limit is given, or one is not positive.
        InvalidOptions: if `threads`, `table` or `lines` are out of range.
        MachineRefuses: if there is no folder for compiled code to be had.
    """
    from service.live import LiveSearches

    rules = registry.get(game)
    position = read_unfinished(rules, moves)
    limits = Limits(depth, nodes, movetime)
    if lines < 1:
        raise InvalidOptions(f"lines must be 1 or more, not {lines}")
    prepare_python()
    # As the service does: every orientation of a position gets the same answer.
    searches = LiveSearches(at_once=1, waiting=0, options=SearchOptions(threads, table))
    searches.prepare(rules)
    results = searches.search_lines(rules, position, limits, lines)
    return Analysis(
        game=rules.id,
        lines=tuple(_line(rules, result) for result in results),
        nodes=sum(result.nodes for result in results),
        seconds=sum(result.seconds for result in results),
        method=results[0].method,
    )


def _line(game: Game, result: SearchResult) -> AnalysisLine:
    names = notation(game)
    assert result.move is not None  # the game goes on
    return AnalysisLine(
        move=names[result.move],
        value=result.value,
        bound=result.bound,
        proven=result.proven,
        uncertainty=game.accuracy.uncertainty(result.depth, result.proven),
        distance=result.distance,
        depth=result.depth,
        line=tuple(names[move] for move in result.line),
    )

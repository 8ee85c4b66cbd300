"""Alpha-beta over the rules of any game, for those that have no search of their own.

It is written in Python and asks the game for every move: some ten thousand nodes a second.
"""

import time
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from engine.game import Game, Outcome
from engine.multipv import lines_by_exclusion
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from engine.values import HEURISTIC_MAX, WIN, Bound, Value, from_child, is_decisive

_MEBIBYTE = 1 << 20
# What an entry of a table takes, with its key.
_ENTRY_BYTES = 400

_Known = TypeVar("_Known")
_Key = TypeVar("_Key")


class BoundedTable(dict[_Key, _Known], Generic[_Key, _Known]):
    """A table of at most `mebibytes`. Once it is full, the older half of it is forgotten."""

    def __init__(self, mebibytes: int) -> None:
        self.most = mebibytes * _MEBIBYTE // _ENTRY_BYTES

    def put(self, key: _Key, known: _Known) -> None:
        """Keep what is known."""
        self.pop(key, None)
        self[key] = known
        if len(self) > self.most:
            for old in list(islice(self, len(self) // 2)):
                del self[old]


def central_first(game: Game) -> list[int]:
    """For every move how far from the centre its stone is put; no matter in which unit."""

    def distance(move: Move) -> int:
        row, column = divmod(game.cell_of(move), game.width)
        return (2 * row - game.height + 1) ** 2 + (2 * column - game.width + 1) ** 2

    return [distance(move) for move in range(game.move_count)]


class _Entry(NamedTuple):
    """A value found by a search of `depth` plies, and the move that gave it."""

    depth: int
    value: Value
    bound: Bound
    move: Move

    def answers(self, depth: int, alpha: Value, beta: Value) -> bool:
        """Whether a search of `depth` plies in this window would come to no more."""
        if self.depth < depth and not is_decisive(self.value):
            return False
        match self.bound:
            case Bound.LOWER:
                return self.value >= beta
            case Bound.UPPER:
                return self.value <= alpha
        return True


class _Stopped(Exception):
    """A limit has been reached."""


class PlainSearcher:
    """Iterative deepening with a transposition table. It uses one thread."""

    def __init__(self, game: Game, options: SearchOptions = SearchOptions()) -> None:
        self._game = game
        self._options = options
        self._far = central_first(game)
        self._whole: list[SearchResult] = []
        self._ended = False

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """See `engine.search.Searcher`.

        Raises:
            ValueError: if the game is over or no move is left.
        """
        started = time.monotonic()
        if not exclude:
            self._whole = []
        moves = [move for move in self._game.legal_moves(position) if move not in exclude]
        if not moves:
            raise ValueError("the game is over, or every move is excluded")
        allotment = limits.allotment(position.ply, self._game.cell_count)
        self._deadline = None if allotment is None else started + allotment.hard
        soft = None if allotment is None else started + allotment.soft
        self._most, self._nodes = limits.nodes, 0
        self._table: BoundedTable[Position, _Entry] = BoundedTable(self._options.table)
        moves.sort(key=self._far.__getitem__)
        left = self._game.cell_count - position.ply
        value, finished = self._guess(position), 0
        for depth in range(1, min(limits.depth or left, left) + 1):
            try:
                value, moves = self._best(position, moves, depth)
            except _Stopped:
                break
            finished = depth
            if not exclude:
                self._whole = [self._result(position, moves[0], value, depth, started)]
            if is_decisive(value) or (soft is not None and time.monotonic() >= soft):
                break
        return self._result(position, moves[0], value, finished, started)

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """See `engine.search.Searcher`. Every search here begins with nothing."""

    def so_far(self) -> list[SearchResult]:
        """What the search for the first line has found, see `engine.search.Searcher`."""
        return self._whole

    def end(self) -> None:
        """Have the search that another thread is in end, see `engine.search.Searcher`."""
        self._ended = True

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """See `engine.search.Searcher`."""
        return lines_by_exclusion(self, self._game, position, limits, count, exclude)

    def _result(
        self, position: Position, move: Move, value: Value, depth: int, started: float
    ) -> SearchResult:
        """What is found after `depth` whole plies by a search that `started` then."""
        return SearchResult(
            move=move,
            value=value,
            # A win or loss was found at the first depth that shows it, so none is nearer.
            bound=Bound.EXACT,
            proven=is_decisive(value) or depth == self._game.cell_count - position.ply,
            depth=depth,
            nodes=self._nodes,
            seconds=time.monotonic() - started,
            line=self._line(position, move, depth),
        )

    def _best(
        self, position: Position, moves: Sequence[Move], depth: int
    ) -> tuple[Value, list[Move]]:
        """The value of the best move, and the moves with that one in front."""
        best, ordered = -WIN, list(moves)
        for move in moves:
            value = self._after(position, move, depth, best, WIN)
            if value > best:
                best = value
                ordered.remove(move)
                ordered.insert(0, move)
        return best, ordered

    def _after(
        self, position: Position, move: Move, depth: int, alpha: Value, beta: Value
    ) -> Value:
        """The value of a move, for the side that makes it; as `_value` fails, so does this."""
        if self._ended or (self._most is not None and self._nodes >= self._most):
            raise _Stopped
        self._nodes += 1
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise _Stopped
        child = self._game.play(position, move)
        outcome = self._game.outcome(child)
        if outcome is not None:
            return _ending(outcome, position)
        return from_child(self._value(child, depth - 1, _to_child(beta), _to_child(alpha)))

    def _value(self, position: Position, depth: int, alpha: Value, beta: Value) -> Value:
        """Fail-soft: the position is worth at most what is returned if that is not above `alpha`,
        and at least that if it is not below `beta`.

        Every position is met with the same number of plies to go as long as an iteration lasts. So
        a win or loss in the table was seen to its end, and holds for any depth.
        """
        if depth == 0:
            return self._guess(position)
        known = self._table.get(position)
        if known is not None and known.answers(depth, alpha, beta):
            return known.value
        moves = sorted(self._game.legal_moves(position), key=self._far.__getitem__)
        if known is not None:
            moves.remove(known.move)
            moves.insert(0, known.move)
        best, best_move = -WIN - 1, moves[0]
        for move in moves:
            value = self._after(position, move, depth, max(alpha, best), beta)
            if value > best:
                best, best_move = value, move
                if best >= beta:
                    break
        bound = Bound.LOWER if best >= beta else Bound.EXACT if best > alpha else Bound.UPPER
        self._table.put(position, _Entry(depth, best, bound, best_move))
        return best

    def _guess(self, position: Position) -> Value:
        return max(-HEURISTIC_MAX, min(HEURISTIC_MAX, self._game.estimate(position)))

    def _line(self, position: Position, move: Move, depth: int) -> tuple[Move, ...]:
        line = [move]
        for _ in range(depth - 1):
            position = self._game.play(position, line[-1])
            known = self._table.get(position)
            if known is None:
                break
            line.append(known.move)
        return tuple(line)


def _ending(outcome: Outcome, before: Position) -> Value:
    """The value of a move that ends the game, for the side that makes it."""
    if outcome.winner is None:
        return 0
    return WIN - 1 if outcome.winner is before.to_move else 1 - WIN


def _to_child(value: Value) -> Value:
    """What `from_child` makes this value of."""
    if not is_decisive(value):
        return -value
    return -value - 1 if value > 0 else -value + 1

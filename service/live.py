"""Live searches: a few at a time, each within its movetime, none made twice at once."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Lock, Thread
from typing import Self

from engine.errors import IllegalMove
from engine.game import Canonical, Game, Key
from engine.position import Move, Position
from engine.search import Limits, Searcher, SearchOptions, SearchResult
from engine.values import Value
from service.errors import TooBusy

# Of its movetime a search waits at most this part for others to end. The rest is enough to find
# a sensible move.
_PATIENCE = 0.5
# A search that starts after its time is up still has to name a move.
_SHORTEST_MOVETIME = 0.001

# Of a search that is followed.
_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_BETWEEN_FINDINGS = 0.5
_SECONDS_BETWEEN_ENDS = 0.005

_SearchKey = tuple[str, Key, Limits, int]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found, best first: in the end, or so far."""

    results: list[SearchResult]
    is_final: bool


class LiveSearches:
    """Searches positions of any game, at most `at_once` at a time, each with these `options`.

    The time a search waits for its turn counts against its movetime. At most `waiting` wait;
    one more is refused at once, since lookups need the other threads.
    Canonical positions are searched: every orientation of a position gets the same answer, and
    all who ask for it at once share one search.
    """

    def __init__(
        self, *, at_once: int, waiting: int, options: SearchOptions = SearchOptions()
    ) -> None:
        self._running = BoundedSemaphore(at_once)
        self._pool = _SearcherPool(idle=2 * at_once, options=options)
        self._lock = Lock()
        self.at_once = at_once
        self._seats = at_once + waiting
        self._asking = 0
        self._searching = 0
        self._observer: Callable[[int, int], None] = lambda running, waiting: None
        self._shared: dict[_SearchKey, Future[list[SearchResult]]] = {}

    @property
    def asking(self) -> int:
        """How many are searching, waiting, or sharing another's search."""
        return self._asking

    @property
    def waiting(self) -> int:
        """How many who ask wait for a search to end."""
        return self._asking - self._searching

    def observe(self, observer: Callable[[int, int], None]) -> None:
        """Tell `observer` from now on how many searches run and wait, whenever that changes."""
        self._observer = observer

    def _count(self, *, asking: int = 0, searching: int = 0) -> None:
        """Note a change of the numbers. The lock is held."""
        self._asking += asking
        self._searching += searching
        self._observer(self._searching, self._asking - self._searching)

    def prepare(self, game: Game) -> None:
        """Have a searcher of `game` ready.

        The first one in a process loads the compiled kernels, which takes longer than many a
        movetime; making it counts against the movetime of the search that needs it.
        """
        with self._pool.searcher(game):
            pass

    def search(self, game: Game, position: Position, limits: Limits) -> SearchResult:
        """The result for `position`, in its own orientation.

        Raises:
            TooBusy: if the search cannot begin within half of its movetime.
        """
        return self.search_lines(game, position, limits, 1)[0]

    def search_lines(
        self, game: Game, position: Position, limits: Limits, count: int
    ) -> list[SearchResult]:
        """The results for the `count` best moves of `position`, best first.

        Raises:
            TooBusy: if the search cannot begin within half of its movetime.
        """
        canonical = game.canonical(position)
        with self._seat(limits.movetime):
            results = self._search_shared(game, canonical, limits, count)
        return [_turned_back(game, canonical, result) for result in results]

    def follow(
        self, game: Game, position: Position, limits: Limits, count: int
    ) -> Generator[Found | None, None, None]:
        """The results for the `count` best moves of `position`, while they are searched for.

        The last ones are those of the whole search. None comes where for some 50 ms there was
        nothing new, so that nobody waits long for a chance to close the iterator. That ends the
        search within milliseconds and gives its seat back. No search is shared with others.

        Raises:
            TooBusy: if the search cannot begin within half of its movetime.
        """
        canonical = game.canonical(position)
        since = time.monotonic()
        with (
            self._seat(limits.movetime),
            self._turn(limits.movetime),
            self._pool.searcher(game) as searcher,
            _Followed(searcher, canonical.position, _left(limits, since), count) as search,
        ):
            for found in search.findings():
                yield None if found is None else _checked(game, canonical, found)

    def search_each(
        self, game: Game, positions: Sequence[Position], *, movetime: float, total: float
    ) -> Iterator[SearchResult]:
        """The result for each of `positions` in turn, all within `total` seconds.

        Each search gets `movetime` or, if that is shorter, an equal share of the time left;
        what one leaves of its share goes to those after it. Positions that are equal by
        symmetry are searched once.

        Raises:
            TooBusy: if the first search cannot begin within half of `total`.
        """
        deadline = time.monotonic() + total
        found: dict[Key, SearchResult] = {}
        canonicals = [game.canonical(position) for position in positions]
        left = len({canonical.key for canonical in canonicals})
        with self._seat(total), self._turn(total), self._pool.searcher(game) as searcher:
            for canonical in canonicals:
                if canonical.key not in found:
                    share = min(movetime, (deadline - time.monotonic()) / left)
                    limits = Limits(movetime=max(share, _SHORTEST_MOVETIME))
                    found[canonical.key] = searcher.search(canonical.position, limits)
                    left -= 1
                yield _turned_back(game, canonical, found[canonical.key])

    def _search_shared(
        self, game: Game, canonical: Canonical, limits: Limits, count: int
    ) -> list[SearchResult]:
        """The results for the canonical position, from a search that all who ask it share."""
        key = (game.id, canonical.key, limits, count)
        with self._lock:
            found = self._shared.get(key)
            is_first = found is None
            if found is None:
                found = self._shared[key] = Future()
        if is_first:
            try:
                found.set_result(self._searched(game, canonical.position, limits, count))
            except BaseException as error:
                found.set_exception(error)
            finally:
                with self._lock:
                    del self._shared[key]
        return found.result()

    def _searched(
        self, game: Game, position: Position, limits: Limits, count: int
    ) -> list[SearchResult]:
        since = time.monotonic()
        with self._turn(limits.movetime), self._pool.searcher(game) as searcher:
            limits = _left(limits, since)
            if count == 1:
                return [searcher.search(position, limits)]
            return searcher.search_lines(position, limits, count)

    @contextmanager
    def _seat(self, movetime: float | None) -> Iterator[None]:
        with self._lock:
            if self._asking >= self._seats:
                raise _busy(movetime)
            self._count(asking=1)
        try:
            yield
        finally:
            with self._lock:
                self._count(asking=-1)

    @contextmanager
    def _turn(self, movetime: float | None) -> Iterator[None]:
        patience = None if movetime is None else movetime * _PATIENCE
        if not self._running.acquire(timeout=patience):
            raise _busy(movetime)
        with self._lock:
            self._count(searching=1)
        try:
            yield
        finally:
            with self._lock:
                self._count(searching=-1)
            self._running.release()


class _Followed(AbstractContextManager["_Followed"]):
    """A search in a thread of its own, which ends with the block."""

    def __init__(self, searcher: Searcher, position: Position, limits: Limits, count: int) -> None:
        self._searcher = searcher
        self._found: Future[list[SearchResult]] = Future()
        self._thread = Thread(target=self._search, args=(position, limits, count), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        while self._thread.is_alive():
            self._searcher.end()
            self._thread.join(_SECONDS_BETWEEN_ENDS)

    def findings(self) -> Iterator[Found | None]:
        """What is found whenever it is deeper or another, and now and then; the results last."""
        told: list[tuple[int, Value, Move | None]] = []
        told_at = time.monotonic()
        while True:
            with suppress(TimeoutError):
                yield Found(self._found.result(_SECONDS_BETWEEN_LOOKS), True)
                return
            results = self._searcher.so_far()
            seen = [(result.depth, result.value, result.move) for result in results]
            is_due = time.monotonic() - told_at >= _SECONDS_BETWEEN_FINDINGS
            if results and (seen != told or is_due):
                told, told_at = seen, time.monotonic()
                yield Found(results, False)
            else:
                yield None

    def _search(self, position: Position, limits: Limits, count: int) -> None:
        try:
            self._found.set_result(self._searcher.search_lines(position, limits, count))
        except BaseException as error:
            self._found.set_exception(error)


class _SearcherPool:
    """Searchers of any game, each used by one thread at a time.

    Searchers hold large tables: only the `idle` that were used last are kept.
    """

    def __init__(self, *, idle: int, options: SearchOptions) -> None:
        self._most = idle
        self._options = options
        self._lock = Lock()
        self._idle: list[tuple[str, Searcher]] = []

    @contextmanager
    def searcher(self, game: Game) -> Iterator[Searcher]:
        """A searcher of `game` to use alone. One whose search fails is not used again."""
        searcher = self._take(game.id) or game.searcher(self._options)
        yield searcher
        with self._lock:
            self._idle.append((game.id, searcher))
            del self._idle[: -self._most]

    def _take(self, game_id: str) -> Searcher | None:
        with self._lock:
            for index in reversed(range(len(self._idle))):
                if self._idle[index][0] == game_id:
                    return self._idle.pop(index)[1]
        return None


def _left(limits: Limits, since: float) -> Limits:
    """What is left of `limits` that began to run at `since`."""
    if limits.movetime is None:
        return limits
    left = limits.movetime - (time.monotonic() - since)
    return replace(limits, movetime=max(left, _SHORTEST_MOVETIME))


def _checked(game: Game, canonical: Canonical, found: Found) -> Found | None:
    """What was found for the canonical position, in the orientation that was asked about.

    None if its lines cannot be played: they were read while they were written.
    """
    try:
        for result in found.results:
            game.play_line(result.line, canonical.position)
    except IllegalMove:
        return None
    results = [_turned_back(game, canonical, result) for result in found.results]
    return Found(results, found.is_final)


def _turned_back(game: Game, canonical: Canonical, result: SearchResult) -> SearchResult:
    """A result for the canonical position, in the orientation that was asked about."""
    back = game.inverse(canonical.symmetry)
    return replace(
        result,
        move=None if result.move is None else game.map_move(result.move, back),
        line=game.map_line(result.line, back),
    )


def _busy(movetime: float | None) -> TooBusy:
    within = "" if movetime is None else f" within {movetime * 1000:.0f} ms"
    return TooBusy(
        f"too many live searches are waiting to answer{within}: ask again later, or ask for "
        "book answers only",
        movetime or 1.0,
    )

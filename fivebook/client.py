"""Asks a running service (`fivebook serve`), with or without asyncio; needs `fivebook[client]`.

>>> from fivebook.client import Client
>>> with Client("http://127.0.0.1:8000") as service:
...     print(service.best("gomoku-15", "h8 i9").best)
h9

Each method is the route of its name in docs/http.md, and its answer has the fields told there.
Times are in milliseconds. A service that is too busy is asked again, when it says.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import httpx
from msgspec import Raw, Struct, ValidationError
from msgspec.json import decode

from engine.errors import FivebookError
from service.http.documents import Books, Problem
from service.http.walks import Line, ProofStep, RandomPosition
from service.notated import BestMove, NotatedAnswer

__all__ = ["AsyncClient", "Client", "Event", "ServiceRefuses"]

_RETRIES = 3
_SECONDS = 60.0
_BUSY = (429, 503)
_API = "/api/v1/"
_Answer = TypeVar("_Answer")


class ServiceRefuses(FivebookError):
    """The service answered with a problem: see `problem`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class Event(Struct, frozen=True):
    """What `live` tells: `progress`, or the `answer`, which is the last event."""

    name: str
    answer: NotatedAnswer


class _Batch(Struct):
    answers: list[Raw]


@dataclass(frozen=True, slots=True)
class _Question(Generic[_Answer]):
    """What is asked at a route of the API, and the type of its answer."""

    route: str
    answer: type[_Answer]
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None

    def request(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        given = {name: _text(value) for name, value in self.query.items() if value is not None}
        method = "GET" if self.body is None else "POST"
        return client.build_request(method, _API + self.route, params=given, json=self.body)

    def read(self, response: httpx.Response) -> _Answer:
        if response.is_success:
            return decode(response.content, type=self.answer)
        raise ServiceRefuses(decode(response.content, type=Problem))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


def _read_each(batch: _Batch) -> list[NotatedAnswer | Problem | None]:
    return [_read_one(each) for each in batch.answers]


def _read_one(document: Raw) -> NotatedAnswer | Problem | None:
    try:
        return decode(document, type=NotatedAnswer | None)
    except ValidationError:
        return decode(document, type=Problem)


def _batch(positions: Sequence[str], options: Mapping[str, object]) -> _Question[_Batch]:
    body = {"positions": list(positions), **options}
    return _Question("positions", _Batch, body=body)


def _wait(response: httpx.Response, tries_left: int) -> float | None:
    """The seconds after which to ask again; None: not at all."""
    if response.status_code not in _BUSY or not tries_left:
        return None
    return float(response.headers.get("Retry-After", 1))


class _Events:
    """Reads a stream of events, line by line."""

    def __init__(self) -> None:
        self._name = ""

    def read(self, line: str) -> Event | None:
        """The event that `line` completes, if it does."""
        kind, _, value = line.partition(": ")
        if kind == "event":
            self._name = value
        if kind != "data":
            return None
        if self._name == "problem":
            raise ServiceRefuses(decode(value, type=Problem))
        return Event(self._name, decode(value, type=NotatedAnswer))


class _Routes:
    """The questions of both clients."""

    @staticmethod
    def _about(game: str | None, moves: str | Iterable[str], **more: object) -> dict[str, object]:
        return {"game": game, "moves": moves if isinstance(moves, str) else list(moves), **more}


class Client(_Routes):
    """Asks the service at `url`. A context manager, which threads may share.

    A question that meets a busy service is put again up to `retries` times. `transport` is for
    tests and proxies, see httpx.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = _SECONDS,
        retries: int = _RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._retries = retries
        self._http = httpx.Client(base_url=url, timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def position(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> NotatedAnswer:
        """All that is known of a position; `options` are movetime, lines and book_only.

        Raises:
            ServiceRefuses: if the service answers with a problem.
        """
        return self._ask(_Question("position", NotatedAnswer, self._about(game, moves, **options)))

    def best(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> BestMove:
        """The best move; `options` are movetime, book_only, book_margin and seed.

        Raises as `position`.
        """
        return self._ask(_Question("best", BestMove, self._about(game, moves, **options)))

    def positions(
        self, positions: Sequence[str], **options: object
    ) -> list[NotatedAnswer | Problem | None]:
        """An answer for each position; `options` are game, movetime, book_only and errors.

        Raises as `position`.
        """
        return _read_each(self._ask(_batch(positions, options)))

    def line(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> Line:
        """The main line of the books; `options` are plies. Raises as `position`."""
        return self._ask(_Question("line", Line, self._about(game, moves, **options)))

    def random(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> RandomPosition:
        """A random position; `options` are plies, balanced and seed. Raises as `position`."""
        return self._ask(_Question("random", RandomPosition, self._about(game, moves, **options)))

    def proof(self, game: str | None = None, moves: str | Iterable[str] = "") -> ProofStep:
        """What the books prove of a position. Raises as `position`."""
        return self._ask(_Question("proof", ProofStep, self._about(game, moves)))

    def books(self) -> Books:
        """The books that are served. Raises as `position`."""
        return self._ask(_Question("books", Books))

    def live(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> Iterator[Event]:
        """What a live search finds while it looks deeper; `options` are those of `position`.

        The search ends when the iterator is closed. Raises as `position`.
        """
        question = _Question("live", NotatedAnswer, self._about(game, moves, **options))
        response = self._send(question, stream=True)
        try:
            if not response.is_success:
                response.read()
                question.read(response)
            events = _Events()
            for line in response.iter_lines():
                event = events.read(line)
                if event is not None:
                    yield event
        finally:
            response.close()

    def _ask(self, question: _Question[_Answer]) -> _Answer:
        return question.read(self._send(question))

    def _send(self, question: _Question[Any], *, stream: bool = False) -> httpx.Response:
        for left in range(self._retries, -1, -1):
            response = self._http.send(question.request(self._http), stream=stream)
            seconds = _wait(response, left)
            if seconds is None:
                break
            response.close()
            time.sleep(seconds)
        return response


class AsyncClient(_Routes):
    """As `Client`, for asyncio."""

    def __init__(
        self,
        url: str,
        *,
        timeout: float = _SECONDS,
        retries: int = _RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._retries = retries
        self._http = httpx.AsyncClient(base_url=url, timeout=timeout, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def position(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> NotatedAnswer:
        """See `Client.position`."""
        question = _Question("position", NotatedAnswer, self._about(game, moves, **options))
        return await self._ask(question)

    async def best(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> BestMove:
        """See `Client.best`."""
        return await self._ask(_Question("best", BestMove, self._about(game, moves, **options)))

    async def positions(
        self, positions: Sequence[str], **options: object
    ) -> list[NotatedAnswer | Problem | None]:
        """See `Client.positions`."""
        return _read_each(await self._ask(_batch(positions, options)))

    async def line(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> Line:
        """See `Client.line`."""
        return await self._ask(_Question("line", Line, self._about(game, moves, **options)))

    async def random(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> RandomPosition:
        """See `Client.random`."""
        question = _Question("random", RandomPosition, self._about(game, moves, **options))
        return await self._ask(question)

    async def proof(self, game: str | None = None, moves: str | Iterable[str] = "") -> ProofStep:
        """See `Client.proof`."""
        return await self._ask(_Question("proof", ProofStep, self._about(game, moves)))

    async def books(self) -> Books:
        """See `Client.books`."""
        return await self._ask(_Question("books", Books))

    async def live(
        self, game: str | None = None, moves: str | Iterable[str] = "", **options: object
    ) -> AsyncIterator[Event]:
        """See `Client.live`."""
        question = _Question("live", NotatedAnswer, self._about(game, moves, **options))
        response = await self._send(question, stream=True)
        try:
            if not response.is_success:
                await response.aread()
                question.read(response)
            events = _Events()
            async for line in response.aiter_lines():
                event = events.read(line)
                if event is not None:
                    yield event
        finally:
            await response.aclose()

    async def _ask(self, question: _Question[_Answer]) -> _Answer:
        return question.read(await self._send(question))

    async def _send(self, question: _Question[Any], *, stream: bool = False) -> httpx.Response:
        for left in range(self._retries, -1, -1):
            response = await self._http.send(question.request(self._http), stream=stream)
            seconds = _wait(response, left)
            if seconds is None:
                break
            await response.aclose()
            await asyncio.sleep(seconds)
        return response

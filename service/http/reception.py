"""What stands between the server and the application: whole requests get a thread, no others.

The body of a request is received by the server's event loop, within a time and up to a size. A
client that sends half of one, or sends it slowly, holds a connection for a few seconds and no
thread, however many of it there are. So does one that reads its answer slowly: see `deliveries`.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from io import BytesIO
from typing import Any, NamedTuple

from flask import Flask
from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]
from werkzeug.wrappers import Response

from service.http.deliveries import Deliveries
from service.http.documents import encode
from service.http.live import EVENT_STREAM
from service.http.problems import MEDIA_TYPE, document

_MIB = 1 << 20
# What all bodies on their way may hold together: the connections times the longest body would
# be a gigabyte.
_MOST_RECEIVED = 64 * _MIB
_BODY_SECONDS = 10.0


class _Reply(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    content: bytes


class _Refused(Exception):
    """A body that is not received to its end, or an answer that is not sent."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Reception:
    """Has `app` answer whole requests, in `threads` threads; an application for granian's RSGI.

    A body that is not there within `body_seconds` is refused (408), and so is one of more bytes
    than the application takes (413), or one more than the memory for all of them holds (503).
    The connection of a refused body is closed. Answers that `deliveries` has no room for are
    refused (503). `end` is called after the last request.
    """

    def __init__(
        self,
        app: Flask,
        *,
        threads: int,
        deliveries: Deliveries,
        end: Callable[[], None],
        body_seconds: float = _BODY_SECONDS,
    ) -> None:
        self._app = app
        self._deliveries = deliveries
        self._end = end
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="answers")
        self._body_seconds = body_seconds
        self._most = int(app.config["MAX_CONTENT_LENGTH"])
        self._received = 0

    async def __call__(self, scope: Any, protocol: Any) -> None:
        """Answer one request."""
        try:
            # No other method of ours takes a body, and what is not asked for is not waited for.
            body = await self._body(scope, protocol) if scope.method == "POST" else b""
            loop = asyncio.get_running_loop()
            reply = await loop.run_in_executor(self._threads, self._reply, scope, body)
        except _Refused as refused:
            reply = _refusal(scope, refused)
        if isinstance(reply, _Reply):
            protocol.response_bytes(*reply)
        else:
            await self._stream(reply, protocol)

    async def _stream(self, response: Response, protocol: Any) -> None:
        """Send the parts of a response as they come, until its reader goes away."""
        headers = response.headers.to_wsgi_list()
        transport = protocol.response_stream(response.status_code, headers)
        parts = response.iter_encoded()
        loop = asyncio.get_running_loop()
        gone = asyncio.ensure_future(protocol.client_disconnect())
        try:
            # The reader may also go away just then.
            with suppress(ProtocolClosed):
                await self._send(parts, transport, gone)
        finally:
            gone.cancel()
            await loop.run_in_executor(self._threads, response.close)

    async def _send(
        self, parts: Iterator[bytes], transport: Any, gone: asyncio.Future[Any]
    ) -> None:
        loop = asyncio.get_running_loop()
        while not gone.done():
            part = await loop.run_in_executor(self._threads, next, parts, None)
            if part is None:
                return
            if part:
                await transport.send_bytes(part)

    def __rsgi_del__(self, _loop: asyncio.AbstractEventLoop) -> None:
        """What the server calls when it has ended."""
        self._end()

    async def _body(self, scope: Any, protocol: Any) -> bytes:
        announced = scope.headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._most:
            raise self._too_large()
        parts: list[bytes] = []
        held = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                async for part in protocol:
                    parts.append(part)
                    held += len(part)
                    self._received += len(part)
                    if held > self._most:
                        raise self._too_large()
                    if self._received > _MOST_RECEIVED:
                        raise _Refused(
                            HTTPStatus.SERVICE_UNAVAILABLE,
                            "too many bodies are being received: ask again later",
                        )
        except TimeoutError:
            raise _Refused(
                HTTPStatus.REQUEST_TIMEOUT,
                f"the body was not there within {self._body_seconds:g} seconds: "
                "send it at once, or a smaller one",
            ) from None
        finally:
            self._received -= held
        return b"".join(parts)

    def _too_large(self) -> _Refused:
        return _Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body has more than {self._most // _MIB} MiB: ask for fewer positions at once",
        )

    def _reply(self, scope: Any, body: bytes) -> _Reply | Response:
        response = Response.from_app(self._app, _environ(scope, body))
        if response.mimetype == EVENT_STREAM:
            return response
        content = response.get_data()
        host, port = _host_and_port(scope.client)
        if not self._deliveries.admit((host, int(port)), len(content)):
            raise _Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "too many long answers are still being read: ask again later, or for fewer "
                "positions at once",
            )
        return _Reply(response.status_code, response.headers.to_wsgi_list(), content)


def _refusal(scope: Any, refused: _Refused) -> _Reply:
    address = f"{scope.path}?{scope.query_string}".rstrip("?")
    content = encode(document(refused.status, str(refused), instance=address))
    headers = [("content-type", MEDIA_TYPE), ("connection", "close")]
    if refused.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append(("retry-after", "1"))
    return _Reply(refused.status, headers, content)


def _environ(scope: Any, body: bytes) -> dict[str, Any]:
    """The request as WSGI has it (PEP 3333)."""
    server, port = _host_and_port(scope.server)
    environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # Bytes, as text: the server has read them as UTF-8.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "REMOTE_ADDR": _host_and_port(scope.client)[0],
        "SERVER_NAME": server,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        key = f"HTTP_{name.upper().replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    # The body is whole, however it came.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE", "")
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ


def _host_and_port(address: str) -> tuple[str, str]:
    """The parts of an address, of which one of IPv6 stands in brackets, and may have a zone."""
    host, _, port = address.rpartition(":")
    return host.strip("[]").partition("%")[0], port

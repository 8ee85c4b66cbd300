"""Answers on their way: how many bytes of them wait for slow readers, and for how long.

The server has an answer whole in its memory until the client has read it, waits for that without
an end, and tells nobody (granian 2.8: its streams take all at once, and its only time limit is for
heads). So the kernel is asked, which knows of each connection what the client has acknowledged.
"""

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_MIB = 1 << 20
_MOST_BYTES = 64 * _MIB
_SECONDS = 60.0
# What is shorter is not counted. A thousand connections, all there can be, hold 64 MiB of these.
SHORT = 1 << 16
_SECONDS_BETWEEN_LOOKS = 1.0

# Where the kernel's struct tcp_info has tcpi_bytes_acked and tcpi_notsent_bytes (linux/tcp.h).
_ACKNOWLEDGED = struct.Struct("=120xQ16xI")
_FAMILIES = (socket.AF_INET, socket.AF_INET6)
# No lingering: what a client that is cut off has not read is dropped.
_AT_ONCE = struct.pack("ii", 1, 0)

Peer = tuple[str, int]
"""The address and the port of a client."""


@dataclass(slots=True)
class _Connection:
    """`acknowledged` counts all bytes since the connection began; `unsent` wait in the kernel."""

    acknowledged: int
    unsent: int


@dataclass(slots=True)
class _Delivery:
    """Answers of `size` bytes, read when `mark` bytes are acknowledged, which began at `since`."""

    size: int
    mark: int
    since: float


class Deliveries:
    """Watches the answers that a server on `port` in this process sends; on Linux.

    Long ones may have `most_bytes` at a time together, and those of one client's address half of
    that. Every answer is to be read within `seconds`, else its connection is closed.
    """

    def __init__(
        self, port: int, *, most_bytes: int = _MOST_BYTES, seconds: float = _SECONDS
    ) -> None:
        self._port = port
        self._most = most_bytes
        self._seconds = seconds
        self._lock = threading.Lock()
        self._long: dict[Peer, _Delivery] = {}
        self._waiting: dict[Peer, _Delivery] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def held(self) -> int:
        """Bytes of long answers that are on their way."""
        with self._lock:
            return sum(each.size for each in self._long.values())

    def admit(self, peer: Peer, size: int) -> bool:
        """Whether an answer of `size` bytes can be sent to `peer` now, which begins with that."""
        if size <= SHORT:
            return True
        found = dict(_connections(self._port, peer))
        with self._lock:
            of_client = sum(each.size for at, each in self._long.items() if at[0] == peer[0])
            of_all = sum(each.size for each in self._long.values())
            if of_client + size > self._most // 2 or of_all + size > self._most:
                return False
            if peer in found:
                earlier = self._long.get(peer, _Delivery(0, found[peer].acknowledged, 0.0))
                size, mark = earlier.size + size, earlier.mark + size
                self._long[peer] = _Delivery(size, mark, time.monotonic())
            return True

    def _watch(self) -> None:
        while True:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            self._look()

    def _look(self) -> None:
        """Forget what has been read, and cut off who reads too slowly."""
        found = dict(_connections(self._port))
        now = time.monotonic()
        with self._lock:
            self._long = {
                peer: each
                for peer, each in self._long.items()
                if peer in found and found[peer].acknowledged < each.mark
            }
            self._waiting = {
                peer: self._still_waiting(peer, connection, now)
                for peer, connection in found.items()
                if connection.unsent
            }
            late = [
                peer
                for some in (self._long, self._waiting)
                for peer, each in some.items()
                if now - each.since > self._seconds
            ]
        for peer in late:
            _cut(self._port, peer)

    def _still_waiting(self, peer: Peer, connection: _Connection, now: float) -> _Delivery:
        """The short answer that waits at `connection`: another one where enough was read."""
        known = self._waiting.get(peer)
        if known is not None and connection.acknowledged < known.mark:
            return known
        return _Delivery(0, connection.acknowledged + SHORT, now)


def _connections(port: int, wanted: Peer | None = None) -> Iterator[tuple[Peer, _Connection]]:
    """The connections to `port` of this process, or the one of the client that is wanted."""
    for peer, opened in _sockets(port, wanted):
        with suppress(OSError, struct.error):
            told = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKNOWLEDGED.size)
            yield peer, _Connection(*_ACKNOWLEDGED.unpack(told))


def _cut(port: int, wanted: Peer) -> None:
    """Close the connection of a client: its server finds out by itself."""
    for _, opened in _sockets(port, wanted):
        with suppress(OSError):
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            opened.shutdown(socket.SHUT_RDWR)


def _sockets(port: int, wanted: Peer | None) -> Iterator[tuple[Peer, socket.socket]]:
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError), _borrowed(int(name)) as opened:
            if opened.family not in _FAMILIES or opened.getsockname()[1] != port:
                continue
            host, client_port = opened.getpeername()[:2]
            if wanted is None or wanted == (host, client_port):
                yield (host, client_port), opened


@contextmanager
def _borrowed(descriptor: int) -> Iterator[socket.socket]:
    """The socket of a descriptor, which the server may close meanwhile.

    The descriptor is neither copied nor closed: that would take away the locks that this process
    has on a file, a book (https://www.sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        OSError: if it is of something else.
    """
    opened = socket.socket(fileno=descriptor)
    try:
        yield opened
    finally:
        opened.detach()

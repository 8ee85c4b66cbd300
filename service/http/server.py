"""The production server: granian around the web application.

The first process supervises; each worker process opens the books and loads the engine before it
listens, so that no request waits for either.
"""

import multiprocessing
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from errno import EADDRINUSE
from functools import partial
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from engine.warm import load_searchers
from service.errors import CannotListen
from service.http import metrics
from service.http.admission import check_hosts
from service.http.settings import Settings
from service.resident import set_aside

if TYPE_CHECKING:
    from service.answerer import Answerer
    from service.http.reception import Reception

# How long after the last answer could be due a worker that was told to stop is killed.
_GRACE = 3
# After so long a connection is closed that has not sent the head of a request, the first or a
# further one.
_SILENCE_MS = 10_000


def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `announce` gets the URL as soon as it answers.

    Raises:
        InvalidOptions: if it is to listen on all addresses and by no names.
        CannotListen: if the address or port cannot be had.
        SystemExit: if a worker process dies.
    """
    check_hosts(settings)
    address = _free_address(settings.host, settings.port)
    if settings.workers > 1:
        # So that they find the machine code ready, and do not each compile it.
        load_searchers()
    # A forked worker would inherit this process's threads and the engine's state half-way.
    multiprocessing.set_start_method("spawn", force=True)
    shared = metrics.share() if settings.workers > 1 else nullcontext()
    server = Granian(
        "service.http.app",
        address=address,
        port=settings.port,
        interface=Interfaces.RSGI,
        # HTTP/2 would let one connection hold hundreds of requests, and idle for ever.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_SILENCE_MS),
        workers=settings.workers,
        workers_kill_timeout=round(settings.movetime_cap) + _GRACE,
        websockets=False,
        log_level=LogLevels.error,
    )
    url = f"http://[{address}]" if ":" in address else f"http://{address}"
    url = f"{url}:{settings.port}"
    threading.Thread(target=_announce_when_up, args=(url, announce), daemon=True).start()
    with shared:
        server.serve(target_loader=partial(_load_app, settings), wrap_loader=False)


def _load_app(settings: Settings) -> "Reception":
    """The application, in a worker process that is about to listen."""
    # Ctrl-C reaches every process of the terminal's foreground group. Only the supervisor is to
    # act on it, else it takes the end of its workers for a crash.
    os.setpgrp()
    supervisor = multiprocessing.parent_process()
    assert supervisor is not None
    threading.Thread(target=_end_after, args=(supervisor.join,), daemon=True).start()
    from service.http.app import create_app
    from service.http.deliveries import Deliveries
    from service.http.reception import Reception

    app = create_app(settings)
    load_searchers()
    set_aside()
    end = partial(_end, app.extensions["answerer"])
    return Reception(
        app,
        threads=settings.threads_per_worker,
        deliveries=Deliveries(settings.port),
        end=end,
    )


def _end(answerer: "Answerer") -> None:
    """End a worker process that has answered its last request."""
    answerer.close()
    sys.stderr.flush()
    # Python's own way out unwinds the server's threads, on which they abort the process.
    os._exit(0)


def _end_after(supervisor_ends: Callable[[], None]) -> None:
    """Leave no orphan on the port after a supervisor that was killed."""
    supervisor_ends()
    os._exit(1)


def _announce_when_up(url: str, announce: Callable[[str], None]) -> None:
    while True:
        try:
            with closing(urlopen(f"{url}/healthz", timeout=1)):
                break
        except (URLError, OSError):
            time.sleep(0.05)
    announce(url)


def _free_address(host: str, port: int) -> str:
    """The numeric address of `host`, on which nothing else listens.

    Workers share the port through SO_REUSEPORT, which would also let a second server of the
    same user share it unseen.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise CannotListen(
                f"port {port} on {host} is in use: end what uses it, or name another with --port"
            ) from error
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return str(address[0])

"""The options of the service."""

import os
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import ceil
from typing import Any

from book.storage.address import AnyAddress
from engine.search import SearchOptions

# Threads kept for lookups however many live searches run and wait. A lookup takes a few
# milliseconds, so these are plenty; each further one only competes for the interpreter.
_LOOKUP_THREADS = 4


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


class AccessLog(StrEnum):
    """How requests are logged, on standard output."""

    NONE = "none"
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Settings:
    """How the service runs. Times are in seconds."""

    books: tuple[AnyAddress, ...] = _option(
        (), "Books to answer from; none: every answer is searched."
    )
    host: str = _option("127.0.0.1", "Address to listen on.")
    port: int = _option(8000, "Port to listen on.")
    allowed_hosts: str = _option(
        "",
        "Names and addresses by which it may be asked besides those of this machine alone and "
        "--host, with commas between them; '*': any. Needed where --host listens on all addresses.",
    )
    movetime: float = _option(
        0.5, "Time of a live search if the question gives none. Default: 500ms."
    )
    movetime_cap: float = _option(
        5.0, "Longest live search: a longer movetime is cut to this. Default: 5s."
    )
    movetime_floor: float = _option(
        0.1,
        "Time to which the movetime of a live search shrinks while others wait, if it was longer. "
        "Default: 100ms.",
    )
    live_searches: int = field(
        default_factory=_processors,
        metadata={"help": "Live searches at once, over all workers. Default: one a processor."},
    )
    workers: int = _option(1, "Processes that answer.")
    threads: int = _option(1, "Threads of each live search.")
    table: int = _option(SearchOptions().table, "Transposition table of each live search, in MiB.")

    count_misses: bool = _option(
        True,
        "Count the positions that no book held, in BOOK.misses, for fivebook build --mode learn.",
    )

    live_rate: str = _option(
        "", "Live searches that one client may ask for in a time, such as 30/minute; none: any."
    )
    rate_storage: str = _option(
        "memory://",
        "Where those are counted: memory:// of each worker, or a server that all share, such as "
        "redis://HOST (which needs the package redis).",
    )
    cors: str = _option(
        "",
        "Origins of pages that may ask from a browser, such as https://example.org, with commas "
        "between them; '*': any.",
    )
    url_prefix: str = _option("", "Path below which it is reached, such as /fivebook.")
    proxies: int = _option(
        0, "Proxies in front whose X-Forwarded headers are believed: for, proto, host and prefix."
    )
    access_log: str = _option(
        "none", "Log of all requests on standard output: text, json (both one line each) or none."
    )

    @property
    def search_options(self) -> SearchOptions:
        """What each live search is given."""
        return SearchOptions(self.threads, self.table)

    @property
    def live_searches_per_worker(self) -> int:
        """The share of one process."""
        return ceil(self.live_searches / self.workers)

    @property
    def waiting_per_worker(self) -> int:
        """How many live searches may wait for a running one in one process."""
        return self.live_searches_per_worker

    @property
    def threads_per_worker(self) -> int:
        """Threads that answer requests in one process.

        Every running and every waiting live search can hold a thread for seconds; the rest
        stay free for lookups. Measured on two processors: with one thread a lookup waits until
        the search has ended, with eight it takes some 6 ms while two searches run; the price
        is a quarter to a third of the lookups a second when nothing is searched.
        """
        return self.live_searches_per_worker + self.waiting_per_worker + _LOOKUP_THREADS


def help_of(name: str) -> str:
    """What the option called `name` does."""
    return str(next(option.metadata["help"] for option in fields(Settings) if option.name == name))

"""Commands read ahead, so that one to stop reaches a search that is running."""

from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Event, Thread

STOPS, END = ("STOP", "YXSTOP"), "END"

_SECONDS_BETWEEN_STOPS = 0.005


def read_ahead(lines: Iterable[str], stop: Callable[[], None]) -> Iterator[str]:
    """The `lines` as they come, read by a thread that calls `stop` where one of them says so.

    It calls until that line is taken: the search which is to stop may not have begun. Nothing is
    read behind the line END.
    """
    read: SimpleQueue[str | None] = SimpleQueue()
    taken = Event()

    def listen() -> None:
        try:
            for line in lines:
                read.put(line)
                if _is_stop(line):
                    while not taken.wait(_SECONDS_BETWEEN_STOPS):
                        stop()
                    taken.clear()
                if line.strip().upper() == END:
                    break
        finally:
            read.put(None)

    Thread(target=listen, daemon=True).start()
    while (line := read.get()) is not None:
        if _is_stop(line):
            taken.set()
        yield line


def _is_stop(line: str) -> bool:
    return line.strip().upper() in STOPS

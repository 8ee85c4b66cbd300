"""``/live``: a live search that tells what it has found so far, as server-sent events."""

from collections.abc import Generator, Iterable, Iterator
from itertools import chain

from apiflask import APIBlueprint
from flask import Response

from service.answers import Answer
from service.http import access
from service.http.asking import Asking
from service.http.documents import encode
from service.http.problems import address, unexpected
from service.http.questions import LinesQuestion
from service.http.routes import Told, route
from service.notated import NotatedAnswer

EVENT_STREAM = "text/event-stream"

_Found = tuple[Answer, bool]
_Stream = Generator[_Found | None, None, None]


def register(api: APIBlueprint, asking: Asking) -> None:
    """Add the route to `api`."""
    example = _event("answer", encode(NotatedAnswer.of(asking.examples.known))).decode()
    told = Told(NotatedAnswer, example, (400, 404, 429, 500, 503), EVENT_STREAM)

    @route(api, "/live", "live", LinesQuestion, told)
    def live(question: LinesQuestion) -> Response:
        """All that is known of one position, while a live search finds it out.

        A stream of events. `progress` has what is known so far, in the form of the answer at
        /position: whenever the search is deeper or has found another move, and twice a second.
        `answer`, the last one, has what /position would have answered; it comes at once where a
        book or a proof has it. Instead of it a `problem` has a problem document, if something goes
        wrong meanwhile. The search ends when its reader goes away.
        """
        found = asking.answerer.follow(
            asking.inquiry(question),
            asking.limits(question.movetime),
            book_only=question.book_only,
            lines=question.lines,
        )
        # What cannot be answered at all is a problem by its status.
        first = next(found)
        if first is not None:
            access.note(first[0])
        response = Response(_Events(first, found, address()), mimetype=EVENT_STREAM)
        response.headers["Cache-Control"] = "no-store"
        # A proxy would hold back what is short.
        response.headers["X-Accel-Buffering"] = "no"
        return response


class _Events(Iterator[bytes]):
    """The events of a stream; empty bytes where for a moment there was nothing to tell.

    It is asked at the address `instance`. To be closed, whether it was read or not.
    """

    def __init__(self, first: _Found | None, found: _Stream, instance: str) -> None:
        self._found = found
        self._events = self._told(chain((first,), found))
        self._instance = instance

    def __next__(self) -> bytes:
        return next(self._events)

    def close(self) -> None:
        """End the search."""
        self._found.close()

    def _told(self, found: Iterable[_Found | None]) -> Iterator[bytes]:
        try:
            for each in found:
                if each is None:
                    yield b""
                else:
                    answer, is_final = each
                    name = "answer" if is_final else "progress"
                    yield _event(name, encode(NotatedAnswer.of(answer)))
        except Exception as error:
            # The status is sent: an event has to tell it.
            yield _event("problem", encode(unexpected(error, self._instance)))


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)

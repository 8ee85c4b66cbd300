"""Many positions at once: each distinct one is read, looked up and written out once."""

import time
from collections.abc import Iterable, Sequence
from http import HTTPStatus

from msgspec import Raw

from engine.errors import IllegalMove, InvalidMove
from engine.game import Game
from service.answerer import Answerer
from service.errors import AnswerTooLarge, TooBusy
from service.http import problems
from service.http.documents import Batch, encode
from service.http.questions import MAX_BATCH
from service.inquiry import Inquiry
from service.notated import NotatedAnswer
from service.seats import Seats

_MIB = 1 << 20
_MOST_BYTES = 16 * _MIB
# A second: a batch of all seats takes less.
_RETRY_AFTER = 1.0


class Batches:
    """Answers batches of positions from `answerer`.

    All batches that are looked up at one time have as many seats together as one may have
    positions, and each takes one for every distinct position. A document has at most `most_bytes`.
    """

    def __init__(self, answerer: Answerer, *, most_bytes: int = _MOST_BYTES) -> None:
        self._answerer = answerer
        self._most_bytes = most_bytes
        self._seats = Seats(MAX_BATCH)

    def answer(
        self,
        game: Game,
        positions: Sequence[str],
        *,
        movetime: float,
        total: float,
        book_only: bool,
        each_error: bool,
    ) -> bytes:
        """The answers as a JSON document; see `Answerer.answer_each` for the times.

        With `each_error` a position that is none has a problem document in its place.

        Raises:
            InvalidMove: without `each_error`, if one of the positions cannot be read.
            IllegalMove: or if one cannot come about.
            AnswerTooLarge: if the document would be longer than answers may be.
            TooBusy: if too many positions are asked for at once.
        """
        since = time.perf_counter_ns()
        places = {text: index for index, text in reversed(list(enumerate(positions)))}
        written: dict[str, bytes] = {}
        inquiries: dict[str, Inquiry] = {}
        with self._seats.taken(len(places)) as are_free:
            if not are_free:
                raise TooBusy(
                    "too many positions of other batches are being looked up: ask again later, or "
                    "for fewer at once",
                    _RETRY_AFTER,
                )
            for text, index in sorted(places.items(), key=lambda place: place[1]):
                try:
                    inquiries[text] = Inquiry.read(game, text)
                except (InvalidMove, IllegalMove) as error:
                    told = type(error)(f"positions.{index}: {error}")
                    if not each_error:
                        raise told from error
                    written[text] = _problem(told, index)
            asked = list(inquiries.values())
            answers = self._answerer.stored_each(asked)
        if not book_only:
            answers = self._answerer.search_missing(asked, answers, movetime=movetime, total=total)
        for text, answer in zip(inquiries, answers, strict=True):
            written[text] = b"null" if answer is None else encode(NotatedAnswer.of(answer))
        self._check_length(sum(len(written[text]) for text in positions))
        elapsed_us = (time.perf_counter_ns() - since) // 1000
        return _document(game, (written[text] for text in positions), elapsed_us)

    def _check_length(self, length: int) -> None:
        if length > self._most_bytes:
            raise AnswerTooLarge(
                f"the answer would have {length / _MIB:.1f} MiB, and may have "
                f"{self._most_bytes / _MIB:g}: ask for fewer positions at once"
            )


def _problem(error: Exception, index: int) -> bytes:
    problem = problems.document(
        HTTPStatus.BAD_REQUEST,
        str(error),
        kind=type(error).__name__,
        instance=f"/api/v1/positions#/positions/{index}",
    )
    return encode(problem)


def _document(game: Game, answers: Iterable[bytes], elapsed_us: int) -> bytes:
    return encode(Batch(game.id, [Raw(answer) for answer in answers], elapsed_us))

"""``/position``, ``/best`` and ``/positions``: what is known of one position, or of many."""

from dataclasses import replace
from http import HTTPMethod

from apiflask import APIBlueprint
from flask import Response

from service.answers import Answer
from service.http import access, caching
from service.http.asking import Asking
from service.http.batches import Batches
from service.http.documents import JSON, Batch, respond
from service.http.questions import (
    BatchQuestion,
    BestQuestion,
    Errors,
    LinesQuestion,
    PositionQuestion,
)
from service.http.routes import Told, route
from service.notated import BestMove, NotatedAnswer
from service.play.variety import Variety

_ONE = (304, 400, 404, 429, 500, 503)
_MANY = (400, 408, 413, 415, 429, 500, 503)


def register(api: APIBlueprint, asking: Asking) -> None:
    """Add the routes to `api`."""
    batches = Batches(asking.answerer)
    examples = asking.examples

    def answer(asked: PositionQuestion, *, lines: int, best_only: bool = False) -> Answer:
        found = asking.answerer.answer(
            asking.inquiry(asked),
            asking.limits(asked.movetime),
            book_only=asked.book_only,
            best_only=best_only,
            lines=lines,
        )
        access.note(found)
        return found

    @route(api, "/position", "position", LinesQuestion, Told(NotatedAnswer, examples.answer, _ONE))
    def position(question: LinesQuestion) -> Response:
        """All that is known of one position.

        From the books, else from a live search within movetime.
        """
        return respond(NotatedAnswer.of(answer(question, lines=question.lines)))

    @route(api, "/best", "best", BestQuestion, Told(BestMove, examples.best, _ONE))
    def best(question: BestQuestion) -> Response:
        """The best move of one position, and little more.

        With a margin, another good move of a book at times. The value is that of the position.
        """
        if not question.book_margin:
            return respond(BestMove.of(answer(question, lines=0, best_only=True)))
        found = answer(question, lines=0)
        if found.moves and found.method is None:
            variety = Variety(question.book_margin, question.seed)
            found = replace(found, moves=(variety.choose(found.moves, found.position),))
        response = respond(BestMove.of(found))
        if question.seed is None:
            caching.forbid(response)
        return response

    answers = {"game": examples.game.id, "answers": [examples.answer, None], "elapsed_us": 122}
    batch = Told(Batch, answers, _MANY)

    @route(api, "/positions", "positions", BatchQuestion, batch, method=HTTPMethod.POST)
    def positions(question: BatchQuestion) -> Response:
        """All that is known of each of many positions.

        Positions that no book holds are searched one after the other, each for at most
        movetime, all together for at most the server's cap on movetime, in equal shares;
        with book_only their answer is null. Equal positions are answered once.
        """
        document = batches.answer(
            asking.answerer.game(question.game),
            question.positions,
            movetime=asking.seconds(question.movetime),
            total=asking.settings.movetime_cap,
            book_only=question.book_only,
            each_error=question.errors is Errors.EACH,
        )
        return Response(document, mimetype=JSON)

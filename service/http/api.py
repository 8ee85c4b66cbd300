"""The JSON API, version 1."""

from typing import Any
from urllib.parse import quote

from apiflask import APIBlueprint
from flask import Response

from engine.search import Limits
from service.answerer import Answerer
from service.answers import Answer
from service.http.batches import Batches
from service.http.documents import (
    AnswerDocument,
    BatchDocument,
    BestMoveDocument,
    BooksDocument,
    Problem,
)
from service.http.problems import MEDIA_TYPE
from service.http.questions import (
    BatchQuestion,
    BookQuestion,
    Errors,
    LinesQuestion,
    PositionQuestion,
)
from service.http.settings import Settings
from service.inquiry import Inquiry
from service.notated import BestMove, NotatedAnswer

_MEANINGS = {
    400: "Something is wrong with the question.",
    404: "Only books were asked, and none holds the position.",
    408: "The body was not there in time.",
    413: "The body is too large.",
    415: "The body is not said to be JSON.",
    500: "A book cannot be read any more, or the service is at fault; its log says why.",
    503: "Too many live searches are waiting to answer within the movetime, or too many positions "
    "are asked for at once, or too long answers are still being read, or a book is out of reach "
    "and only books were asked.",
}


def refusals(*statuses: int) -> dict[int | str, Any]:
    """The problem documents of a route, as OpenAPI responses."""
    content = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
    return {status: {"description": _MEANINGS[status], "content": content} for status in statuses}


def blueprint(answerer: Answerer, settings: Settings) -> APIBlueprint:
    """The routes under ``/api/v1``, which ask `answerer`."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")
    batches = Batches(answerer)

    @api.after_request
    def name_what_is_away(response: Response) -> Response:
        if answerer.away:
            response.headers["Fivebook-Away"] = ", ".join(map(quote, answerer.away))
        return response

    def seconds(movetime: float | None) -> float:
        wanted = settings.movetime if movetime is None else movetime / 1000
        return min(wanted, settings.movetime_cap)

    def answer(asked: PositionQuestion, *, lines: int, best_only: bool = False) -> Answer:
        return answerer.answer(
            Inquiry.read(answerer.game(asked.game), asked.moves),
            Limits(movetime=seconds(asked.movetime)),
            book_only=asked.book_only,
            best_only=best_only,
            lines=lines,
        )

    @api.get("/position")
    @api.input(LinesQuestion, location="query", arg_name="question")
    @api.output(AnswerDocument)
    @api.doc(responses=refusals(400, 404, 500, 503))
    def position(question: LinesQuestion) -> AnswerDocument:
        """All that is known of one position.

        From the books, else from a live search within movetime.
        """
        return AnswerDocument(NotatedAnswer.of(answer(question, lines=question.lines)))

    @api.get("/best")
    @api.input(PositionQuestion, location="query", arg_name="question")
    @api.output(BestMoveDocument)
    @api.doc(responses=refusals(400, 404, 500, 503))
    def best(question: PositionQuestion) -> BestMoveDocument:
        """The best move of one position, and little more."""
        return BestMoveDocument(BestMove.of(answer(question, lines=0, best_only=True)))

    @api.post("/positions")
    @api.input(BatchQuestion, location="json", arg_name="question")
    @api.output(BatchDocument)
    @api.doc(responses=refusals(400, 408, 413, 415, 500, 503))
    def positions(question: BatchQuestion) -> Response:
        """All that is known of each of many positions.

        Positions that no book holds are searched one after the other, each for at most
        movetime, all together for at most the server's cap on movetime, in equal shares;
        with book_only their answer is null. Equal positions are answered once.
        """
        document = batches.answer(
            answerer.game(question.game),
            question.positions,
            movetime=seconds(question.movetime),
            total=settings.movetime_cap,
            book_only=question.book_only,
            each_error=question.errors is Errors.EACH,
        )
        return Response(document, mimetype="application/json")

    @api.get("/books")
    @api.input(BookQuestion, location="query", arg_name="question")
    @api.output(BooksDocument)
    @api.doc(responses=refusals(400, 500))
    def books(question: BookQuestion) -> BooksDocument:
        """The books that are served, their games and how many positions they hold."""
        return BooksDocument(books=answerer.books())

    return api

"""The JSON API, version 1."""

import time
from collections.abc import Sequence
from typing import Any

from apiflask import APIBlueprint

from engine.errors import IllegalMove, InvalidMove
from engine.game import Game
from engine.search import Limits
from service.answerer import Answerer
from service.answers import Answer
from service.http.documents import (
    AnswerDocument,
    BatchDocument,
    BestMoveDocument,
    BooksDocument,
    Problem,
)
from service.http.problems import MEDIA_TYPE
from service.http.questions import BatchQuestion, BookQuestion, LinesQuestion, PositionQuestion
from service.http.settings import Settings
from service.inquiry import Inquiry
from service.notated import BestMove, NotatedAnswer

_MEANINGS = {
    400: "Something is wrong with the question.",
    404: "Only books were asked, and none holds the position.",
    503: "Too many live searches are waiting to answer within the movetime.",
}


def _refusals(*statuses: int) -> dict[int | str, Any]:
    """The problem documents of a route, as OpenAPI responses."""
    content = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
    return {status: {"description": _MEANINGS[status], "content": content} for status in statuses}


def blueprint(answerer: Answerer, settings: Settings) -> APIBlueprint:
    """The routes under ``/api/v1``, which ask `answerer`."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")

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
    @api.doc(responses=_refusals(400, 404, 503))
    def position(question: LinesQuestion) -> AnswerDocument:
        """All that is known of one position.

        From the books, else from a live search within movetime.
        """
        return AnswerDocument(NotatedAnswer.of(answer(question, lines=question.lines)))

    @api.get("/best")
    @api.input(PositionQuestion, location="query", arg_name="question")
    @api.output(BestMoveDocument)
    @api.doc(responses=_refusals(400, 404, 503))
    def best(question: PositionQuestion) -> BestMoveDocument:
        """The best move of one position, and little more."""
        return BestMoveDocument(BestMove.of(answer(question, lines=0, best_only=True)))

    @api.post("/positions")
    @api.input(BatchQuestion, location="json", arg_name="question")
    @api.output(BatchDocument)
    @api.doc(responses=_refusals(400, 503))
    def positions(question: BatchQuestion) -> BatchDocument:
        """All that is known of each of many positions.

        Positions that no book holds are searched one after the other, each for at most
        movetime, all together for at most the server's cap on movetime, in equal shares;
        with book_only their answer is null.
        """
        since = time.perf_counter_ns()
        game = answerer.game(question.game)
        answers = answerer.answer_each(
            _read_each(game, question.positions),
            movetime=seconds(question.movetime),
            total=settings.movetime_cap,
            book_only=question.book_only,
        )
        notated = [None if each is None else NotatedAnswer.of(each) for each in answers]
        elapsed_us = (time.perf_counter_ns() - since) // 1000
        return BatchDocument(game=game.id, answers=notated, elapsed_us=elapsed_us)

    @api.get("/books")
    @api.input(BookQuestion, location="query", arg_name="question")
    @api.output(BooksDocument)
    @api.doc(responses=_refusals(400))
    def books(question: BookQuestion) -> BooksDocument:
        """The books that are served, their games and how many positions they hold."""
        return BooksDocument(books=answerer.books())

    return api


def _read_each(game: Game, positions: Sequence[str]) -> list[Inquiry]:
    """Inquiries about the positions after these moves; an error says which it is about."""
    inquiries: list[Inquiry] = []
    for index, moves in enumerate(positions):
        try:
            inquiries.append(Inquiry.read(game, moves))
        except (InvalidMove, IllegalMove) as error:
            raise type(error)(f"positions.{index}: {error}") from error
    return inquiries

"""The JSON API, version 1; the routes of each noun are in a module of their own."""

from urllib.parse import quote

from apiflask import APIBlueprint
from flask import Response
from msgspec import to_builtins

from service.answerer import Answerer
from service.answers import BookGame, BookSummary
from service.http import live, positions, walks
from service.http.asking import Asking
from service.http.documents import Books, respond
from service.http.questions import BookQuestion
from service.http.routes import Told, route
from service.http.settings import Settings

DOCUMENTS = walks.DOCUMENTS


def blueprint(answerer: Answerer, settings: Settings) -> APIBlueprint:
    """The routes under ``/api/v1``, which ask `answerer`."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")
    asking = Asking(answerer, settings)

    @api.after_request
    def name_what_is_away(response: Response) -> Response:
        if answerer.away:
            response.headers["Fivebook-Away"] = ", ".join(map(quote, answerer.away))
        return response

    for noun in (positions, live, walks):
        noun.register(api, asking)

    game = asking.examples.game
    book = BookSummary("small.db", (BookGame(game.id, game.title, 300),))

    @route(
        api,
        "/books",
        "books",
        BookQuestion,
        Told(Books, {"books": [to_builtins(book)]}, (400, 500)),
    )
    def books(question: BookQuestion) -> Response:
        """The books that are served, their games and how many positions they hold."""
        return respond(Books(answerer.books()))

    return api

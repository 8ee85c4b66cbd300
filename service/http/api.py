"""The JSON API, version 1; the routes of each noun are in a module of their own."""

from urllib.parse import quote

from apiflask import APIBlueprint
from flask import Response

from service.answerer import Answerer
from service.http import books, live, positions, walks
from service.http.asking import Asking
from service.http.settings import Settings

DOCUMENTS = (*walks.DOCUMENTS, *books.DOCUMENTS)


def blueprint(answerer: Answerer, settings: Settings) -> APIBlueprint:
    """The routes under ``/api/v1``, which ask `answerer`."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")
    asking = Asking(answerer, settings)

    @api.after_request
    def name_what_is_away(response: Response) -> Response:
        if answerer.away:
            response.headers["Fivebook-Away"] = ", ".join(map(quote, answerer.away))
        return response

    for noun in (positions, live, walks, books):
        noun.register(api, asking)
    return api

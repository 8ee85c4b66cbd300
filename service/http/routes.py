"""How a route is described, asked and refused: each in one place for all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPMethod
from typing import Any

from apiflask import APIBlueprint, APIFlask
from flask import Response, request

from service.http.documents import JSON, Problem, reference
from service.http.problems import MEDIA_TYPE
from service.http.questions import BookQuestion

_NOT_MODIFIED = 304
_MEANINGS = {
    304: "The answer is still the one that If-None-Match names.",
    400: "Something is wrong with the question.",
    404: "Only books were asked, and none holds the position; or none tells what was asked for.",
    408: "The body was not there in time.",
    413: "The body is too large.",
    415: "The body is not said to be JSON.",
    429: "Too many live searches for one client; Retry-After tells when to ask again.",
    500: "A book cannot be read any more, or the service is at fault; its log says why.",
    503: "Too many live searches are waiting to answer within the movetime, or too many positions "
    "are asked for at once, or too long answers are still being read, or a book is out of reach "
    "and only books were asked.",
}

# One event of a stream, which is how programs read them.
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["progress", "answer", "problem"]},
        "data": {"type": "string", "contentMediaType": JSON},
    },
}

View = Callable[..., Response]
"""Takes a question, and by name what stands for the variable parts of its path."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a route answers: a document, with an example of it, and the statuses it refuses with."""

    document: type[Any]
    example: Mapping[str, Any] | str
    refused: tuple[int, ...] = ()
    media_type: str = JSON

    @property
    def responses(self) -> dict[int | str, Any]:
        """All of it as OpenAPI has it."""
        schema = reference(self.document) if self.media_type == JSON else _EVENT
        content = {self.media_type: {"schema": schema, "example": self.example}}
        summary = (self.document.__doc__ or "").partition("\n")[0]
        return {200: {"description": summary, "content": content}} | refusals(*self.refused)


def refusals(*statuses: int) -> dict[int | str, Any]:
    """What a route answers with these statuses, as OpenAPI has it; problem documents mostly."""
    problem = {"content": {MEDIA_TYPE: {"schema": reference(Problem)}}}
    return {
        status: {"description": _MEANINGS[status], **(problem if status != _NOT_MODIFIED else {})}
        for status in statuses
    }


def route(
    api: APIBlueprint | APIFlask,
    path: str,
    operation_id: str,
    question: type[BookQuestion],
    told: Told,
    *,
    method: HTTPMethod = HTTPMethod.GET,
) -> Callable[[View], View]:
    """Have the view answer at `path` what is asked there, and the description tell of it.

    The view gets the question, which is in the body of a POST, else in the query. Its docstring
    is the description.
    """
    is_body = method is HTTPMethod.POST

    def register(view: View) -> View:
        # For the description alone: what it wraps around the view takes longer than all else.
        location = "json" if is_body else "query"
        described: Any = api.input(question, location=location)(view)

        @wraps(view)
        def asked(**place: str) -> Response:
            given = request.get_json() if is_body else request.args.to_dict()
            return view(question.model_validate(given), **place)

        asked._spec = described._spec  # type: ignore[attr-defined]
        asked.takes_question = not is_body  # type: ignore[attr-defined]
        told_of = api.doc(operation_id=operation_id, responses=told.responses)(asked)
        api.add_url_rule(path, operation_id, told_of, methods=[method])
        return view

    return register

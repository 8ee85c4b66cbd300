"""The one place that turns errors into HTTP statuses and problem documents (RFC 9457).

400  whatever is wrong with the question
404  an unknown address; a position that no book holds or proves, where only books were asked
405, 408, 413, …  as HTTP has them
429  too many live searches for one client; with Retry-After
500  a book that cannot be read any more, and mistakes of this program
503  too busy to keep the movetime, or a book is out of reach; with Retry-After
"""

import logging
import re
from http import HTTPStatus

from flask import Flask, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from book.errors import BookAway, BookError, PositionNotFound
from engine.errors import FivebookError
from service.errors import NotProven, TooBusy, TooManySearches
from service.http.documents import Problem, encode

MEDIA_TYPE = "application/problem+json"

_log = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """Have `app` answer every error with a problem document."""
    app.register_error_handler(FivebookError, _of_ours)
    app.register_error_handler(ValidationError, _of_validation)
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(Exception, _of_anything)


def _of_ours(error: FivebookError) -> Response:
    status = _status(error)
    response = _problem(status, str(error), kind=type(error).__name__)
    if isinstance(error, TooBusy):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, BookAway):
        response.headers["Retry-After"] = "1"
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("%s: %s", type(error).__name__, error)
    return response


def _status(error: FivebookError) -> HTTPStatus:
    match error:
        case PositionNotFound() | NotProven():
            return HTTPStatus.NOT_FOUND
        case TooManySearches():
            return HTTPStatus.TOO_MANY_REQUESTS
        case TooBusy() | BookAway():
            return HTTPStatus.SERVICE_UNAVAILABLE
        case BookError():
            return HTTPStatus.INTERNAL_SERVER_ERROR
    return HTTPStatus.BAD_REQUEST


def _of_validation(error: ValidationError) -> Response:
    return _problem(HTTPStatus.BAD_REQUEST, _sentence(error), kind="InvalidQuestion")


def _sentence(error: ValidationError) -> str:
    """The first thing that is wrong; the others show once it is mended."""
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    match first["type"]:
        case "extra_forbidden":
            return f"unknown parameter '{where}'"
        case "missing":
            return f"parameter '{where}' is missing"
        case "model_type":
            return "the body must be a JSON object"
    reason = first["msg"][0].lower() + first["msg"][1:]
    given = first["input"]
    if not where:
        return reason
    if isinstance(given, str | int | float):
        return f"{where} '{given}': {reason}"
    return f"{where}: {reason}"


def _of_http(error: HTTPException) -> Response:
    if error.code is None or error.code < HTTPStatus.BAD_REQUEST:
        return Response(error.get_body(), error.code, error.get_headers())
    match error:
        case NotFound():
            detail = f"there is nothing at {request.path}; / lists what there is"
        case MethodNotAllowed():
            allowed = " or ".join(sorted(error.valid_methods or ()))
            detail = f"{request.method} is not possible at {request.path}, only {allowed}"
        case _:
            detail = error.description or error.name
    response = _problem(HTTPStatus(error.code), detail)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response


def _of_anything(error: Exception) -> Response:
    problem = unexpected(error, address())
    return Response(encode(problem), problem.status, mimetype=MEDIA_TYPE)


def unexpected(error: Exception, instance: str) -> Problem:
    """What is told of a mistake of this program at the address `instance`; the log has more."""
    _log.error("unexpected error at %s", instance, exc_info=error)
    return document(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "the service failed to answer; its log says why",
        instance=instance,
    )


def address() -> str:
    """The address of the present request, as problems name it."""
    return request.full_path.rstrip("?")


def _problem(status: HTTPStatus, detail: str, *, kind: str | None = None) -> Response:
    problem = document(status, detail, kind=kind, instance=address())
    return Response(encode(problem), status, mimetype=MEDIA_TYPE)


def document(status: HTTPStatus, detail: str, *, instance: str, kind: str | None = None) -> Problem:
    """A problem document; without `kind` it is that of the status itself."""
    words = re.findall("[A-Z][a-z]*", kind) if kind else []
    return Problem(
        type=f"urn:fivebook:{'-'.join(words).lower()}" if words else "about:blank",
        title=" ".join(words).capitalize() if words else status.phrase,
        status=status,
        detail=detail,
        instance=instance,
    )

"""What others may keep of answers, and how long ones are compressed."""

import gzip
from hashlib import blake2b

import zstandard
from flask import Flask, Response, g, request

from service.answers import Answer, Source

# A proof stays true, whatever book comes next.
_SECONDS_OF_PROOF = 3600
_KEPT_BY_NOBODY = "no-store"
_SHORT = 1024
_GZIP_LEVEL = 5
_TIME_TAKEN = b',"elapsed_us"'


def register(app: Flask) -> None:
    """Have `app` mark the answers of books, and compress what is long."""
    # The one that is registered last is done first.
    app.after_request(_compress)
    app.after_request(_mark)


def forbid(response: Response) -> None:
    """Have nobody keep an answer that may be another one the next time."""
    response.headers["Cache-Control"] = _KEPT_BY_NOBODY


def _mark(response: Response) -> Response:
    """Tell how long an answer is good for, and whether the client has it already."""
    answer: Answer | None = g.get("answer")
    if answer is None or response.is_streamed or response.status_code != 200:
        return response
    if response.headers.get("Cache-Control") == _KEPT_BY_NOBODY:
        return response
    if answer.method is not None:
        forbid(response)
        return response
    kept = f"max-age={_SECONDS_OF_PROOF}" if answer.source is Source.PROOF else "no-cache"
    response.headers["Cache-Control"] = f"public, {kept}"
    # The tag is weak: the time that an answer took is in it, and does not count.
    told = response.get_data().rpartition(_TIME_TAKEN)[0]
    response.set_etag(blake2b(told, digest_size=12).hexdigest(), weak=True)
    if "If-None-Match" in request.headers:
        response.make_conditional(request)
    return response


def _compress(response: Response) -> Response:
    if response.is_streamed or (response.content_length or 0) < _SHORT:
        return response
    if response.headers.get("Content-Encoding") is not None:
        return response
    response.vary.add("Accept-Encoding")
    encoding = request.accept_encodings.best_match(("zstd", "gzip", "identity"), "identity")
    if encoding == "zstd":
        response.set_data(zstandard.compress(response.get_data()))
    elif encoding == "gzip":
        response.set_data(gzip.compress(response.get_data(), _GZIP_LEVEL, mtime=0))
    else:
        return response
    response.headers["Content-Encoding"] = encoding
    return response

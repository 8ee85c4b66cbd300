"""The pages for people: the board, the books, and what programs can ask."""

import gzip
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.exceptions import NotFound

from engine import __version__
from engine.registry import families
from service.answerer import Answerer

_STATIC = Path(__file__).parent / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_A_YEAR = 365 * 24 * 3600
# Each page's script, and the modules it needs at once: a browser that is told of them does not
# find them one by one.
MODULES = {
    "app.js": (
        "api.js", "board.js", "chart.js", "chooser.js", "dom.js", "explore.js", "files.js",
        "hand.js", "imported.js", "known.js", "opening.js", "openings.js", "play.js", "proof.js",
        "rules.js", "session.js", "sgf.js", "texts.en.js", "theme-choice.js", "words.js",
    ),
    "book.js": (
        "api.js", "board.js", "chart.js", "dom.js", "rules.js", "texts.en.js", "theme-choice.js",
    ),
}  # fmt: skip
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def blueprint(answerer: Answerer) -> Blueprint:
    """The pages at ``/``, and the files they are made of."""
    pages = Blueprint("pages", __name__)

    @pages.after_request
    def protect(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response

    @pages.get("/")
    def index() -> Response:
        return _page("board.html")

    @pages.get("/about")
    def about() -> Response:
        return _page("about.html", books=answerer.books(), families=families())

    @pages.get("/books/")
    def books() -> Response:
        return _page("books.html", books=answerer.books())

    @pages.get("/books/<name>")
    def book(name: str) -> Response:
        found = answerer.book(name) is not None
        page = _page("book.html", name=name)
        page.status_code = page.status_code if found else HTTPStatus.NOT_FOUND
        return page

    @pages.get("/static/<version>/<file>")
    def file(version: str, file: str) -> Response:
        if version != edition() or file not in static_files():
            raise NotFound
        packs = request.accept_encodings.quality("gzip") > 0
        content = _packed(file) if packs else static_files()[file]
        response = Response(content, mimetype=_TYPES[Path(file).suffix])
        if packs:
            response.content_encoding = "gzip"
        response.vary.add("Accept-Encoding")
        response.cache_control.public = True
        response.cache_control.immutable = True
        response.cache_control.max_age = _A_YEAR
        return response

    return pages


@cache
def edition() -> str:
    """A name for the files as they are: another one where any of them differs."""
    digest = blake2b(digest_size=6)
    for name, content in static_files().items():
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()


@cache
def static_files() -> dict[str, bytes]:
    """What the pages are made of, by name."""
    return {path.name: path.read_bytes() for path in sorted(_STATIC.iterdir())}


@cache
def _packed(file: str) -> bytes:
    return gzip.compress(static_files()[file], mtime=0)


def _static(file: str) -> str:
    return url_for("pages.file", version=edition(), file=file)


def _page(template: str, **values: object) -> Response:
    """A page, which a browser asks for again each time and is told if it has it."""
    static: Callable[[str], str] = _static
    text = render_template(template, version=__version__, modules=MODULES, static=static, **values)
    response = Response(text, mimetype="text/html")
    response.cache_control.no_cache = True
    response.add_etag()
    response.make_conditional(request)
    return response

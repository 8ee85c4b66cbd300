"""The web application."""

from collections.abc import Callable
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, NoReturn

from apiflask import APIFlask
from flask import Request, Response, request
from werkzeug.exceptions import BadRequest

from engine import __version__
from service.answerer import Answerer
from service.http import (
    access,
    admission,
    api,
    caching,
    cors,
    metrics,
    pages,
    problems,
    proxies,
    reader,
)
from service.http.documents import Health, respond, schemas
from service.http.metrics import Metrics
from service.http.questions import BookQuestion
from service.http.rates import SearchRate
from service.http.routes import Told, route
from service.http.settings import AccessLog, Settings
from service.miss_counter import MissCounter

# A thousand positions of some two hundred moves each.
_MAX_BODY = 1 << 20


class _Request(Request):
    """A request whose broken JSON is told apart from other bad requests."""

    def get_json(self, *args: Any, **kwargs: Any) -> Any:
        # One that is too large is told as that, whatever it is.
        self.get_data()
        try:
            return super().get_json(*args, **kwargs)
        except RecursionError:
            self.on_json_loading_failed(ValueError("it is nested too deeply"))

    def on_json_loading_failed(self, e: ValueError | None) -> NoReturn:
        raise BadRequest(f"the body is no JSON: {e}" if e else "the body must be JSON")


def _client() -> str:
    """Who asks: an address, of IPv6 the network that one household or machine has."""
    address = ip_address(request.remote_addr or "0.0.0.0")
    if isinstance(address, IPv4Address):
        return str(address)
    # How IPv4 comes in where both are listened on.
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), 64), strict=False))


def _search_check(settings: Settings) -> Callable[[], None]:
    """What is done before each live search."""
    if not settings.live_rate:
        return lambda: None
    return SearchRate(settings.live_rate, settings.rate_storage, _client).check


def _add_health(app: APIFlask, answerer: Answerer) -> None:
    ok = Health(status="ok", version=__version__)
    example = {"status": "ok", "version": __version__}

    @route(app, "/healthz", "healthz", BookQuestion, Told(Health, example, (400,)))
    def healthz(question: BookQuestion) -> Response:
        """Whether the service answers."""
        return respond(ok)

    @route(app, "/readyz", "readyz", BookQuestion, Told(Health, example, (400, 503)))
    def readyz(question: BookQuestion) -> Response:
        """Whether the service answers, and can read every book."""
        answerer.check()
        return respond(ok)


def _described_app() -> APIFlask:
    """An application without routes, which describes those that it will have."""
    # The pages that document an API bring scripts from other hosts: only the description itself
    # is served, at /openapi.json.
    app = APIFlask(
        __name__,
        title="fivebook",
        version=__version__,
        docs_path=None,
        static_folder=None,  # type: ignore[arg-type]
    )
    app.request_class = _Request
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config.update(
        OPENAPI_VERSION="3.1.0",
        AUTO_VALIDATION_ERROR_RESPONSE=False,
        AUTO_404_RESPONSE=False,
        VALIDATION_ERROR_STATUS_CODE=400,
        MAX_CONTENT_LENGTH=_MAX_BODY,
    )

    @app.spec_processor
    def complete(spec: Any) -> Any:
        spec.setdefault("components", {}).setdefault("schemas", {}).update(schemas(api.DOCUMENTS))
        for path in spec["paths"].values():
            for operation in path.values():
                if "requestBody" in operation:
                    operation["requestBody"]["required"] = True
        return spec

    return app


def create_app(settings: Settings) -> APIFlask:
    """The application that answers from the books in `settings`, which it opens.

    ``app.extensions["answerer"]`` is its `Answerer`; closing that closes the books and
    writes the last counts of what they lack.

    Raises:
        BookError: if a book cannot be opened.
    """
    answerer = Answerer(
        settings.books,
        live_searches=settings.live_searches_per_worker,
        waiting=settings.waiting_per_worker,
        options=settings.search_options,
        misses=MissCounter(client=_client) if settings.count_misses else None,
        before_search=_search_check(settings),
    )
    app = _described_app()
    app.extensions["answerer"] = answerer
    counted = Metrics(answerer)
    problems.register(app)
    # What is registered first sees a request first, and its answer last.
    access.register(app, counted, AccessLog(settings.access_log))
    cors.register(app, settings.cors)
    caching.register(app)
    proxies.register(app, settings)
    admission.register(app, settings)
    app.register_blueprint(api.blueprint(answerer, settings))

    metrics.register(app, counted)
    reader.register(app)
    _add_health(app, answerer)

    app.register_blueprint(pages.blueprint(answerer))
    return app

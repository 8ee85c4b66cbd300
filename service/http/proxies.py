"""Where the service stands to those who ask: behind proxies, and below a prefix."""

from collections.abc import Callable, Iterable
from typing import Any

from apiflask import APIFlask
from flask import Response, json, request
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.errors import InvalidOptions
from service.http.settings import Settings

_Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def register(app: APIFlask, settings: Settings) -> None:
    """Have `app` know the address by which it is asked.

    Raises:
        InvalidOptions: if the prefix does not begin with a slash.
    """
    prefix = settings.url_prefix.rstrip("/")
    if prefix and not prefix.startswith("/"):
        raise InvalidOptions(f"url-prefix '{prefix}' must begin with '/', as in /fivebook")
    below: _Wsgi = _Below(app.wsgi_app, prefix) if prefix else app.wsgi_app
    count = settings.proxies
    if count:
        below = ProxyFix(below, x_for=count, x_proto=count, x_host=count, x_prefix=count)
    # That is how Flask wants it.
    app.wsgi_app = below  # type: ignore[assignment,method-assign]
    app.after_request(_name_server)


class _Below:
    """Serves `app` below `prefix`, whether or not a proxy takes that away from the address."""

    def __init__(self, app: _Wsgi, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = str(environ.get("PATH_INFO", ""))
        if path == self._prefix or path.startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix) or "/"
        environ["PATH_INFO"] = path
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME") or self._prefix
        return self._app(environ, start_response)


def _name_server(response: Response) -> Response:
    """Put the address by which the description is asked into it."""
    if request.endpoint == "openapi.spec" and response.status_code == 200:
        spec = json.loads(response.get_data())
        spec["servers"] = [{"url": request.url_root.rstrip("/")}]
        response.set_data(json.dumps(spec, sort_keys=False))
    return response

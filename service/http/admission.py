"""Which requests are looked at: those for this host, and without a doubt about what they ask."""

from flask import Flask, current_app, request
from werkzeug.exceptions import BadRequest

from engine.errors import InvalidOptions
from service.http.settings import Settings

ANY = "*"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_WILDCARDS = ("", "0.0.0.0", "::", "0")


def check_hosts(settings: Settings) -> None:
    """Refuse to listen on every address without knowing by which names.

    Raises:
        InvalidOptions: if that is so.
    """
    if settings.host in _WILDCARDS and not settings.allowed_hosts:
        raise InvalidOptions(
            f"'{settings.host}' listens on all addresses of this machine: name those by which it "
            f"is asked with --allowed-hosts, or any with --allowed-hosts '{ANY}'"
        )


def register(app: Flask, settings: Settings) -> None:
    """Have `app` refuse requests for other hosts, and with parameters it would not heed."""
    names = [name.strip().strip("[]").lower() for name in settings.allowed_hosts.split(",")]
    allowed = frozenset((*_LOOPBACK, settings.host.lower(), *filter(None, names)))

    def admit() -> None:
        # Only old programs send none; a browser that another site misleads always does.
        host = request.headers.get("Host")
        if host is not None and ANY not in allowed and _name(host) not in allowed:
            raise BadRequest(f"'{host}' is not served here: --allowed-hosts names what is")
        if request.query_string and request.endpoint:
            _check_parameters(request.endpoint)

    app.before_request(admit)


def _name(host: str) -> str:
    """A Host header without its port, as names are compared."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].rstrip(".").lower()


def _check_parameters(endpoint: str) -> None:
    for name, values in request.args.lists():
        if len(values) > 1:
            raise BadRequest(f"parameter '{name}' is given {len(values)} times")
        # A question names the parameters that it takes.
        if not getattr(current_app.view_functions[endpoint], "takes_question", False):
            raise BadRequest(f"unknown parameter '{name}': {request.path} takes none")

"""Which pages of other sites may ask, by their origins (https://fetch.spec.whatwg.org)."""

from flask import Flask, Response, request

ANY = "*"
_DAY = 86_400
# What a page may read besides the content.
_EXPOSED = "ETag, Fivebook-Away, Retry-After, X-Request-Id"


def register(app: Flask, origins: str) -> None:
    """Have `app` let pages of `origins` ask, with commas between them; `*`: of any."""
    allowed = frozenset(filter(None, (each.strip().rstrip("/") for each in origins.split(","))))
    if not allowed:
        return

    def allow(response: Response) -> Response:
        response.vary.add("Origin")
        origin = request.headers.get("Origin")
        if origin is None or (ANY not in allowed and origin not in allowed):
            return response
        headers = response.headers
        headers["Access-Control-Allow-Origin"] = ANY if ANY in allowed else origin
        headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            headers["Access-Control-Allow-Methods"] = "GET, POST"
            headers["Access-Control-Allow-Headers"] = "Content-Type, If-None-Match, X-Request-Id"
            headers["Access-Control-Max-Age"] = str(_DAY)
        return response

    app.after_request(allow)

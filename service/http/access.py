"""What is noted of every request: its id, a line in the access log, and its part of the metrics."""

import re
import sys
import time
from datetime import UTC, datetime
from urllib.parse import quote
from uuid import uuid4

from flask import Flask, Response, g, request
from msgspec.json import encode

from service.answers import Answer
from service.http.metrics import Metrics
from service.http.settings import AccessLog

ID_HEADER = "X-Request-Id"
# What no log or header can be misled by.
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UNKNOWN = "none"


def note(answer: Answer) -> None:
    """Have the present request known as one that got `answer`."""
    g.answer = answer


def register(app: Flask, metrics: Metrics, kind: AccessLog) -> None:
    """Have `app` note every request. To be done first: what is refused is noted, too."""

    def begin() -> None:
        g.since = time.perf_counter()
        given = request.headers.get(ID_HEADER, "")
        g.request_id = given if _SANE_ID.fullmatch(given) else uuid4().hex

    def end(response: Response) -> Response:
        seconds = time.perf_counter() - g.since
        answer: Answer | None = g.get("answer")
        source = _UNKNOWN if answer is None else answer.source.value
        route = request.url_rule.rule if request.url_rule else _UNKNOWN
        missed = answer is not None and answer.method is not None
        metrics.note(route, response.status_code, source, seconds, missed=missed)
        response.headers[ID_HEADER] = g.request_id
        if kind is not AccessLog.NONE:
            _print(kind, response, source, seconds)
        return response

    app.before_request(begin)
    app.after_request(end)


def _print(kind: AccessLog, response: Response, source: str, seconds: float) -> None:
    told = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "id": g.request_id,
        "client": request.remote_addr,
        "method": request.method,
        # As it came: neither has a line break.
        "address": f"{quote(request.path)}?{request.query_string.decode('latin-1')}".rstrip("?"),
        "status": response.status_code,
        "bytes": response.content_length,
        "source": source,
        "milliseconds": round(1000 * seconds, 3),
    }
    if kind is AccessLog.JSON:
        line = encode(told).decode()
    else:
        line = " ".join("-" if each is None else str(each) for each in told.values())
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()

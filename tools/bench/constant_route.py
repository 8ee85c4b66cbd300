"""The service with routes beside it that always answer the same: `python -m ... PORT BOOK`.

What such a route costs is what Flask and the server cost. `/constant/N` has N bytes.
"""

import sys
from functools import partial
from pathlib import Path

from flask import Response
from granian import Granian
from granian.constants import HTTPModes, Interfaces

from service.http.app import create_app
from service.http.deliveries import Deliveries
from service.http.reception import Reception
from service.http.settings import Settings


def load(port: int, book: Path) -> Reception:
    """The application, as `fivebook serve` has it."""
    settings = Settings((book,), port=port, count_misses=False)
    app = create_app(settings)
    app.add_url_rule(
        "/constant/<int:size>",
        "constant",
        lambda size: Response(b"x" * size, mimetype="application/json"),
    )
    return Reception(
        app,
        threads=settings.threads_per_worker,
        deliveries=Deliveries(port),
        end=app.extensions["answerer"].close,
    )


if __name__ == "__main__":
    port = int(sys.argv[1])
    server = Granian(
        "tools.bench.constant_route",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
    )
    server.serve(target_loader=partial(load, port, Path(sys.argv[2])), wrap_loader=False)

"""A server as `fivebook serve` has it, whose clients are to read their answers sooner.

`python -m tests.service.http.reading_server PORT SECONDS`
"""

import sys
from functools import partial

from apiflask import APIFlask
from granian import Granian
from granian.constants import HTTPModes, Interfaces

from service.http.app import create_app
from service.http.deliveries import Deliveries
from service.http.reception import Reception
from service.http.settings import Settings

LONG = 8 << 20
MOST = 2 * LONG


def load(port: int, seconds: float) -> Reception:
    """The application, with an answer of `LONG` bytes at /long and one of 60,000 at /short."""
    app: APIFlask = create_app(Settings())
    app.add_url_rule("/long", "long", lambda: "x" * LONG)
    app.add_url_rule("/short", "short", lambda: "x" * 60_000)
    deliveries = Deliveries(port, most_bytes=MOST, seconds=seconds)
    app.add_url_rule("/held", "held", lambda: str(deliveries.held))
    return Reception(app, threads=4, deliveries=deliveries, end=lambda: None)


if __name__ == "__main__":
    port = int(sys.argv[1])
    server = Granian(
        "tests.service.http.reading_server",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
    )
    target = partial(load, port, float(sys.argv[2]))
    server.serve(target_loader=target, wrap_loader=False)

"""``/metrics``: what is answered, how fast, and how much of the service is in use; for Prometheus.

Several workers write into one folder, and whichever is asked adds up what is there. The library
decides by an environment variable whether they do, when it is first imported: see `share`.
"""

import os
import tempfile
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from apiflask import APIFlask
from flask import Response

from service.answerer import Answerer

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric
    from prometheus_client.registry import CollectorRegistry

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def share() -> "tempfile.TemporaryDirectory[str]":
    """Have the workers that are started from now on count together, until the folder is deleted."""
    folder = tempfile.TemporaryDirectory(prefix="fivebook-metrics-")
    os.environ[_FOLDER] = folder.name
    return folder


class Metrics:
    """Counts what `answerer` answers over HTTP, in this process and those that `share` with it."""

    def __init__(self, answerer: Answerer) -> None:
        # Not before: the library looks at the environment.
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        from prometheus_client.multiprocess import MultiProcessCollector

        own = CollectorRegistry()
        self._answers = Counter(
            "fivebook_answers",
            "Answers, by route, status and where they come from.",
            ("route", "status", "source"),
            registry=own,
        )
        self._misses = Counter(
            "fivebook_misses", "Positions asked for that no book held.", registry=own
        )
        self._seconds = Histogram(
            "fivebook_answer_seconds",
            "Time that the application took for an answer.",
            ("route",),
            buckets=_SECONDS,
            registry=own,
        )
        gauge = partial(Gauge, multiprocess_mode="livesum", registry=own)
        seats = gauge("fivebook_live_seats", "Live searches that may run at once.")
        seats.set(answerer.live.at_once)
        self._running = gauge("fivebook_live_running", "Live searches that run.")
        self._waiting = gauge("fivebook_live_waiting", "Questions that wait for a live search.")
        answerer.live.observe(self._note_live)
        self._registry = own
        if _FOLDER in os.environ:
            self._registry = CollectorRegistry()
            MultiProcessCollector(self._registry)
        self._registry.register(_Books(answerer))

    def note(self, route: str, status: int, source: str, seconds: float, *, missed: bool) -> None:
        """Count one answer."""
        self._answers.labels(route, str(status), source).inc()
        self._seconds.labels(route).observe(seconds)
        if missed:
            self._misses.inc()

    @property
    def registry(self) -> "CollectorRegistry":
        """Everything that is counted."""
        return self._registry

    def _note_live(self, running: int, waiting: int) -> None:
        self._running.set(running)
        self._waiting.set(waiting)


class _Books:
    """What the served books hold, looked up when it is asked for."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    def collect(self) -> "Iterable[Metric]":
        """The metrics of this moment."""
        from prometheus_client.core import GaugeMetricFamily

        positions = GaugeMetricFamily(
            "fivebook_book_positions", "Positions that a book holds.", labels=("book", "game")
        )
        for book in self._answerer.books():
            for game in book.games:
                positions.add_metric((book.file, game.game), game.positions)
        editions = GaugeMetricFamily(
            "fivebook_book_generation",
            "How often a worker has opened a book that was put in its place or came back.",
            labels=("book",),
        )
        away = GaugeMetricFamily(
            "fivebook_book_away", "Whether a book is out of reach.", labels=("book",)
        )
        for name, generation in self._answerer.generations.items():
            editions.add_metric((name,), generation)
            away.add_metric((name,), name in self._answerer.away)
        return positions, editions, away


def register(app: APIFlask, metrics: Metrics) -> None:
    """Add the page to `app`."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    @app.get("/metrics")
    @app.doc(hide=True)
    def metrics_page() -> Response:
        return Response(generate_latest(metrics.registry), content_type=CONTENT_TYPE_LATEST)

"""A book at a glance: what the page of a book draws, and programs may read."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any

from flask import Blueprint, Response, jsonify
from werkzeug.exceptions import NotFound

from book.misses import Misses
from book.reader import BookReader
from book.whole.plot import RecordedValue, picture
from book.whole.summary import Layer, Run, Summary, summarise
from engine.errors import IllegalMove
from engine.game import Canonical, Game
from engine.position import cells_of
from service.answerer import Answerer
from service.errors import TooBusy
from service.served_book import ServedBook

_MOST_MISSED = 12
# Adding up a large book takes seconds: it is not done for everyone who looks, nor most of the time,
# and who would wait for another's does not hold a thread for long.
_SECONDS_KEPT = 5.0
_TIMES_KEPT = 10
_PATIENCE = 0.5


@dataclass(frozen=True, slots=True)
class Missed:
    """A canonical position that was asked for `count` times and not held.

    `dark` and `light` are the cells of its stones, `moves` a line that leads there; None where
    putting the stones one by one does not.
    """

    count: int
    dark: list[str]
    light: list[str]
    moves: str | None


@dataclass(frozen=True, slots=True)
class GameGlance:
    """What a book holds of one game.

    `proven_chances` and `other_chances` count its positions by dark's winning chance, in bins of
    equal width from 0 to 1. `branching` is the mean number of stored children of a position, by
    ply. `history` tells what the empty board was worth as the book grew. `planned` are searches
    that are yet to enter the book.
    """

    game: str
    title: str
    width: int
    height: int
    positions: int
    proven: int
    layers: tuple[Layer, ...]
    proven_chances: list[int]
    other_chances: list[int]
    branching: dict[int, float]
    history: tuple[RecordedValue, ...]
    runs: tuple[Run, ...]
    planned: int
    missed: list[Missed]


@dataclass(frozen=True, slots=True)
class Glance:
    """A served book; `file` is its name without the folder."""

    file: str
    games: list[GameGlance]


def blueprint(answerer: Answerer) -> Blueprint:
    """``/api/v1/books/NAME``, which tells of the books of `answerer`."""
    books = Blueprint("books", __name__, url_prefix="/api/v1/books")
    glances = _Glances()

    @books.get("/<name>")
    def book(name: str) -> Response:
        found = answerer.book(name)
        if found is None:
            raise NotFound
        return jsonify(glances.of(found))

    return books


class _Glances:
    """Keeps what was added up of each book for a while, and adds up one at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[float, dict[str, Any]]] = {}

    def of(self, book: ServedBook) -> dict[str, Any]:
        """The glance at `book`, as JSON has it; a few seconds old at most if it was quickly done.

        Raises:
            BookAway: if the book cannot be reached.
            BookUnreadable: if it cannot be read, or its misses.
            TooBusy: if books are being added up for another.
        """
        name = str(book.address)
        if not self._lock.acquire(timeout=_PATIENCE):
            raise TooBusy("books are being added up for another: ask again later", 1.0)
        try:
            until, kept = self._kept.get(name, (0.0, {}))
            if time.monotonic() >= until:
                kept = self._added_up(book, name)
            return kept
        finally:
            self._lock.release()

    def _added_up(self, book: ServedBook, name: str) -> dict[str, Any]:
        since = time.monotonic()
        with book.at_hand() as reader:
            added_up = asdict(glance(reader))
        now = time.monotonic()
        self._kept[name] = (now + max(_SECONDS_KEPT, _TIMES_KEPT * (now - since)), added_up)
        return added_up


def glance(reader: BookReader) -> Glance:
    """What there is to see of an open book."""
    return Glance(reader.address.name, [_glance(reader, game) for game in reader.games])


def _glance(reader: BookReader, game: Game) -> GameGlance:
    drawn = picture(reader, game)
    summary: Summary = summarise(reader, game)
    proven, others = drawn.chances
    return GameGlance(
        game=game.id,
        title=game.title,
        width=game.width,
        height=game.height,
        positions=summary.positions,
        proven=summary.proven,
        layers=summary.layers,
        proven_chances=proven,
        other_chances=others,
        branching=drawn.branching,
        history=drawn.recorded,
        runs=summary.runs,
        planned=summary.planned,
        missed=_missed(game, Misses(reader.address).most_missed(game, _MOST_MISSED)),
    )


def _missed(game: Game, found: Sequence[tuple[Canonical, int]]) -> list[Missed]:
    return [
        Missed(
            count,
            list(map(game.format_cell, cells_of(canonical.position.dark))),
            list(map(game.format_cell, cells_of(canonical.position.light))),
            _line_to(game, canonical),
        )
        for canonical, count in found
    ]


def _line_to(game: Game, canonical: Canonical) -> str | None:
    """A line that leads to the position, if its stones can be put there by turns."""
    dark, light = (cells_of(board) for board in (canonical.position.dark, canonical.position.light))
    cells = [(dark, light)[ply % 2][ply // 2] for ply in range(canonical.position.ply)]
    if game.move_count != game.cell_count:
        return None if cells else ""
    try:
        position = game.play_line(cells)
    except IllegalMove:
        return None
    return game.format_line(cells) if position == canonical.position else None

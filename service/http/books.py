"""``/books`` and ``/books/NAME``: what is served, and a book at a glance, as its page draws it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from apiflask import APIBlueprint
from flask import Response
from msgspec import to_builtins
from werkzeug.exceptions import NotFound

from book.misses import Misses
from book.reader import BookReader
from book.whole.plot import RecordedValue, picture
from book.whole.summary import Layer, Run, Summary, summarise
from engine.errors import IllegalMove
from engine.game import Canonical, Game
from engine.position import cells_of
from service.answers import BookGame, BookSummary
from service.errors import TooBusy
from service.http.asking import Asking
from service.http.documents import Books, respond
from service.http.questions import BookQuestion
from service.http.routes import Told, route
from service.served_book import ServedBook

_MOST_MISSED = 12
# Adding up a large book takes seconds: it is not done for everyone who looks, nor most of the time,
# and who would wait for another's does not hold a thread for long.
_SECONDS_KEPT = 5.0
_TIMES_KEPT = 10
_PATIENCE = 0.5
_EXAMPLE = Layer(ply=1, positions=300, proven=12, nodes=6_000_000, mean_depth=9.0, deepest=11)


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


DOCUMENTS = (Glance,)


def register(api: APIBlueprint, asking: Asking) -> None:
    """Add the routes to `api`."""
    answerer, glances = asking.answerer, _Glances()
    game = asking.examples.game
    known = BookSummary("small.db", (BookGame(game.id, game.title, _EXAMPLE.positions),))
    told = Told(Books, {"books": [to_builtins(known)]}, (400, 500))

    @route(api, "/books", "books", BookQuestion, told)
    def books(question: BookQuestion) -> Response:
        """The books that are served, their games and how many positions they hold."""
        return respond(Books(answerer.books()))

    example = Glance(known.file, [_example(game)])

    @route(
        api,
        "/books/<name>",
        "book",
        BookQuestion,
        Told(Glance, to_builtins(example), (400, 404, 500, 503)),
    )
    def book(question: BookQuestion, name: str) -> Response:
        """A served book at a glance: what its page draws of it."""
        found = answerer.book(name)
        if found is None:
            raise NotFound
        return respond(glances.of(found))


def _example(game: Game) -> GameGlance:
    """What may be told of a small book of `game`."""
    return GameGlance(
        game=game.id,
        title=game.title,
        width=game.width,
        height=game.height,
        positions=_EXAMPLE.positions,
        proven=_EXAMPLE.proven,
        layers=(_EXAMPLE,),
        proven_chances=[0, _EXAMPLE.proven],
        other_chances=[_EXAMPLE.positions - _EXAMPLE.proven, 0],
        branching={0: 1.0},
        history=(RecordedValue("2026-01-31T12:00:00Z", _EXAMPLE.positions, 545, False),),
        runs=(),
        planned=0,
        missed=[Missed(3, ["h8"], [], "h8")],
    )


class _Glances:
    """Keeps what was added up of each book for a while, and adds up one at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[float, Glance]] = {}

    def of(self, book: ServedBook) -> Glance:
        """The glance at `book`; a few seconds old at most if it was quickly done.

        Raises:
            BookAway: if the book cannot be reached.
            BookUnreadable: if it cannot be read, or its misses.
            TooBusy: if books are being added up for another.
        """
        name = str(book.address)
        if not self._lock.acquire(timeout=_PATIENCE):
            raise TooBusy("books are being added up for another: ask again later", 1.0)
        try:
            until, kept = self._kept.get(name, (0.0, None))
            if kept is None or time.monotonic() >= until:
                kept = self._added_up(book, name)
            return kept
        finally:
            self._lock.release()

    def _added_up(self, book: ServedBook, name: str) -> Glance:
        since = time.monotonic()
        with book.at_hand() as reader:
            added_up = glance(reader)
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

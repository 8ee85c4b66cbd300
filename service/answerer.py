"""Finding answers: the books first, then the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from book.closing import Closing
from book.entry import Entry
from book.errors import BookAway, PositionNotFound
from book.imported import Imported, joined
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine import registry
from engine.game import Game
from engine.position import Position
from engine.search import Limits, SearchOptions
from service.answers import Answer, BookGame, BookSummary
from service.errors import GameNotNamed
from service.inquiry import Inquiry
from service.live import LiveSearches
from service.served_book import ServedBook

if TYPE_CHECKING:
    from service.miss_counter import MissCounter

_Found = TypeVar("_Found")


class LookUp(Protocol):
    """Gives what the rules or a book know of a position, see `Answerer.walk`."""

    def __call__(self, inquiry: Inquiry, best_only: bool = False, /) -> Answer | None: ...


class Answerer(Closing):
    """Answers from open books and live searches; any number of threads may ask.

    Of several books that hold a position, one in which it is proven answers, else the first in
    the order given. What none holds is added to `misses`, for the first that holds the game;
    these are closed with the books. `before_search` is called before each live search, and may
    raise what refuses it. A book that is replaced is answered from as it is then; one that is out
    of reach is left out until it is back.

    Raises:
        BookError: if a book cannot be opened.
    """

    def __init__(
        self,
        books: Sequence[AnyAddress],
        *,
        live_searches: int = 1,
        waiting: int = 0,
        options: SearchOptions = SearchOptions(),
        misses: MissCounter | None = None,
        before_search: Callable[[], None] = lambda: None,
    ) -> None:
        self._misses = misses
        self._before_search = before_search
        with ExitStack() as opened:
            if misses is not None:
                opened.enter_context(misses)
            self._books = [opened.enter_context(ServedBook(path)) for path in books]
            self._opened = opened.pop_all()
        self.live = LiveSearches(at_once=live_searches, waiting=waiting, options=options)

    def close(self) -> None:
        """Close the books."""
        self._opened.close()

    @property
    def away(self) -> tuple[str, ...]:
        """The names of the books that were out of reach when they were last looked for."""
        return tuple(book.address.name for book in self._books if book.is_away)

    @property
    def generations(self) -> dict[str, int]:
        """By the names of the books how often each was opened, because it was put in its place."""
        return {book.address.name: book.generation for book in self._books}

    def check(self) -> None:
        """Make sure that every book can be read.

        Raises:
            BookAway: if one cannot.
        """
        for book in self._books:
            with book.at_hand(ask_first=True):
                pass

    @property
    def games(self) -> tuple[Game, ...]:
        """The games in the books, in their order."""
        return tuple(dict.fromkeys(game for book in self._books for game in book.games))

    def books(self) -> tuple[BookSummary, ...]:
        """What is in each book that is not away."""
        return self._read(lambda readers: tuple(map(_summary, readers)))

    def book(self, name: str) -> ServedBook | None:
        """The book of this name, the first if there are several; None if there is none."""
        return next((book for book in self._books if book.address.name == name), None)

    def game(self, game_id: str | None) -> Game:
        """The game called `game_id`, or the one game of all books where that is None.

        Raises:
            UnknownGame: if there is none of this id.
            GameNotNamed: if `game_id` is None and the books do not hold exactly one game.
        """
        if game_id is not None:
            return registry.get(game_id)
        held = self.games
        if len(held) == 1:
            return held[0]
        if held:
            names = " and ".join(sorted(game.id for game in held))
            raise GameNotNamed(f"name the game: the books hold {names}")
        raise GameNotNamed("name the game, such as gomoku-15: there is no book to tell it from")

    def prepare(self, game: Game) -> None:
        """Load the engine for `game`, so that no live search spends its movetime on that."""
        self.live.prepare(game)

    def answer(
        self,
        inquiry: Inquiry,
        limits: Limits,
        *,
        book_only: bool = False,
        best_only: bool = False,
        lines: int = 1,
    ) -> Answer:
        """What is known of the position asked about; searched within `limits` on a miss.

        The `lines` best moves come with their lines: a live search looks for that many, at least
        one; a book's answer has all its moves, or with `best_only` the best one alone.

        Raises:
            PositionNotFound: if no book holds the position and `book_only` is given.
            BookAway: if one that might is out of reach then.
            TooBusy: if a live search would not end within its movetime.
        """
        since = time.perf_counter_ns()
        stored = self._known(inquiry, since, book_only=book_only, lines=lines, best_only=best_only)
        if stored is not None:
            return stored
        self._before_search()
        results = self.live.search_lines(inquiry.game, inquiry.position, limits, max(lines, 1))
        answer = inquiry.searched(results, since)
        return self._read(lambda readers: _with_imports(readers, inquiry, answer))

    def follow(
        self, inquiry: Inquiry, limits: Limits, *, book_only: bool = False, lines: int = 1
    ) -> Generator[tuple[Answer, bool] | None, None, None]:
        """As `answer`, but a live search also tells what it has found so far, time and again.

        Each answer comes with whether it is the last one; None comes where for some 50 ms there was
        nothing new. Closing the iterator ends the search.

        Raises:
            PositionNotFound, BookAway, TooBusy: as `answer`, before the first answer.
        """
        since = time.perf_counter_ns()
        stored = self._known(inquiry, since, book_only=book_only, lines=lines)
        if stored is not None:
            yield stored, True
            return
        self._before_search()
        imported = self._read(lambda readers: _imported(readers, inquiry))
        search = self.live.follow(inquiry.game, inquiry.position, limits, max(lines, 1))
        # A generator that is left behind would be closed some time later.
        with closing(search):
            for found in search:
                if found is None:
                    yield None
                else:
                    answer = inquiry.searched(found.results, since)
                    yield replace(answer, imported=imported), found.is_final

    def _known(
        self,
        inquiry: Inquiry,
        since: int,
        *,
        book_only: bool,
        lines: int,
        best_only: bool = False,
    ) -> Answer | None:
        """What the rules or a book tell, None if a search is needed, which `book_only` refuses.

        Raises:
            PositionNotFound, BookAway: see `answer`.
        """
        stored = self._read(
            lambda readers: self._stored(readers, inquiry, since, lines=lines, best_only=best_only)
        )
        if stored is not None or not book_only:
            return stored
        if self.away:
            raise BookAway(f"{' and '.join(self.away)} cannot be reached: ask again later")
        text = inquiry.game.format_line(inquiry.played)
        where = f"after '{text}'" if text else "with an empty board"
        raise PositionNotFound(f"no book holds {inquiry.game.id} {where}")

    def walk(self, use: Callable[[LookUp], _Found]) -> _Found:
        """What `use` finds by looking up positions, each of them in the same editions of the books.

        It gets a function that answers an inquiry, with all moves and no lines, or gives None.
        With True as its second argument that finds the best move alone. Misses are not counted.
        """
        return self._read(
            lambda readers: use(
                lambda inquiry, best_only=False: _held(
                    readers, inquiry, time.perf_counter_ns(), lines=0, best_only=best_only
                )
            )
        )

    def answer_each(
        self,
        inquiries: Sequence[Inquiry],
        *,
        movetime: float,
        total: float,
        book_only: bool = False,
    ) -> list[Answer | None]:
        """An answer for each of `inquiries`, which are about one game.

        Positions that no book holds are searched one after the other, each for at most `movetime`
        and all of them for at most `total` seconds; with `book_only` their answer is None.

        Raises:
            TooBusy: if the searches would not end within `total`.
        """
        answers = self.stored_each(inquiries)
        if book_only:
            return answers
        return self.search_missing(inquiries, answers, movetime=movetime, total=total)

    def stored_each(self, inquiries: Sequence[Inquiry]) -> list[Answer | None]:
        """What the rules or a book tell of each of `inquiries`, which are about one game.

        A position that several of them lead to is looked up once.
        """
        return self._read(lambda readers: self._stored_each(readers, inquiries))

    def _stored_each(
        self, readers: Sequence[BookReader], inquiries: Sequence[Inquiry]
    ) -> list[Answer | None]:
        found: dict[Position, Answer | None] = {}
        answers: list[Answer | None] = []
        for inquiry in inquiries:
            if inquiry.position not in found:
                since = time.perf_counter_ns()
                found[inquiry.position] = self._stored(readers, inquiry, since)
            answer = found[inquiry.position]
            answers.append(None if answer is None else replace(answer, played=inquiry.played))
        return answers

    def search_missing(
        self,
        inquiries: Sequence[Inquiry],
        answers: Sequence[Answer | None],
        *,
        movetime: float,
        total: float,
    ) -> list[Answer | None]:
        """`answers` to `inquiries`, those that are None searched for as by `answer_each`.

        Raises:
            TooBusy: if the searches would not end within `total`.
        """
        since = time.perf_counter_ns()
        complete = list(answers)
        missing = [index for index, answer in enumerate(answers) if answer is None]
        if missing:
            self._before_search()
            results = self.live.search_each(
                inquiries[0].game,
                [inquiries[index].position for index in missing],
                movetime=movetime,
                total=total,
            )
            for index, result in zip(missing, results, strict=True):
                complete[index] = inquiries[index].searched([result], since)
        return complete

    def _read(self, read: Callable[[Sequence[BookReader]], _Found]) -> _Found:
        """What `read` finds in the books that are not away, each of which stays the same for it.

        Where a connection turns out to be dead it is done once more, over those that are alive.
        """
        try:
            return self._read_once(read, ask_first=False)
        except BookAway:
            return self._read_once(read, ask_first=True)

    def _read_once(
        self, read: Callable[[Sequence[BookReader]], _Found], *, ask_first: bool
    ) -> _Found:
        with ExitStack() as held:
            readers = []
            for book in self._books:
                with suppress(BookAway):
                    readers.append(held.enter_context(book.at_hand(ask_first=ask_first)))
            return read(readers)

    def _stored(
        self,
        readers: Sequence[BookReader],
        inquiry: Inquiry,
        since: int,
        *,
        lines: int = 1,
        best_only: bool = False,
    ) -> Answer | None:
        """The answer that the rules or a book give, None if a search is needed: a miss."""
        held = _held(readers, inquiry, since, lines=lines, best_only=best_only)
        if held is None:
            self._miss(readers, inquiry)
            return None
        return held if best_only else _with_imports(readers, inquiry, held)

    def _miss(self, readers: Sequence[BookReader], inquiry: Inquiry) -> None:
        if self._misses is None:
            return
        for reader in readers:
            if inquiry.game in reader.games:
                self._misses.add(reader.address, inquiry.game, inquiry.position)
                return


def _held(
    readers: Sequence[BookReader],
    inquiry: Inquiry,
    since: int,
    *,
    lines: int = 1,
    best_only: bool = False,
) -> Answer | None:
    """The answer that the rules or one of the books give, None if there is none."""
    outcome = inquiry.game.outcome(inquiry.position)
    if outcome is not None:
        return inquiry.finished(outcome, since)
    first: Entry | None = None
    for reader in readers:
        entry = reader.get(inquiry.game, inquiry.position, lines=lines, best_only=best_only)
        if entry is not None and entry.proven:
            return inquiry.found(entry, since)
        first = first or entry
    return None if first is None else inquiry.found(first, since)


def _imported(readers: Sequence[BookReader], inquiry: Inquiry) -> Imported | None:
    """What was imported into the books of the position asked about, None if that is nothing."""
    found = (reader.imported(inquiry.game, inquiry.position) for reader in readers)
    return joined([imported for imported in found if imported is not None])


def _with_imports(readers: Sequence[BookReader], inquiry: Inquiry, answer: Answer) -> Answer:
    imported = _imported(readers, inquiry)
    return answer if imported is None else replace(answer, imported=imported)


def _summary(reader: BookReader) -> BookSummary:
    games = tuple(BookGame(game.id, game.title, reader.positions(game)) for game in reader.games)
    return BookSummary(reader.address.name, games)

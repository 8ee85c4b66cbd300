"""Finding answers: the books first, then the engine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from book.entry import Entry
from book.errors import PositionNotFound
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.closing import Closing
from engine import registry
from engine.errors import IllegalMove, InvalidMove
from engine.game import Game, Outcome
from engine.position import Position
from engine.search import Limits, Method, SearchOptions, SearchResult
from engine.values import WIN, Bound, Value, distance
from service.answers import (
    Answer,
    AnswerMove,
    BookGame,
    BookSummary,
    MoveSource,
    Source,
)
from service.errors import GameNotNamed
from service.live import LiveSearches

if TYPE_CHECKING:
    from service.http.miss_counter import MissCounter


class Answerer(Closing):
    """Answers from open books and live searches; any number of threads may ask.

    Of several books that hold a position, one in which it is proven answers, else the first in
    the order given. What none holds is added to `misses`, for the first that holds the game;
    these are closed with the books.

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
    ) -> None:
        self._misses = misses
        with ExitStack() as opened:
            if misses is not None:
                opened.enter_context(misses)
            self._readers = [opened.enter_context(BookReader(path)) for path in books]
            self._opened = opened.pop_all()
        self._live = LiveSearches(at_once=live_searches, waiting=waiting, options=options)

    def close(self) -> None:
        """Close the books."""
        self._opened.close()

    def books(self) -> tuple[BookSummary, ...]:
        """What is in each book."""
        return tuple(
            BookSummary(
                reader.address.name,
                tuple(
                    BookGame(game.id, game.title, reader.positions(game)) for game in reader.games
                ),
            )
            for reader in self._readers
        )

    def game(self, game_id: str | None) -> Game:
        """The game called `game_id`, or the one game of all books where that is None.

        Raises:
            UnknownGame: if there is none of this id.
            GameNotNamed: if `game_id` is None and the books do not hold exactly one game.
        """
        if game_id is not None:
            return registry.get(game_id)
        held = {game.id: game for reader in self._readers for game in reader.games}
        if len(held) == 1:
            return next(iter(held.values()))
        if held:
            raise GameNotNamed(f"name the game: the books hold {' and '.join(sorted(held))}")
        raise GameNotNamed("name the game, such as gomoku-15: there is no book to tell it from")

    def prepare(self, game: Game) -> None:
        """Load the engine for `game`, so that no live search spends its movetime on that."""
        self._live.prepare(game)

    def answer(
        self,
        game: Game,
        moves: str,
        limits: Limits,
        *,
        book_only: bool = False,
        best_only: bool = False,
        lines: int = 1,
    ) -> Answer:
        """What is known of the position after `moves`; searched within `limits` on a miss.

        The `lines` best moves come with their lines: a live search looks for that many, at least
        one; a book's answer has all its moves, or with `best_only` the best one alone.

        Raises:
            InvalidMove: if a part of `moves` is no move.
            IllegalMove: if one of them cannot be played.
            PositionNotFound: if no book holds the position and `book_only` is given.
            TooBusy: if a live search would not end within its movetime.
        """
        asked = _Asked.read(game, moves)
        stored = self._stored(asked, lines=lines, best_only=best_only)
        if stored is not None:
            return stored
        if book_only:
            where = f"after '{asked.text}'" if asked.text else "with an empty board"
            raise PositionNotFound(f"no book holds {game.id} {where}")
        return asked.searched(self._live.search_lines(game, asked.position, limits, max(lines, 1)))

    def answer_each(
        self,
        game: Game,
        positions: Sequence[str],
        *,
        movetime: float,
        total: float,
        book_only: bool = False,
    ) -> list[Answer | None]:
        """An answer for each of `positions`, each given by its moves.

        Those that no book holds are searched one after the other, each for at most `movetime`
        and all of them for at most `total` seconds; with `book_only` their answer is None.

        Raises:
            InvalidMove, IllegalMove: as `answer` does; nothing has been searched then.
            TooBusy: if the searches would not end within `total`.
        """
        asked: list[_Asked] = []
        answers: list[Answer | None] = []
        for index, moves in enumerate(positions):
            try:
                asked.append(_Asked.read(game, moves))
            except (InvalidMove, IllegalMove) as error:
                raise type(error)(f"positions.{index}: {error}") from error
            answers.append(self._stored(asked[-1]))
        missing = [index for index, answer in enumerate(answers) if answer is None]
        if missing and not book_only:
            results = self._live.search_each(
                game, [asked[index].position for index in missing], movetime=movetime, total=total
            )
            for index, result in zip(missing, results, strict=True):
                answers[index] = asked[index].searched([result])
        return answers

    def _stored(self, asked: _Asked, *, lines: int = 1, best_only: bool = False) -> Answer | None:
        """The answer that the rules or a book give, None if a search is needed."""
        outcome = asked.game.outcome(asked.position)
        if outcome is not None:
            return asked.finished(outcome)
        first: Entry | None = None
        for reader in self._readers:
            entry = reader.get(asked.game, asked.position, lines=lines, best_only=best_only)
            if entry is not None and entry.proven:
                return asked.found(entry)
            first = first or entry
        if first is None:
            self._miss(asked)
            return None
        return asked.found(first)

    def _miss(self, asked: _Asked) -> None:
        if self._misses is None:
            return
        for reader in self._readers:
            if asked.game in reader.games:
                self._misses.add(reader.address, asked.game, asked.position)
                return


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, and the shape of its answer. `since` is on the clock of `perf_counter_ns`."""

    game: Game
    text: str
    position: Position
    since: int

    @classmethod
    def read(cls, game: Game, moves: str) -> _Asked:
        since = time.perf_counter_ns()
        line = game.parse_line(moves)
        return cls(game, game.format_line(line), game.play_line(line), since)

    def found(self, entry: Entry) -> Answer:
        return self._answer(
            Source.PROOF if entry.proven else Source.BOOK,
            entry.value,
            entry.bound,
            proven=entry.proven,
            depth=entry.depth,
            nodes=entry.nodes,
            seconds=entry.seconds,
            moves=tuple(
                AnswerMove(
                    move=self.game.format_move(move.move),
                    value=move.value,
                    bound=move.bound,
                    proven=move.proven,
                    distance=distance(move.value) if move.proven else None,
                    depth=move.depth,
                    source=MoveSource.BOOK if move.in_book else MoveSource.REST,
                    method=None,
                    line=tuple(map(self.game.format_move, move.line)),
                )
                for move in entry.moves
            ),
        )

    def searched(self, results: Sequence[SearchResult]) -> Answer:
        """The answer of a live search, one result for each line, best first."""
        first = results[0]
        return self._answer(
            Source.LIVE,
            first.value,
            first.bound,
            method=first.method,
            proven=first.proven,
            depth=first.depth,
            nodes=sum(result.nodes for result in results),
            seconds=sum(result.seconds for result in results),
            moves=tuple(
                AnswerMove(
                    move=self.game.format_move(result.move),
                    value=result.value,
                    bound=result.bound,
                    proven=result.proven,
                    distance=result.distance,
                    depth=result.depth,
                    source=MoveSource.LIVE,
                    method=result.method,
                    line=tuple(map(self.game.format_move, result.line)),
                )
                for result in results
                if result.move is not None
            ),
        )

    def finished(self, outcome: Outcome) -> Answer:
        won = outcome.winner is self.position.to_move
        value = 0 if outcome is Outcome.DRAW else WIN if won else -WIN
        return self._answer(Source.PROOF, value, Bound.EXACT, proven=True, outcome=outcome)

    def _answer(
        self,
        source: Source,
        value: Value,
        bound: Bound,
        *,
        proven: bool,
        method: Method | None = None,
        depth: int = 0,
        nodes: int = 0,
        seconds: float = 0.0,
        moves: tuple[AnswerMove, ...] = (),
        outcome: Outcome | None = None,
    ) -> Answer:
        return Answer(
            source=source,
            method=method,
            game=self.game.id,
            position=self.text,
            ply=self.position.ply,
            to_move=self.position.to_move,
            outcome=None if outcome is None else outcome.value,
            forbidden=tuple(map(self.game.format_move, self.game.forbidden_moves(self.position))),
            value=value,
            bound=bound,
            proven=proven,
            distance=distance(value) if proven else None,
            depth=depth,
            nodes=nodes,
            milliseconds=round(seconds * 1000, 3),
            best=moves[0].move if moves else None,
            line=moves[0].line if moves else (),
            moves=moves,
            elapsed_us=(time.perf_counter_ns() - self.since) // 1000,
        )

"""An inquiry about one position, and the answers to it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from book.entry import Entry
from book.files.contents import Coordinates
from book.files.moves import is_picture, read_moves, read_picture
from engine.game import Game, Outcome
from engine.position import Move, Position
from engine.search import Method, SearchResult
from engine.values import WIN, Bound, Value
from service.answers import Answer, AnswerMove, MoveSource, Source


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is known of `position`, to which the moves of `played` lead?

    An answer tells how long it took `since` a time on the clock of `perf_counter_ns`.
    """

    game: Game
    played: tuple[Move, ...]
    position: Position

    @classmethod
    def read(
        cls, game: Game, moves: str, coordinates: Coordinates = Coordinates.NATURAL
    ) -> Inquiry:
        """The inquiry about the position after `moves`, in any habit (`book.files.moves`).

        A board drawn with characters will do as well; then no moves are known that lead to it.

        Raises:
            InvalidMove: if a part of `moves` is no move.
            IllegalMove: if one of them cannot be played.
        """
        if is_picture(moves):
            return cls(game, (), read_picture(game, moves))
        played = tuple(read_moves(game, moves, coordinates))
        return cls(game, played, game.play_line(played))

    def after(self, move: Move) -> Inquiry:
        """The inquiry about the position after a legal `move`."""
        return Inquiry(self.game, (*self.played, move), self.game.play(self.position, move))

    def found(self, entry: Entry, since: int) -> Answer:
        """The answer of a book."""
        return self._answer(
            Source.PROOF if entry.proven else Source.BOOK,
            entry.value,
            entry.bound,
            since,
            proven=entry.proven,
            depth=entry.depth,
            nodes=entry.nodes,
            seconds=entry.seconds,
            moves=tuple(
                [
                    AnswerMove(
                        move,
                        value,
                        bound,
                        proven,
                        depth,
                        MoveSource.BOOK if in_book else MoveSource.REST,
                        None,
                        line,
                    )
                    for move, value, bound, proven, depth, in_book, line in entry.moves
                ]
            ),
        )

    def searched(self, results: Sequence[SearchResult], since: int) -> Answer:
        """The answer of a live search, one result for each line, best first."""
        first = results[0]
        return self._answer(
            Source.PROOF if first.proven else Source.LIVE,
            first.value,
            first.bound,
            since,
            method=first.method,
            proven=first.proven,
            depth=first.depth,
            nodes=sum(result.nodes for result in results),
            seconds=sum(result.seconds for result in results),
            moves=tuple(
                AnswerMove(
                    move=result.move,
                    value=result.value,
                    bound=result.bound,
                    proven=result.proven,
                    depth=result.depth,
                    source=MoveSource.LIVE,
                    method=result.method,
                    line=result.line,
                )
                for result in results
                if result.move is not None
            ),
        )

    def finished(self, outcome: Outcome, since: int) -> Answer:
        """The answer of the rules, where the game is over."""
        won = outcome.winner is self.position.to_move
        value = 0 if outcome is Outcome.DRAW else WIN if won else -WIN
        return self._answer(Source.PROOF, value, Bound.EXACT, since, proven=True, outcome=outcome)

    def _answer(
        self,
        source: Source,
        value: Value,
        bound: Bound,
        since: int,
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
            game=self.game,
            played=self.played,
            position=self.position,
            outcome=outcome,
            forbidden=tuple(self.game.forbidden_moves(self.position)),
            value=value,
            bound=bound,
            proven=proven,
            depth=depth,
            nodes=nodes,
            seconds=seconds,
            moves=moves,
            elapsed_us=(time.perf_counter_ns() - since) // 1000,
        )

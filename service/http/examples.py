"""What the description gives as examples: an invented answer about a real position of a game."""

from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins

from engine.game import Game
from engine.position import Move
from engine.values import Bound
from service.answers import Answer, AnswerMove, MoveSource, Source
from service.inquiry import Inquiry
from service.notated import BestMove, NotatedAnswer

_VALUE, _DEPTH, _NODES, _SECONDS, _MICROSECONDS = 545, 9, 20_000, 0.038, 48


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples about `game`."""

    game: Game

    @property
    def line(self) -> tuple[Move, ...]:
        """A few moves from the empty board."""
        line: list[Move] = []
        position = self.game.initial
        for _ in range(4):
            moves = self.game.legal_moves(position)
            line.append(moves[len(moves) // 2])
            position = self.game.play(position, line[-1])
        return tuple(line)

    @property
    def moves(self) -> str:
        """The moves that are asked about."""
        return self.game.format_line(self.line[:2])

    @property
    def answer(self) -> Any:
        """What is known of them."""
        return to_builtins(NotatedAnswer.of(self.known))

    @property
    def best(self) -> Any:
        """The best move of that."""
        return to_builtins(BestMove.of(self.known))

    @property
    def known(self) -> Answer:
        """The invented answer."""
        inquiry = Inquiry.read(self.game, self.moves)
        line = self.line[2:]
        best = AnswerMove(line[0], _VALUE, Bound.EXACT, False, _DEPTH, MoveSource.BOOK, None, line)
        return Answer(
            source=Source.BOOK,
            method=None,
            game=self.game,
            played=inquiry.played,
            position=inquiry.position,
            outcome=None,
            forbidden=(),
            value=_VALUE,
            bound=Bound.EXACT,
            proven=False,
            depth=_DEPTH,
            nodes=_NODES,
            seconds=_SECONDS,
            moves=(best,),
            elapsed_us=_MICROSECONDS,
        )

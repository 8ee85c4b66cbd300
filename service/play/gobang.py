"""The class-room form of the game: moves as lines of text, in and out."""

import time
from collections.abc import Callable, Iterator, Sequence

from engine.clock import Clock
from engine.errors import IllegalMove, InvalidMove
from engine.game import Game, Outcome
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.position import Cell, Move, Position, Side
from engine.search import Limits
from engine.values import Value

_ANNOUNCEMENTS = {
    Outcome.DARK_WINS: "Dark wins!",
    Outcome.LIGHT_WINS: "Light wins!",
    Outcome.DRAW: "Tie!",
}
# A move gets this part of the time that is left.
_SHARE = 1 / 20
# Held back for each move to come, in seconds: a search may end 20 ms late, and even one for
# which nothing is left takes the shortest time.
_RESERVE = 0.025
_SHORTEST = 0.001


class PacedEngine(Player):
    """`engine` for one game, in which it thinks for at most `game_time`, `movetime` a move.

    Times are in seconds, on `clock`.
    """

    name = EnginePlayer.name

    def __init__(
        self,
        engine: EnginePlayer,
        movetime: float,
        game_time: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = engine.game
        self.movetime: float = movetime
        self._engine = engine
        self._left = game_time
        self._clock = clock

    def choose(self, position: Position) -> Choice:
        started = self._clock()
        self._pace(position)
        choice = self._engine.choose(position)
        self._left -= self._clock() - started
        return choice

    def nodes_for(self, position: Position, clock: Clock | None = None) -> int | None:
        self._pace(position)
        return self._engine.nodes_for(position, clock)

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """See `engine.search.Searcher.expect`."""
        self._engine.expect(position, line, value, depth)

    def _pace(self, position: Position) -> None:
        """Limit the engine to what `position` may take of the time that is left."""
        moves_to_come = (self.game.cell_count - position.ply + 1) // 2
        free = self._left - moves_to_come * _RESERVE
        share = max(min(free * _SHARE, self.movetime), _SHORTEST)
        self._engine.limits = Limits(movetime=share)


def play_gobang(
    player: Player,
    lines: Iterator[str],
    write: Callable[[str], None],
    show: Callable[[Position, Cell], None],
    *,
    human: Side,
) -> Outcome | None:
    """Play one game against whoever writes `lines`; None if they end before it does.

    `write` gets each line that answers; `show` gets the position after each move, with the cell
    of the last stone.

    Raises:
        IllegalMove: if the player makes one.
    """
    game = player.game
    position = game.initial
    while (outcome := game.outcome(position)) is None:
        before = position
        if position.to_move is human:
            move = _next_move(game, position, lines, write)
            if move is None:
                return None
            position = game.play(position, move)
        else:
            move = player.choose(position).move
            position = game.play_line([move], position)
            write(f"Move played: {game.format_move(move)}")
        show(position, game.landing(before, move))
    write(_ANNOUNCEMENTS[outcome])
    return outcome


def _next_move(
    game: Game, position: Position, lines: Iterator[str], write: Callable[[str], None]
) -> Move | None:
    """The first move in `lines` that can be played, None if there is none."""
    for text in filter(None, map(str.strip, lines)):
        try:
            move = game.parse_move(text, position)
            game.play_line([move], position)
        except (InvalidMove, IllegalMove) as error:
            write(str(error))
        else:
            return move
    return None

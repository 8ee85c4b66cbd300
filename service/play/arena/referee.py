"""One game between two players: who is asked, what is timed, and what loses."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.clock import Clock
from engine.game import Game, Outcome
from engine.players.base import Choice, Player
from engine.position import Move, Position
from service.errors import PlayerFailed
from service.play.clocks import GameClock


class Forfeit(StrEnum):
    """How a player can lose a game other than on the board."""

    TIME = "time"
    ILLEGAL = "illegal"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Effort:
    """What a player spent on one game, or on several once they are added.

    `moves` counts its choices, `longest` is the seconds that the longest of them took; `nodes`
    and `depth` are sums over all of them.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0
    depth: int = 0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.longest, other.longest),
            self.nodes + other.nodes,
            self.depth + other.depth,
        )


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game. `moves` start with the opening; `efforts` are dark's and light's.

    A forfeited game is a win for the other side, and `ending` says what the loser did. It is
    empty where the game ended on the board.
    """

    moves: tuple[Move, ...]
    outcome: Outcome
    efforts: tuple[Effort, Effort]
    forfeit: Forfeit | None = None
    ending: str = ""


@dataclass(frozen=True, slots=True)
class _Fault:
    forfeit: Forfeit
    what: str


def play_game(
    players: tuple[Player, Player],
    names: tuple[str, str],
    opening: Sequence[Move],
    margin: float,
    clock: Callable[[], float] = time.monotonic,
    control: Clock | None = None,
) -> PlayedGame:
    """A game that goes on from `opening`; dark's player and name come first.

    A player loses if it fails, plays an illegal move, or takes more than `margin` seconds longer
    than the movetime that it promises, or than its clock has left. `control` is the clock that
    each side starts with; None: the game has none. Seconds are those of `clock`.
    """
    game = players[0].game
    moves = list(opening)
    position = game.play_line(moves)
    efforts = [Effort(), Effort()]
    clocks = None if control is None else (GameClock(control), GameClock(control))
    while (outcome := game.outcome(position)) is None:
        mover = position.ply % 2
        own = None if clocks is None else clocks[mover]
        answer, seconds = _ask(players[mover], position, clock, own)
        efforts[mover] += _effort(answer, seconds)
        left = None if own is None else own.spend(seconds)
        move = _judged(players[mover], position, answer, seconds, left, margin)
        if isinstance(move, _Fault):
            ending = f"{names[mover]} {move.what}"
            won = Outcome.won_by(position.to_move.other)
            return PlayedGame(tuple(moves), won, (efforts[0], efforts[1]), move.forfeit, ending)
        moves.append(move)
        position = game.play(position, move)
    return PlayedGame(tuple(moves), outcome, (efforts[0], efforts[1]))


def _ask(
    player: Player, position: Position, clock: Callable[[], float], own: GameClock | None
) -> tuple[Choice | PlayerFailed, float]:
    """The player's answer, and the seconds it took."""
    started = clock()
    answer: Choice | PlayerFailed
    try:
        if own is None:
            answer = player.choose(position)
        else:
            answer = player.choose_by_clock(position, own.reading)
    except PlayerFailed as error:
        answer = error
    return answer, clock() - started


def _effort(answer: Choice | PlayerFailed, seconds: float) -> Effort:
    if isinstance(answer, PlayerFailed):
        return Effort(1, seconds, seconds)
    return Effort(1, seconds, seconds, answer.nodes, answer.depth)


def _judged(
    player: Player,
    position: Position,
    answer: Choice | PlayerFailed,
    seconds: float,
    left: float | None,
    margin: float,
) -> Move | _Fault:
    """The move, or what is wrong with the answer; `left` is what it left on the clock."""
    if isinstance(answer, PlayerFailed):
        return _Fault(Forfeit.FAILED, f"failed: {answer}")
    allowed = player.movetime
    if allowed is not None and seconds > allowed + margin:
        times = f"{seconds * 1000:.0f} ms of {allowed * 1000:.0f} ms"
        return _Fault(Forfeit.TIME, f"overstepped its time: {times}")
    if left is not None and left < -margin:
        return _Fault(Forfeit.TIME, f"overstepped its clock by {-left * 1000:.0f} ms")
    if answer.move not in player.game.legal_moves(position):
        move = _described(player.game, position, answer.move)
        return _Fault(Forfeit.ILLEGAL, f"played an illegal move: {move}")
    return answer.move


def _described(game: Game, position: Position, move: Move) -> str:
    if not 0 <= move < game.move_count:
        return str(move)
    return f"{game.format_move(move)} ({game.why_illegal(position, move)})"

"""One game between two players: who is asked, what is timed, and what loses."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TypeVar

from engine.clock import Clock
from engine.errors import FivebookError
from engine.game import Game, Outcome
from engine.players.base import Choice, Player
from engine.position import Move, Position, Side
from service.errors import PlayerFailed
from service.play.clocks import GameClock
from service.play.openers import begin_game, opener_of, peak_memory_of
from service.play.swapping import Opener, Opening, OpeningRule, Seat

_Answer = TypeVar("_Answer")
_MEBIBYTE = 1 << 20


class Forfeit(StrEnum):
    """How a player can lose a game other than on the board."""

    TIME = "time"
    ILLEGAL = "illegal"
    FAILED = "failed"
    MEMORY = "memory"


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

    def __add__(self, other: Effort) -> Effort:
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
    empty where the game ended on the board. `swapped`: the players have changed colours in the
    opening, so that the second of them was dark. `values` are those that the players gave their
    moves, each on its own scale and for itself, one for each of `moves`; None where there is none.
    """

    moves: tuple[Move, ...]
    outcome: Outcome
    efforts: tuple[Effort, Effort]
    forfeit: Forfeit | None = None
    ending: str = ""
    swapped: bool = False
    values: tuple[int | None, ...] = ()


Watch = Callable[[Sequence[Move]], None]
"""Sees the moves of a game so far, after each."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a referee watches over besides legal moves.

    A player loses that takes more than `margin` seconds longer than the movetime that it promises,
    or than its clock has left; `control` is the clock that each side starts with, None: the game
    has none. It also loses with more than `memory` bytes, 0: any. With `choosing` the players put
    the first stones and choose their colours by that rule, as far as the opening leaves them to.
    """

    margin: float
    control: Clock | None = None
    memory: int = 0
    choosing: OpeningRule | None = None


def play_game(
    players: tuple[Player, Player],
    names: tuple[str, str],
    opening: Sequence[Move],
    rules: Rules,
    *,
    number: int = 0,
    clock: Callable[[], float] = time.monotonic,
    watch: Watch = lambda moves: None,
) -> PlayedGame:
    """A game that goes on from `opening`; dark's player and name come first.

    Where the players choose their colours the first puts the first stones; from game to game, by
    their `number`, these differ. A player loses if it fails, plays an illegal move, or oversteps
    what `rules` grant. Seconds are those of `clock`.

    Raises:
        UnsuitableGame: if a player is to choose colours and knows of moves alone.
    """
    return _Referee(players, names, rules, clock, watch).play(opening, number)


class _Referee:
    """One game. Players are numbers: 0 is the first, 1 the second."""

    def __init__(
        self,
        players: tuple[Player, Player],
        names: tuple[str, str],
        rules: Rules,
        clock: Callable[[], float],
        watch: Watch,
    ) -> None:
        self._players = players
        self._names = names
        self._rules = rules
        self._clock = clock
        self._watch = watch
        self._efforts = [Effort(), Effort()]
        self._clocks = None if rules.control is None else [GameClock(rules.control) for _ in "12"]
        self._game = players[0].game
        self._moves: tuple[Move, ...] = ()
        self._values: tuple[int | None, ...] = ()
        self._dark = 0

    def play(self, opening: Sequence[Move], number: int) -> PlayedGame:
        """The game from `opening` to its end."""
        self._add(opening)
        try:
            self._begin(number)
            rule = self._rules.choosing
            if rule is not None and not opening:
                with (
                    opener_of(self._players[0], rule, number) as first,
                    opener_of(self._players[1], rule, number) as second,
                ):
                    self._choose(Opening(self._game, rule), (first, second))
            return self._ended(self._play_on())
        except _Lost as lost:
            return self._forfeited(lost)

    def _begin(self, number: int) -> None:
        """Have both players ready, before any clock runs."""
        for index, player in enumerate(self._players):
            try:
                begin_game(player, number)
            except PlayerFailed as error:
                raise _Lost(index, Forfeit.FAILED, f"failed: {error}") from error

    def _play_on(self) -> Outcome:
        position = self._game.play_line(self._moves)
        while (outcome := self._game.outcome(position)) is None:
            number = self._dark ^ position.ply % 2
            choice = self._ask(number, partial(_choice, self._players[number], position))
            self._efforts[number] += Effort(nodes=choice.nodes, depth=choice.depth)
            if choice.move not in self._game.legal_moves(position):
                move = _described(self._game, position, choice.move)
                raise _Lost(number, Forfeit.ILLEGAL, f"played an illegal move: {move}")
            self._add([choice.move], choice.value)
            position = self._game.play(position, choice.move)
        return outcome

    def _choose(self, opening: Opening, openers: tuple[Opener, Opener]) -> None:
        """Have the players put stones and choose colours."""
        while opening.actor is not None:
            number = 0 if opening.actor is Seat.FIRST else 1
            decision = self._ask(number, partial(openers[number].decide, opening))
            try:
                begun = opening.obey(decision)
            except FivebookError as error:
                raise _Lost(number, Forfeit.ILLEGAL, f"broke the opening rule: {error}") from error
            self._add([*opening.moves[len(self._moves) :], *begun])
        self._dark = 0 if opening.dark is Seat.FIRST else 1

    def _add(self, moves: Sequence[Move], value: int | None = None) -> None:
        self._moves = (*self._moves, *moves)
        self._values = (*self._values, *(value for _ in moves))
        self._watch(self._moves)

    def _ask(self, number: int, ask: Callable[[Clock | None], _Answer]) -> _Answer:
        """What a player answers, if it kept to the rules; it is told its clock.

        Raises:
            _Lost: if it did not.
        """
        own = None if self._clocks is None else self._clocks[number]
        started = self._clock()
        try:
            answer = ask(None if own is None else own.reading)
        except PlayerFailed as error:
            self._spend(number, started)
            raise _Lost(number, Forfeit.FAILED, f"failed: {error}") from error
        seconds = self._spend(number, started)
        left = None if own is None else own.spend(seconds)
        self._check(number, seconds, left)
        return answer

    def _spend(self, number: int, started: float) -> float:
        seconds = self._clock() - started
        self._efforts[number] += Effort(1, seconds, seconds)
        return seconds

    def _check(self, number: int, seconds: float, left: float | None) -> None:
        margin, memory = self._rules.margin, self._rules.memory
        allowed = self._players[number].movetime
        if allowed is not None and seconds > allowed + margin:
            times = f"{seconds * 1000:.0f} ms of {allowed * 1000:.0f} ms"
            raise _Lost(number, Forfeit.TIME, f"overstepped its time: {times}")
        if left is not None and left < -margin:
            raise _Lost(number, Forfeit.TIME, f"overstepped its clock by {-left * 1000:.0f} ms")
        used = peak_memory_of(self._players[number]) if memory else 0
        if used > memory:
            sizes = f"{used / _MEBIBYTE:.0f} MiB of {memory / _MEBIBYTE:.0f} MiB"
            raise _Lost(number, Forfeit.MEMORY, f"overstepped its memory: {sizes}")

    def _ended(self, outcome: Outcome) -> PlayedGame:
        dark, light = self._dark, 1 - self._dark
        efforts = (self._efforts[dark], self._efforts[light])
        swapped = bool(dark)
        return PlayedGame(self._moves, outcome, efforts, swapped=swapped, values=self._values)

    def _forfeited(self, lost: _Lost) -> PlayedGame:
        winner = Side.LIGHT if lost.number == self._dark else Side.DARK
        ended = self._ended(Outcome.won_by(winner))
        ending = f"{self._names[lost.number]} {lost.what}"
        return replace(ended, forfeit=lost.forfeit, ending=ending)


class _Lost(Exception):
    """A player has done what loses the game."""

    def __init__(self, number: int, forfeit: Forfeit, what: str) -> None:
        super().__init__(what)
        self.number = number
        self.forfeit = forfeit
        self.what = what


def _choice(player: Player, position: Position, clock: Clock | None) -> Choice:
    if clock is None:
        return player.choose(position)
    return player.choose_by_clock(position, clock)


def _described(game: Game, position: Position, move: Move) -> str:
    if not 0 <= move < game.move_count:
        return str(move)
    return f"{game.format_move(move)} ({game.why_illegal(position, move)})"

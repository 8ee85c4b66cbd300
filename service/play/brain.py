"""This project as a program that speaks the Gomocup protocol: what managers call a brain.

The protocol: https://plastovicka.github.io/protocl2en.htm
"""

import re
import resource
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from book.storage.address import AnyAddress
from engine import __version__, registry
from engine.clock import LAG, Clock
from engine.errors import FivebookError, UnknownGame
from engine.game import Game
from engine.games.gomoku import Rule, id_of
from engine.players.base import Player
from engine.players.engine import EnginePlayer
from engine.position import Bitboard, Cell, Position
from engine.search import Limits, SearchOptions
from service.play.book import BookPlayer

_ABOUT = f'name="fivebook", version="{__version__}", author="the fivebook authors"'
# What a turn takes if the manager says nothing of time, and one for which there is none.
_USUAL_TURN = 1.0
_SHORTEST = 0.01
# The largest number of the protocol, as time_left: there is no limit.
_UNLIMITED = 2**31 - 1
_MEBIBYTE = 1 << 20
# Of the memory that the manager allows and that is not in use, the table takes half; but a search
# of a few seconds fills no more than that many MiB.
_MOST_TABLE = 64
_CONTINUOUS = 2
_RULES = {0: Rule.FREESTYLE, 1: Rule.STANDARD, 4: Rule.RENJU}
_OWN, _OTHER, _WINNING = "1", "2", "3"


class _Refused(FivebookError):
    """A command that is not obeyed: the rest of an ERROR line."""


class Brain:
    """Obeys a manager's commands, one after the other.

    `options` are for each search, but where the manager limits the memory, the table gets no
    more than there is room for; with `may_grow` it may also get more than they say.
    """

    def __init__(
        self, book: AnyAddress | None, options: SearchOptions, *, may_grow: bool = False
    ) -> None:
        self._book = book
        self._asked = self._options = options
        self._may_grow = may_grow
        self._most_memory = 0
        self._time = _Time()
        self._size: int | None = None
        self._rule = 0
        self._own: Bitboard = 0
        self._other: Bitboard = 0
        self._engine: EnginePlayer | None = None
        self._player: Player | None = None

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What to write, as soon as the command that asks for it has been read from `lines`.

        Ends with them, or with the command END.
        """
        commands = (line.strip() for line in lines)
        for line in filter(None, commands):
            word, _, rest = line.partition(" ")
            command = word.upper()
            if command == "END":
                break
            stones = self._own, self._other
            try:
                answer = self._obey(command, rest.strip(), commands)
            except FivebookError as error:
                self._own, self._other = stones
                answer = f"ERROR {error}"
            if answer is not None:
                yield answer

    def close(self) -> None:
        """Let go of the book and the engine."""
        if self._player is not None:
            self._player.close()
        self._player = self._engine = None

    def _obey(self, command: str, rest: str, commands: Iterator[str]) -> str | None:
        """The answer to a command; None where there is none."""
        started = time.monotonic()
        match command:
            case "START":
                self._start(rest)
                return "OK"
            case "RECTSTART":
                raise _Refused("only square boards are played: START and a size")
            case "RESTART":
                self._clear()
                self._time.start_game()
                return "OK"
            case "BEGIN":
                self._clear()
                return self._move(started)
            case "TURN":
                self._put(self._cell(rest), _OTHER)
                return self._move(started)
            case "BOARD":
                self._set_up(commands)
                return self._move(started)
            case "TAKEBACK":
                self._take_back(self._cell(rest))
                return "OK"
            case "INFO":
                key, _, value = rest.partition(" ")
                self._inform(key.lower(), value.strip())
                return None
            case "ABOUT":
                return _ABOUT
        return f"UNKNOWN command '{command}'"

    def _start(self, size: str) -> None:
        if not re.fullmatch("[0-9]{1,3}", size):
            raise _Refused(f"'{size}' is no size of a board")
        before, self._size = self._size, int(size)
        try:
            # Now, since the first move is on the clock.
            if self._engine is None:
                self._load()
                self._fit_table()
            self._load()
        except FivebookError:
            self._size = before
            raise
        self._clear()
        self._time.start_game()

    def _clear(self) -> None:
        self._game()
        self._own = self._other = 0

    def _game(self) -> Game:
        """The game that is played.

        Raises:
            FivebookError: if none is, or there is none of this size and rule.
        """
        if self._size is None:
            raise _Refused("there is no board yet: START and its size")
        try:
            return registry.get(id_of(self._size, _RULES[self._rule]))
        except (UnknownGame, KeyError):
            raise _Refused(f"there is no game of size {self._size} by rule {self._rule}") from None

    def _load(self) -> tuple[Player, EnginePlayer]:
        """The player of the game as it is now, and the engine in it."""
        game, options = self._game(), self._options
        if self._player is not None and self._engine is not None:
            if self._engine.game is game and self._engine.options == options:
                return self._player, self._engine
            self.close()
        self._engine = EnginePlayer(game, Limits(nodes=1), options)
        # Touches what the first move would otherwise wait for.
        self._engine.choose(game.initial)
        self._player = self._engine if self._book is None else BookPlayer(self._book, self._engine)
        return self._player, self._engine

    def _fit_table(self) -> None:
        """Choose the size of the table, now that everything else has its memory."""
        if self._most_memory == 0 or self._engine is None:
            return
        # Kilobytes, on Linux.
        in_use = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        room = (self._most_memory - in_use) // _MEBIBYTE + self._engine.options.table
        most = _MOST_TABLE if self._may_grow else self._asked.table
        self._options = replace(self._asked, table=max(min(room // 2, most), 1))

    def _move(self, started: float) -> str:
        """Find a move, put it on the board, and name it. `started`: when it was asked for."""
        player, engine = self._load()
        game, position = engine.game, self._position()
        if not game.legal_moves(position):
            raise _Refused("the game is over")
        engine.limits = self._time.limits(time.monotonic() - started)
        move = player.choose(position).move
        self._put(game.cell_of(move), _OWN)
        self._time.spend(time.monotonic() - started)
        return self._named(game.cell_of(move))

    def _position(self) -> Position:
        """The board, on which it is this program's turn. The first stone was dark."""
        own, other = self._own.bit_count(), self._other.bit_count()
        if own == other:
            return Position(self._own, self._other)
        if other == own + 1:
            return Position(self._other, self._own)
        raise _Refused(f"{own} stones of mine and {other} of the other side: it is not my turn")

    def _set_up(self, commands: Iterator[str]) -> None:
        # To its end first, so that no stone is taken for a command.
        stones: list[str] = []
        for line in commands:
            if line.upper() == "DONE":
                break
            stones.append(line)
        self._clear()
        for stone in filter(None, stones):
            match = re.fullmatch(rf"(.+,.+?)\s*,\s*([{_OWN}{_OTHER}{_WINNING}])", stone)
            if match is None:
                raise _Refused(f"'{stone}' is no stone, such as 7,7,1")
            if match[2] != _WINNING:
                self._put(self._cell(match[1]), match[2])

    def _put(self, cell: Cell, owner: str) -> None:
        if (self._own | self._other) >> cell & 1:
            raise _Refused(f"{self._named(cell)} is taken")
        if owner == _OWN:
            self._own |= 1 << cell
        else:
            self._other |= 1 << cell

    def _take_back(self, cell: Cell) -> None:
        if not (self._own | self._other) >> cell & 1:
            raise _Refused(f"there is no stone on {self._named(cell)}")
        self._own &= ~(1 << cell)
        self._other &= ~(1 << cell)

    def _cell(self, text: str) -> Cell:
        size = self._game().width
        match = re.fullmatch(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})", text)
        if match is None or not (int(match[1]) < size and int(match[2]) < size):
            raise _Refused(f"'{text}' is no cell: cells run from 0,0 to {size - 1},{size - 1}")
        return int(match[2]) * size + int(match[1])

    def _named(self, cell: Cell) -> str:
        row, column = divmod(cell, self._game().width)
        return f"{column},{row}"

    def _inform(self, key: str, value: str) -> None:
        """Note what is of use; as the protocol has it, the rest is ignored."""
        if not re.fullmatch("-?[0-9]{1,18}", value):
            return
        number = min(int(value), _UNLIMITED)
        match key:
            case "timeout_turn":
                self._time.turn = max(number, 0) / 1000
            case "timeout_match":
                self._time.match = max(number, 0) / 1000
            case "time_left":
                self._time.left = None if number == _UNLIMITED else number / 1000
            case "max_memory":
                self._most_memory = max(number, 0)
                self._fit_table()
            case "rule":
                # What follows the end of a game is up to the manager.
                self._rule = number & ~_CONTINUOUS
        if key in ("max_memory", "rule") and self._size is not None:
            self._load()


class _Time:
    """What the manager has said of time, in seconds; None: nothing.

    `turn` is for each turn, `match` for a whole game, 0 if it is not limited, and `left` what is
    left of that.
    """

    def __init__(self) -> None:
        self.turn: float | None = None
        self.match: float | None = None
        self.left: float | None = None

    def start_game(self) -> None:
        """Have the whole of a game's time again, where that is known."""
        if self.match:
            self.left = self.match

    def spend(self, seconds: float) -> None:
        """Count, for a manager that does not send what is left before every turn."""
        if self._known_left is not None:
            self.left = self._known_left - seconds

    @property
    def _known_left(self) -> float | None:
        return self.match if self.left is None else self.left

    def limits(self, spent: float) -> Limits:
        """The limits of a search that begins when so much of its turn is spent."""
        clock = None
        if self._known_left is not None and self.match != 0:
            clock = Clock(max(self._known_left - spent, _SHORTEST))
        turn = self.turn
        if clock is not None and not turn:
            # A turn of 0 asks to be as fast as possible. With a game's time besides it, managers
            # mean that turns have none.
            return Limits(clock=clock)
        if turn is None:
            turn = _USUAL_TURN
        return Limits(movetime=max(max(turn - LAG, turn / 2) - spent, _SHORTEST), clock=clock)

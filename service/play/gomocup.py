"""Programs that speak the Gomocup protocol (new Piskvork), as players.

The protocol: https://plastovicka.github.io/protocl2en.htm
"""

import re
import shlex
import subprocess
import time
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from engine.clock import Clock
from engine.game import Game
from engine.games.gomoku import Gomoku, Rule
from engine.players.base import Choice, Player, UnsuitableGame
from engine.position import Cell, Position, Side, cells_of
from engine.search import Limits
from service.errors import InvalidPlayer, PlayerFailed
from service.play.swapping import Colour, Decision, Opening

# A program may load tables when it starts, and is given up this long after its movetime.
_STARTING_SECONDS = 30.0
_PATIENCE = 10.0
_ENDING_SECONDS = 2.0
_REMARKS = ("MESSAGE", "DEBUG")
_UNLIMITED = 2**31 - 1
_OWN, _OTHER = 1, 2
_RULES = {Rule.FREESTYLE: 0, Rule.STANDARD: 1, Rule.RENJU: 4}


class GomocupPlayer(Player):
    """Runs the program of a command line, from the first move until it is closed.

    It is told that it may use `memory` bytes, 0: any; nobody keeps it to that here.

    Raises:
        InvalidPlayer: if there is no command, or neither a movetime nor a clock, the limits of
            the protocol.
        UnsuitableGame: if `game` is not Gomoku.
        PlayerFailed: if the program does not start.
    """

    name = "gomocup"

    def __init__(self, game: Game, command: str, limits: Limits, memory: int = 0) -> None:
        if not isinstance(game, Gomoku):
            raise UnsuitableGame(f"Gomocup programs play Gomoku, such as gomoku-15, not {game.id}")
        if not command:
            raise InvalidPlayer("name the program: gomocup:COMMAND LINE")
        clock = limits.clock
        longest = clock.left if limits.movetime is None and clock else limits.movetime
        if longest is None:
            raise InvalidPlayer("Gomocup programs are limited by time: give a movetime or a clock")
        self.game = game
        self.movetime = limits.movetime
        self._longest = longest
        self._settings = (
            f"INFO timeout_turn {_milliseconds(longest)}",
            f"INFO timeout_match {_milliseconds(clock.left) if clock else 0}",
            f"INFO time_left {_milliseconds(clock.left) if clock else _UNLIMITED}",
            "INFO game_type 1",
            f"INFO rule {_RULES[game.rule]}",
        )
        self._is_fresh = False
        self._last: Position | None = None
        self._program = _Program(command)
        if memory:
            # Before all else, so that no turn waits for memory to be had.
            self._program.send(f"INFO max_memory {memory}")
        try:
            self._start()
        except BaseException:
            self._program.close()
            raise

    def choose(self, position: Position) -> Choice:
        return self._choose(position, None)

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        return self._choose(position, clock)

    def begin_game(self) -> None:
        """Have the program begin a new game now, so that no turn waits for that."""
        self._start()
        self._is_fresh = True

    def decide(self, opening: Opening, clock: Clock | None) -> Decision:
        """What the program says to do in an opening by swap2, see `Opener.decide`.

        Raises:
            PlayerFailed: if it answers with nothing that makes sense.
        """
        if not self._is_fresh:
            self._start()
        self._tell_time(clock)
        self._program.send("SWAP2BOARD")
        for number, move in enumerate(opening.moves):
            # Some programs want the owner of a stone as in BOARD; the others pass over it.
            self._program.send(f"{self._name(move)},{_OTHER if number % 2 else _OWN}")
        self._program.send("DONE")
        answer = self._program.receive(self._patience(clock))
        # Whatever follows is sent as a board.
        self._last, self._is_fresh = None, True
        return self._decision(opening, answer)

    def _decision(self, opening: Opening, answer: str) -> Decision:
        to_move = opening.inquiry.position.to_move
        if answer.upper() == "SWAP":
            return Decision(Colour(to_move.other), ())
        if not re.fullmatch(r"[0-9]+\s*,\s*[0-9]+(\s+[0-9]+\s*,\s*[0-9]+){0,2}", answer):
            raise self._program.failure(
                f"its answer '{answer}' to SWAP2BOARD is neither SWAP nor cells"
            )
        moves = tuple(map(self._cell, re.sub(r"\s*,\s*", ",", answer).split()))
        if opening.to_put:
            return Decision(None, moves)
        return Decision(Colour(to_move) if len(moves) == 1 else Colour.ADD, moves)

    @property
    def peak_memory(self) -> int:
        """The most memory that the program has had, in bytes; 0 where the system does not tell."""
        return self._program.peak_memory

    def _choose(self, position: Position, clock: Clock | None) -> Choice:
        reply = self._reply(position)
        if reply is None and not self._is_fresh:
            self._start()
        self._is_fresh = False
        self._tell_time(clock)
        if reply is not None:
            self._program.send(f"TURN {self._name(reply)}")
        else:
            self._set_up(position)
        move = self._cell(self._program.receive(self._patience(clock)))
        self._last = self.game.play(position, move)
        return Choice(move)

    def close(self) -> None:
        self._program.close()

    def _tell_time(self, clock: Clock | None) -> None:
        if clock is not None:
            # The protocol knows no increments: the program learns of them as they are added.
            self._program.send(f"INFO time_left {_milliseconds(clock.left)}")

    def _patience(self, clock: Clock | None) -> float:
        """For how many seconds an answer is awaited."""
        return (self._longest if clock is None else clock.left) + _PATIENCE

    def _start(self) -> None:
        """Have the program begin anew with an empty board."""
        self._program.send(f"START {self.game.width}")
        answer = self._program.receive(_STARTING_SECONDS)
        if answer != "OK":
            raise self._program.failure(f"it answers START {self.game.width} with '{answer}'")
        for setting in self._settings:
            self._program.send(setting)
        self._last = None

    def _set_up(self, position: Position) -> None:
        if position.ply == 0:
            self._program.send("BEGIN")
            return
        dark, light = cells_of(position.dark), cells_of(position.light)
        self._program.send("BOARD")
        for pair in zip_longest(dark, light):
            for cell, side in zip(pair, Side, strict=True):
                if cell is not None:
                    owner = _OWN if side is position.to_move else _OTHER
                    self._program.send(f"{self._name(cell)},{owner}")
        self._program.send("DONE")

    def _reply(self, position: Position) -> Cell | None:
        """The one stone that `position` has more than the last one the program left, if it is
        that game going on."""
        last = self._last
        if last is None or last.dark & ~position.dark or last.light & ~position.light:
            return None
        added = cells_of((position.dark | position.light) & ~(last.dark | last.light))
        return added[0] if len(added) == 1 else None

    def _name(self, cell: Cell) -> str:
        row, column = divmod(cell, self.game.width)
        return f"{column},{row}"

    def _cell(self, answer: str) -> Cell:
        size = self.game.width
        match = re.fullmatch(r"([0-9]+),([0-9]+)", answer.replace(" ", ""))
        if match is None or not (int(match[1]) < size and int(match[2]) < size):
            raise self._program.failure(f"its answer '{answer}' is no cell")
        return int(match[2]) * size + int(match[1])


def _milliseconds(seconds: float) -> int:
    return min(max(round(seconds * 1000), 1), _UNLIMITED)


class _Program:
    """A running program that is talked to in lines."""

    def __init__(self, command: str) -> None:
        self._command = command
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except (OSError, ValueError) as error:
            raise self.failure(f"it does not start: {error}") from error
        # Read in a thread of its own, so that waiting for a line can be given up.
        self._lines: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def failure(self, what: str) -> PlayerFailed:
        """The error that says `what` of this program."""
        return PlayerFailed(f"gomocup:{self._command}: {what}")

    @property
    def peak_memory(self) -> int:
        """The most memory that it has had, in bytes; 0 where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return 0
        match = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
        return 1024 * int(match[1]) if match else 0

    def send(self, line: str) -> None:
        """Send `line`. That the program has ended is seen when its answer is awaited."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> str:
        """The program's next answer, without what it merely remarks.

        Raises:
            PlayerFailed: if it ends, or gives none within `seconds`.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                raise self.failure(f"no answer within {seconds:.0f} s") from None
            if line is None:
                raise self.failure("it has ended")
            if line and not line.upper().startswith(_REMARKS):
                return line

    def close(self) -> None:
        """Ask the program to end, and end it if it does not."""
        self.send("END")
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

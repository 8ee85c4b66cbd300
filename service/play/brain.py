"""This project as a program that speaks the Gomocup protocol: what managers call a brain.

The protocol: https://plastovicka.github.io/protocl2en.htm, with SWAP2BOARD of Gomocup's
experimental tournaments and, of Yixin's extensions, those that managers use.
"""

import re
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

from book.lessons import Lessons
from book.storage.address import Address, AnyAddress
from engine import __version__, registry
from engine.errors import FivebookError, UnknownGame
from engine.game import Game
from engine.games.gomoku import Rule, id_of
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.position import Cell, Position, Side
from engine.search import MOST_TABLE, MOST_THREADS, Limits, SearchOptions
from engine.values import describe_value, from_child
from service.answerer import Answerer
from service.answers import Answer
from service.inquiry import Inquiry
from service.play import yixin
from service.play.book import BookPlayer
from service.play.learning import GameNotes
from service.play.managers import Refused, Stones, TimeControl
from service.play.stopping import END, STOPS
from service.play.swapping import Decider, Decision, Opening, OpeningRule
from service.play.variety import ALWAYS_THE_BEST, Variety
from service.resident import set_aside

_ABOUT = f'name="fivebook", version="{__version__}", author="the fivebook authors"'
# The largest number of the protocol, as time_left: there is no limit.
_UNLIMITED = 2**31 - 1
_MEBIBYTE = 1 << 20
_KIBIBYTES = 1 << 10
# Of the memory that the manager allows and that is not in use, the table takes half; but a search
# of a few seconds fills no more than that many MiB.
_MOST_TABLE = 64
# For what is no move, such as the stones of an opening.
_SMALL_TABLE = 4
_CONTINUOUS = 2
_RULES = {0: Rule.FREESTYLE, 1: Rule.STANDARD, 4: Rule.RENJU}
_OWN, _OTHER, _WINNING = "1", "2", "3"
_SWAP2_STONES = (0, 3, 5)
_MOST_LINES = 50
# A glance at a cell that the mouse is over takes some milliseconds.
_GLANCE = Limits(nodes=5000, movetime=0.05)
_A_STONE = re.compile(r"[0-9]+\s*,\s*[0-9]+(\s*,\s*[0-9]+)?|DONE", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command that was read at `started`: the rest of its line, and the lines behind it."""

    rest: str
    lines: Iterator[str]
    started: float

    def stones(self) -> list[str]:
        """What stands before DONE, in this line or in those that follow.

        All of it is read first, so that no stone is taken for a command.
        """
        found: list[str] = []
        for line in chain([self.rest], self.lines):
            for word in re.sub(r"\s*,\s*", ",", line).split():
                if word.upper() == "DONE":
                    return found
                found.append(word)
        return found


class Brain:
    """Obeys a manager's commands, one after the other.

    Games that it sees to be lost are added to `lessons`, if there are any.

    `options` are for each search, but where the manager limits the memory, the table gets no
    more than there is room for; with `may_grow` it may also get more than they say. `variety`
    chooses among the book's moves, and its seed the stones of openings.
    """

    def __init__(
        self,
        book: AnyAddress | None,
        options: SearchOptions,
        *,
        may_grow: bool = False,
        variety: Variety = ALWAYS_THE_BEST,
        lessons: Lessons | None = None,
    ) -> None:
        self._lessons = lessons
        self._notes: GameNotes | None = None
        self._book = None if book is None else Address.of(book)
        self._uses_book = True
        self._asked = self._options = options
        self._may_grow = may_grow
        self._variety = variety
        self._most_memory = 0
        self._time = TimeControl()
        self._size: int | None = None
        self._rule = 0
        self._games = 0
        self._stones = Stones()
        self._engine: EnginePlayer | None = None
        self._player: Player | None = None
        self._answerer: Answerer | None = None
        self._told_unused: Game | None = None

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What to write, as soon as the command that asks for it has been read from `lines`.

        Ends with them, or with the command END.
        """
        commands = (line.strip() for line in lines)
        follows_unknown = False
        for line in filter(None, commands):
            word, _, rest = line.partition(" ")
            command = word.upper()
            if command == END:
                break
            if follows_unknown and _A_STONE.fullmatch(line):
                # They belong to it: a line of answer for each would put the manager out of step.
                continue
            obey = _COMMANDS.get(command)
            follows_unknown = obey is None
            if obey is None:
                yield f"UNKNOWN command '{command}'"
                continue
            stones = self._stones.copy()
            try:
                yield from obey(self, _Command(rest.strip(), commands, time.monotonic()))
            except FivebookError as error:
                self._stones = stones
                yield f"ERROR {error}"
        self._end_notes()

    def stop(self) -> None:
        """Have the move that another thread is looking for be made now."""
        engine = self._engine
        if engine is not None:
            engine.end()

    def close(self) -> None:
        """Let go of the book and the engine."""
        if self._player is not None:
            self._player.close()
        if self._answerer is not None:
            self._answerer.close()
        self._player = self._engine = self._answerer = None

    def _start(self, command: _Command) -> Iterator[str]:
        if not re.fullmatch("[0-9]{1,3}", command.rest):
            raise Refused(f"'{command.rest}' is no size of a board")
        self._begin_with(int(command.rest))
        yield "OK"

    def _start_rectangle(self, command: _Command) -> Iterator[str]:
        match = re.fullmatch(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})", command.rest)
        if match is None or int(match[1]) != int(match[2]):
            raise Refused("only square boards are played: START and a size")
        self._begin_with(int(match[1]))
        yield "OK"

    def _begin_with(self, size: int) -> None:
        before, self._size = self._size, size
        try:
            # Now, since the first move is on the clock.
            if self._engine is None:
                self._load()
                self._fit_table()
            self._load()
        except FivebookError:
            self._size = before
            raise
        self._begin_game()

    def _restart(self, command: _Command) -> Iterator[str]:
        self._game()
        self._begin_game()
        yield "OK"

    def _begin_game(self) -> None:
        self._end_notes()
        self._stones = Stones()
        self._time.start_game()
        self._games += 1
        if isinstance(self._player, BookPlayer):
            self._player.begin_game(self._games)

    def _begin(self, command: _Command) -> Iterator[str]:
        self._clear()
        yield from self._move(command.started)

    def _turn(self, command: _Command) -> Iterator[str]:
        self._put(self._cell(command.rest), _OTHER)
        yield from self._move(command.started)

    def _board(self, command: _Command) -> Iterator[str]:
        self._set_up(command.stones())
        yield from self._move(command.started)

    def _board_without_move(self, command: _Command) -> Iterator[str]:
        self._set_up(command.stones())
        self._stones.begin_turn()
        yield from ()

    def _take_back(self, command: _Command) -> Iterator[str]:
        cell = self._cell(command.rest)
        if not self._stones.taken >> cell & 1:
            raise Refused(f"there is no stone on {self._named(cell)}")
        self._stones.remove(cell)
        yield "OK"

    def _info(self, command: _Command) -> Iterator[str]:
        key, _, value = command.rest.partition(" ")
        if key.lower() == "evaluate":
            yield from self._evaluate(value.strip())
        else:
            self._inform(key.lower(), value.strip())

    def _about(self, command: _Command) -> Iterator[str]:
        yield _ABOUT

    def _stopped(self, command: _Command) -> Iterator[str]:
        # Whoever reads ahead has called `stop`; by now the move is made.
        yield from ()

    def _swap2(self, command: _Command) -> Iterator[str]:
        """Put the stones of an opening, or choose a colour: see `service.play.swapping`."""
        stones = command.stones()
        game = self._game()
        if len(stones) not in _SWAP2_STONES:
            raise Refused(f"swap2 has no stones, three or five to begin with, not {len(stones)}")
        moves = tuple(map(self._cell_of_stone, stones))
        position = game.play_line(moves)
        opening = Opening(game, OpeningRule.SWAP2, moves, added=len(moves) == max(_SWAP2_STONES))
        yield from self._note_unused_book()
        decision = self._decide(opening, command.started)
        position = game.play_line(decision.moves, position)
        # Until the manager says otherwise, the other side goes on with the colour to move.
        self._stones.give(position, own_is_dark=position.to_move is Side.LIGHT)
        yield " ".join(self._named(game.cell_of(move)) for move in decision.moves) or "SWAP"

    def _decide(self, opening: Opening, started: float) -> Decision:
        limits = self._time.limits(time.monotonic() - started)
        decision = Decider(self._advice()).decide(opening, limits, self._random())
        self._time.spend(time.monotonic() - started)
        return decision

    def _random(self) -> Random:
        """What chooses the stones of an opening: the same ones each time unless told otherwise."""
        if self._variety.seed is not None:
            return Random(f"{self._variety.seed} {self._games}")
        return Random() if self._variety.margin else Random(0)

    def _several(self, command: _Command) -> Iterator[str]:
        """Name the best moves in messages, and play the first."""
        if not re.fullmatch("[0-9]{1,5}", command.rest) or int(command.rest) < 1:
            raise Refused(f"'{command.rest}' is no number of moves")
        game = self._game()
        position = self._stones.begin_turn()
        if not game.legal_moves(position):
            raise Refused("the game is over")
        count = min(int(command.rest), _MOST_LINES)
        advice = self._advice()
        limits = self._time.limits(time.monotonic() - command.started)
        answer = advice.answer(Inquiry(game, (), position), limits, lines=count)
        assert answer.best is not None  # the game is not over
        for line in yixin.best_lines(answer, count, self._named):
            yield f"MESSAGE {line}"
        cell = game.cell_of(answer.best.move)
        self._put(cell, _OWN)
        self._time.spend(time.monotonic() - command.started)
        yield self._named(cell)

    def _show_forbidden(self, command: _Command) -> Iterator[str]:
        yield yixin.forbidden(self._game(), self._stones.position)

    def _clear_table(self, command: _Command) -> Iterator[str]:
        self._game()
        self.close()
        self._load()
        yield "MESSAGE the transposition table is empty"

    def _show_limits(self, command: _Command) -> Iterator[str]:
        # The size is the exponent of a power of two, in KiB.
        yield f"MESSAGE INFO MAX_THREAD_NUM {MOST_THREADS}"
        yield f"MESSAGE INFO MAX_HASH_SIZE {(MOST_TABLE * _KIBIBYTES).bit_length() - 1}"

    def _query_moves(self, command: _Command) -> Iterator[str]:
        stored = self._stored(command.stones())
        yield from (f"MESSAGE {line}" for line in yixin.stored_moves(stored, self._named))

    def _query_position(self, command: _Command) -> Iterator[str]:
        yield f"MESSAGE {yixin.stored_position(self._stored(command.stones()))}"

    def _query_text(self, command: _Command) -> Iterator[str]:
        command.stones()
        yield f"MESSAGE {yixin.stored_text()}"

    def _query_moves_and_text(self, command: _Command) -> Iterator[str]:
        yield from self._query_moves(command)
        yield f"MESSAGE {yixin.stored_text()}"

    def _stored(self, stones: list[str]) -> Answer | None:
        """What the book holds of the position after `stones`, which are in their order."""
        game = self._game()
        moves = tuple(map(self._cell_of_stone, stones))
        return self._advice().stored_each([Inquiry(game, moves, game.play_line(moves))])[0]

    def _evaluate(self, text: str) -> Iterator[str]:
        """Tell what a move to the cell under the mouse is worth to the side to move."""
        try:
            game, cell, position = self._game(), self._cell(text), self._stones.position
        except Refused:
            # Of no use, like other information: nobody awaits an answer.
            return
        reason = game.why_illegal(position, cell)
        if reason:
            yield f"MESSAGE {self._named(cell)}: {reason}"
            return
        answer = self._advice().answer(Inquiry(game, (), position).after(cell), _GLANCE)
        value = describe_value(from_child(answer.value), answer.proven)
        origin = answer.found_live or ("by rule" if answer.outcome else "from the book")
        yield f"MESSAGE {self._named(cell)}: {value}, {origin}"

    def _clear(self) -> None:
        self._game()
        self._stones = Stones()

    def _game(self) -> Game:
        """The game that is played.

        Raises:
            FivebookError: if none is, or there is none of this size and rule.
        """
        if self._size is None:
            raise Refused("there is no board yet: START and its size")
        try:
            return registry.get(id_of(self._size, _RULES[self._rule]))
        except (UnknownGame, KeyError):
            raise Refused(f"there is no game of size {self._size} by rule {self._rule}") from None

    @property
    def _books(self) -> list[AnyAddress]:
        return [self._book] if self._book is not None and self._uses_book else []

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
        self._player = self._engine
        for book in self._books:
            self._player = BookPlayer(book, self._engine, self._variety)
            self._player.begin_game(self._games)
        small = replace(options, table=min(options.table, _SMALL_TABLE))
        self._answerer = Answerer(self._books, options=small)
        set_aside()
        return self._player, self._engine

    def _advice(self) -> Answerer:
        """Whom to ask about several moves, or about what is no move."""
        self._load()
        assert self._answerer is not None
        return self._answerer

    def _fit_table(self) -> None:
        """Choose the size of the table, now that everything else has its memory."""
        if self._most_memory == 0 or self._engine is None:
            return
        # Kilobytes, on Linux.
        in_use = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        room = (self._most_memory - in_use) // _MEBIBYTE + self._engine.options.table
        most = _MOST_TABLE if self._may_grow else self._asked.table
        self._options = replace(self._options, table=max(min(room // 2, most), 1))

    def _move(self, started: float) -> Iterator[str]:
        """Find a move, put it on the board, and name it. `started`: when it was asked for."""
        player, engine = self._load()
        yield from self._note_unused_book()
        game, position = engine.game, self._stones.begin_turn()
        if not game.legal_moves(position):
            raise Refused("the game is over")
        engine.limits = self._time.limits(time.monotonic() - started)
        choice = player.choose(position)
        cell = game.cell_of(choice.move)
        self._put(cell, _OWN)
        self._time.spend(time.monotonic() - started)
        yield self._named(cell)
        self._note(game, position, choice)

    def _note(self, game: Game, position: Position, choice: Choice) -> None:
        """Remember a turn for the lessons; a position of another game ends the one before."""
        if self._lessons is None:
            return
        if self._notes is None or self._notes.game is not game or not self._notes.goes_on(position):
            self._end_notes()
            self._notes = GameNotes(game)
        self._notes.note(position, choice)

    def _end_notes(self) -> None:
        lesson = None if self._notes is None else self._notes.lesson()
        # First: what cannot be written is to stop one command, not all that follow.
        self._notes = None
        if lesson is not None and self._lessons is not None:
            self._lessons.add(lesson)

    def _note_unused_book(self) -> Iterator[str]:
        """Say, once a game, that the book knows nothing of it."""
        game, player = self._game(), self._player
        if not isinstance(player, BookPlayer) or game is self._told_unused:
            return
        self._told_unused = game
        if not player.holds_the_game:
            held = " and ".join(each.id for each in self._advice().games) or "no game"
            assert self._book is not None
            yield f"MESSAGE {self._book.name} is not used: it holds {held}, and this is {game.id}"

    def _set_up(self, stones: list[str]) -> None:
        self._clear()
        for stone in stones:
            match = re.fullmatch(rf"([^,]+,[^,]+),([{_OWN}{_OTHER}{_WINNING}])", stone)
            if match is None:
                raise Refused(f"'{stone}' is no stone, such as 7,7,1")
            if match[2] != _WINNING:
                self._put(self._cell(match[1]), match[2])

    def _put(self, cell: Cell, owner: str) -> None:
        if self._stones.taken >> cell & 1:
            raise Refused(f"{self._named(cell)} is taken")
        self._stones.add(cell, is_own=owner == _OWN)

    def _cell(self, text: str) -> Cell:
        size = self._game().width
        match = re.fullmatch(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})", text)
        if match is None or not (int(match[1]) < size and int(match[2]) < size):
            raise Refused(f"'{text}' is no cell: cells run from 0,0 to {size - 1},{size - 1}")
        return int(match[2]) * size + int(match[1])

    def _cell_of_stone(self, text: str) -> Cell:
        """The cell of a stone whose owner is known by its place in the order, and may be named."""
        return self._cell(",".join(text.split(",")[:2]))

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
            case "time_increment":
                self._time.increment = max(number, 0) / 1000
            case "max_depth":
                self._time.depth = number if number > 0 else None
            case "max_node":
                self._time.nodes = number if number > 0 else None
            case _:
                self._inform_engine(key, int(value))

    def _inform_engine(self, key: str, number: int) -> None:
        """Note what the engine has to be loaded anew for, and load it."""
        match key:
            case "max_memory":
                self._most_memory = max(number, 0)
                self._fit_table()
            case "rule":
                # What follows the end of a game is up to the manager.
                self._rule = number & ~_CONTINUOUS
            case "thread_num":
                threads = min(max(number, 1), MOST_THREADS)
                self._options = replace(self._options, threads=threads)
            case "hash_size":
                table = min(max(number // _KIBIBYTES, 1), MOST_TABLE)
                self._asked = self._options = replace(self._options, table=table)
            case "usedatabase" if self._uses_book != bool(number):
                self._uses_book = bool(number)
                self.close()
            case _:
                return
        if self._size is not None:
            self._load()


_COMMANDS: dict[str, Callable[[Brain, _Command], Iterator[str]]] = {
    "START": Brain._start,
    "RECTSTART": Brain._start_rectangle,
    "RESTART": Brain._restart,
    "BEGIN": Brain._begin,
    "TURN": Brain._turn,
    "BOARD": Brain._board,
    "TAKEBACK": Brain._take_back,
    "SWAP2BOARD": Brain._swap2,
    "INFO": Brain._info,
    "ABOUT": Brain._about,
    **dict.fromkeys(STOPS, Brain._stopped),
    "YXBOARD": Brain._board_without_move,
    "YXNBEST": Brain._several,
    "YXSHOWFORBID": Brain._show_forbidden,
    "YXHASHCLEAR": Brain._clear_table,
    "YXSHOWINFO": Brain._show_limits,
    "YXQUERYDATABASEALL": Brain._query_moves,
    "YXQUERYDATABASEONE": Brain._query_position,
    "YXQUERYDATABASETEXT": Brain._query_text,
    "YXQUERYDATABASEALLT": Brain._query_moves_and_text,
}

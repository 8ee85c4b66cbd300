"""A game in the terminal: the board is drawn, moves and commands are typed."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from book.errors import PositionNotFound
from book.replacing import replacing
from engine.clock import Clock
from engine.errors import FivebookError, IllegalMove
from engine.game import Game, Outcome
from engine.players.base import Choice, Player
from engine.players.engine import EnginePlayer
from engine.position import Move, Position, Side
from engine.search import Limits
from engine.values import describe_value
from fivebook.console import console, echo
from fivebook.displays.painting import paint
from service.answerer import Answerer
from service.answers import Answer
from service.errors import PlayerFailed
from service.inquiry import Inquiry
from service.play.book import BookPlayer
from service.play.clocks import GameClock
from service.play.drawing import winning_cells
from service.play.records import GameRecord, InvalidRecord, format_record, read_records, suffix
from service.play.swapping import Colour, Decision, Opener, Opening, Seat, WrongChoice
from service.play.typed import typed_lines

_PERSON = "human"
_MARKS = {Side.DARK: "X", Side.LIGHT: "O"}
_SEATS = {Seat.FIRST: Side.DARK, Seat.SECOND: Side.LIGHT}
_CHOSEN = {
    Colour.DARK: "plays dark",
    Colour.LIGHT: "plays light",
    Colour.ADD: "puts two more stones and leaves the choice",
}
_HELP = """\
{move:<10} a move: plays it
undo       takes back your last move and the answer to it
hint       shows the moves of the book, or else the engine's, with their values
board      draws the board
save FILE  writes the game as {suffix}
load FILE  goes on with the first game of a file
resign     gives the game up
quit       leaves, and so does the end of input"""


class _Refused(FivebookError):
    """A command that makes no sense now."""


class TerminalGame:
    """One game, in which a side that has no player is a person's.

    `answerer` and `limits` are for hints. `control` is the clock that each side starts with;
    None: the game has none. The person's clock runs until a move is typed, whatever is done
    before, and time is not given back with a move.

    With an `opening` the players put stones and choose colours first; who is dark to begin with
    puts the first stones. `openers` are those of the sides that have players. No clock runs.
    """

    def __init__(
        self,
        game: Game,
        players: Mapping[Side, Player],
        answerer: Answerer,
        limits: Limits,
        control: Clock | None = None,
        *,
        opening: Opening | None = None,
        openers: Mapping[Side, Opener] | None = None,
    ) -> None:
        self._game = game
        self._players = dict(players)
        self._opening = opening
        self._openers = openers or {}
        self._answerer = answerer
        self._limits = limits
        self._record = GameRecord(game, self._name(Side.DARK), self._name(Side.LIGHT), ())
        self._control = control
        self._start_clocks()
        self._input = typed_lines()
        self._left = False

    def run(self) -> None:
        """Play, and obey, until somebody quits or the input ends."""
        echo(f"{self._game.title}; 'help' shows the commands\n")
        self._draw()
        while not self._left:
            if self._seat is not None:
                self._open()
            elif self._record.outcome is None and self._side in self._players:
                self._let_play(self._players[self._side])
            else:
                self._ask()

    def _name(self, side: Side) -> str:
        return self._players[side].name if side in self._players else _PERSON

    @property
    def _seat(self) -> Side | None:
        """In an opening the side whose seat has to put stones or choose; None afterwards."""
        actor = None if self._opening is None else self._opening.actor
        return None if actor is None else _SEATS[actor]

    def _open(self) -> None:
        """Have the opening go on by a step."""
        opening, seat = self._opening, self._seat
        assert opening is not None
        assert seat is not None
        if seat not in self._openers:
            self._ask()
            return
        clock = None if self._control is None else self._clocks[seat].reading
        name = self._name(seat)
        try:
            self._decide(self._openers[seat].decide(opening, clock), name)
        except (PlayerFailed, IllegalMove, WrongChoice) as error:
            echo(f"{name}: {error}")
            self._opening = None
            self._end(Outcome.won_by(seat.other), f"{name} broke the opening rule")

    def _decide(self, decision: Decision, name: str) -> None:
        """Do what was decided in the opening, and tell it."""
        opening = self._opening
        assert opening is not None
        begun = opening.obey(decision)
        if decision.choice is not None:
            echo(f"{name} {_CHOSEN[decision.choice]}\n")
        if len(opening.moves) > len(self._record.moves):
            self._record = replace(self._record, moves=opening.moves, opening=len(opening.moves))
            self._draw()
        if opening.dark is not None:
            self._give_out(opening.dark)
            for move in begun:
                self._play(move)

    def _give_out(self, dark: Seat) -> None:
        """The colours are chosen: have the players change sides if they do, and the clocks run."""
        if dark is Seat.SECOND:
            self._players = {side.other: player for side, player in self._players.items()}
            self._record = replace(
                self._record, dark=self._name(Side.DARK), light=self._name(Side.LIGHT)
            )
        self._start_clocks()

    def _put_or_choose(self, text: str) -> None:
        """What a person types in an opening: a stone, or a choice."""
        opening = self._opening
        assert opening is not None
        if text.lower() in opening.options:
            choice = Colour(text.lower())
            if choice is not Colour.ADD:
                self._decide(Decision(choice, ()), _PERSON)
                return
            opening.choose(choice)
            echo(f"{_PERSON} {_CHOSEN[choice]}\n")
            return
        if opening.options:
            raise _Refused(f"'{text}' is no choice: {', '.join(opening.options)}")
        opening.put(self._game.parse_move(text, self._position))
        self._record = replace(self._record, moves=opening.moves, opening=len(opening.moves))
        self._draw()

    @property
    def _position(self) -> Position:
        return self._game.play_line(self._record.moves)

    @property
    def _side(self) -> Side:
        return _side_of(len(self._record.moves))

    def _let_play(self, player: Player) -> None:
        side = self._side
        try:
            clock = self._clocks.get(side)
            if clock is None:
                choice = player.choose(self._position)
            else:
                choice = player.choose_by_clock(self._position, clock.reading)
            self._play(choice.move, f" ({_describe(player, choice)})")
        except (PlayerFailed, IllegalMove) as error:
            echo(f"{side}: {error}")
            self._end(Outcome.won_by(side.other), f"{side} gave no legal move")

    def _ask(self) -> None:
        if self._seat is not None:
            echo(self._describe_step(), nl=False)
        elif self._record.outcome is None:
            left = self._describe_clock(self._side)
            echo(f"{self._side} ({_MARKS[self._side]}) to move{left}: ", nl=False)
        else:
            echo("save FILE, undo or quit: ", nl=False)
        line = self._input.readline()
        if not self._input.isatty():
            echo(line.rstrip("\n"))
        if not line:
            self._left = True
            return
        try:
            self._obey(line.strip())
        except FivebookError as error:
            echo(error)

    def _describe_step(self) -> str:
        opening = self._opening
        assert opening is not None
        if opening.options:
            return f"choose {', '.join(opening.options)}: "
        side = self._side
        return f"{opening.to_put} to put, {side} ({_MARKS[side]}) first: "

    def _obey(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        match word.lower():
            case "":
                pass
            case "undo":
                self._undo()
            case "hint":
                self._hint()
            case "board":
                self._draw()
            case "save":
                self._save(rest.strip())
            case "load":
                self._load(rest.strip())
            case "resign":
                self._resign()
            case "quit":
                self._left = True
            case "help":
                first = self._game.format_move(0)
                echo(_HELP.format(move=first, suffix=suffix(self._game)))
            case _ if self._seat is not None:
                self._put_or_choose(text)
            case _:
                self._require_unfinished()
                self._play(self._game.parse_move(text, self._position))

    def _play(self, move: Move, remark: str = "") -> None:
        position = self._game.play_line([move], self._position)
        side = self._side
        if self._is_late():
            echo(f"{side}: the time is up")
            self._end(Outcome.won_by(side.other), f"{side} overstepped its clock")
            return
        left = self._describe_clock(side)
        echo(f"{side} plays {self._game.format_move(move)}{remark}{left}\n")
        self._record = replace(self._record, moves=(*self._record.moves, move))
        self._draw()
        outcome = self._game.outcome(position)
        if outcome is not None:
            self._end(outcome)

    def _end(self, outcome: Outcome, ending: str = "") -> None:
        self._record = replace(self._record, outcome=outcome, ending=ending)
        echo(f"{_result(self._record)}.\n")

    def _undo(self) -> None:
        moves = self._record.moves
        chosen = 0 if self._opening is None else len(self._opening.moves)
        own = [ply for ply in range(chosen, len(moves)) if _side_of(ply) not in self._players]
        if not own:
            raise _Refused("there is no move of yours to take back")
        if self._record.outcome is not None:
            self._turn_started = time.monotonic()
        self._record = replace(
            self._record,
            moves=moves[: own[-1]],
            outcome=None,
            ending="",
            opening=min(self._record.opening, own[-1]),
        )
        self._draw()

    def _hint(self) -> None:
        self._require_unfinished()
        answer = self._answer()
        search = f"depth {answer.depth}, {answer.nodes:,} nodes"
        origin = answer.found_live or "from the book"
        echo(f"{describe_value(answer.value, answer.proven)}; {origin} ({search})")
        table = Table("move")
        table.add_column("value", justify="right")
        table.add_column("depth", justify="right")
        table.add_column("source")
        for move in answer.moves:
            value = describe_value(move.value, move.proven)
            table.add_row(self._game.format_move(move.move), value, str(move.depth), move.origin)
        console.print(table)

    def _answer(self) -> Answer:
        inquiry = Inquiry(self._game, self._record.moves, self._position)
        try:
            return self._answerer.answer(inquiry, self._limits, book_only=True)
        except PositionNotFound:
            self._answerer.prepare(self._game)
            return self._answerer.answer(inquiry, self._limits)

    def _save(self, name: str) -> None:
        path = self._path(name)
        if path.exists() and not _is_record(path):
            raise _Refused(f"'{path}' is there already, and is not the record of one game")
        try:
            with replacing(path) as partial:
                partial.write_text(format_record(self._record), "utf-8")
        except OSError as error:
            raise _Refused(f"cannot write '{path}': {error.strerror}") from error
        echo(f"saved as {path}")

    def _load(self, name: str) -> None:
        path = self._path(name)
        records = read_records(path)
        if not records:
            raise _Refused(f"there is no game in '{path}'")
        found = records[0]
        if found.game is not self._game:
            raise _Refused(f"'{path}' holds {found.game.id}, and this is {self._game.id}")
        self._record = replace(found, dark=self._record.dark, light=self._record.light)
        self._opening = None
        self._start_clocks()
        self._draw()
        if found.outcome is not None:
            echo(f"{_result(found)}.\n")

    def _path(self, name: str) -> Path:
        if not name:
            raise _Refused(f"name a file, such as game{suffix(self._game)}")
        path = Path(name).expanduser()
        return path if path.suffix else path.with_suffix(suffix(self._game))

    def _resign(self) -> None:
        self._require_unfinished()
        if self._seat is not None:
            raise _Refused("there are no colours yet to resign with: quit, or go on")
        self._end(Outcome.won_by(self._side.other), f"{self._side} resigned")

    def _require_unfinished(self) -> None:
        if self._record.outcome is not None:
            raise _Refused(f"the game is over: {_result(self._record)}")

    def _start_clocks(self) -> None:
        self._clocks = {} if self._control is None else {s: GameClock(self._control) for s in Side}
        self._turn_started = time.monotonic()

    def _is_late(self) -> bool:
        """Count the turn that ends now; returns whether it has overstepped the clock."""
        now = time.monotonic()
        seconds, self._turn_started = now - self._turn_started, now
        clock = self._clocks.get(self._side)
        return clock is not None and clock.spend(seconds) < 0

    def _describe_clock(self, side: Side) -> str:
        if side not in self._clocks:
            return ""
        minutes, seconds = divmod(int(self._clocks[side].reading.left), 60)
        return f", {minutes}:{seconds:02} left"

    def _draw(self) -> None:
        *before, last_move = self._record.moves or (None,)
        last = None
        if last_move is not None:
            last = self._game.landing(self._game.play_line(before), last_move)
        console.print(paint(self._game, self._position, last), end="\n\n")


def _is_record(path: Path) -> bool:
    try:
        return len(read_records(path)) == 1
    except InvalidRecord:
        return False


def _side_of(ply: int) -> Side:
    return Side.LIGHT if ply % 2 else Side.DARK


def _describe(player: Player, choice: Choice) -> str:
    """The player, and what it says of its move."""
    parts = []
    if choice.value is not None:
        ours = isinstance(player, EnginePlayer | BookPlayer)
        value = describe_value(choice.value, proven=False) if ours else f"{choice.value:+d}"
        parts.append(value)
    if choice.depth:
        parts.append(f"depth {choice.depth}")
    if choice.nodes:
        parts.append(f"{choice.nodes:,} nodes")
    elif isinstance(player, BookPlayer):
        parts.append("from the book")
    return f"{player.name}: {', '.join(parts)}" if parts else player.name


def _result(record: GameRecord) -> str:
    """How a finished game ended, with its row or its reason."""
    assert record.outcome is not None
    position = record.game.play_line(record.moves)
    row = " ".join(map(record.game.format_cell, winning_cells(record.game, position)))
    reason = record.ending or row
    return f"{record.outcome.value} ({reason})" if reason else record.outcome.value

"""Opening rules by which one player puts stones, and the other chooses a colour.

The stones are dark and light by turns, as always; what is open is who will play which colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Protocol

from engine.clock import Clock
from engine.errors import FivebookError, IllegalMove
from engine.game import Game
from engine.players.base import UnsuitableGame
from engine.position import Move, Position
from engine.search import Limits
from service.answers import Answer
from service.inquiry import Inquiry
from service.play.evenness import Effort, most_even, scattered, unevenness, weigher

if TYPE_CHECKING:
    from service.answerer import Answerer

# Within this of 50 % the choice of a colour is a guess: a search errs by more. Two more stones
# leave the guess to the other player.
EVEN = 0.06
_FIRST_STONES, _MORE_STONES = 3, 2
# The part of the effort that a choice takes. The rest finds two more stones if it comes to that.
_FOR_CHOICE = 0.4


class OpeningRule(StrEnum):
    """How an opening is chosen.

    `swap`: one player puts three stones, the other chooses a colour. `swap2`: the other may put
    two more stones instead, and leave the choice to the first. `rif`: as `swap`, but the stones
    are one of the 26 openings of renju: the first on the centre, the second beside it, the third
    at most two from it in rows and columns.
    """

    SWAP = "swap"
    SWAP2 = "swap2"
    RIF = "rif"


class Seat(StrEnum):
    """A player before there are colours: `first` puts the first stones."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> Seat:
        """The opponent."""
        return Seat.SECOND if self is Seat.FIRST else Seat.FIRST


class Colour(StrEnum):
    """What may be chosen: a colour, or to put two more stones."""

    DARK = "dark"
    LIGHT = "light"
    ADD = "add"


class WrongChoice(FivebookError, ValueError):
    """A choice that the opening rule does not leave now."""


@dataclass(slots=True)
class Opening:
    """How far an opening of `game` by `rule` has come.

    `moves` are the stones so far, `dark` is who plays dark, None while that is open. `added`: two
    more stones were asked for, or are there.

    Raises:
        UnsuitableGame: if the game has no such openings.
    """

    game: Game
    rule: OpeningRule
    moves: tuple[Move, ...] = ()
    dark: Seat | None = None
    added: bool = False

    def __post_init__(self) -> None:
        if self.game.move_count != self.game.cell_count:
            raise UnsuitableGame(
                f"colours are chosen where a move is a stone and no more, not in {self.game.id}"
            )
        if self.rule is OpeningRule.RIF and not self._allowed(()):
            raise UnsuitableGame(f"no stone can be put on the centre of {self.game.id} first")

    @property
    def to_put(self) -> int:
        """How many stones are to be put now; 0 where a choice is due, or all is done."""
        if self.dark is not None:
            return 0
        return _FIRST_STONES + _MORE_STONES * self.added - len(self.moves)

    @property
    def actor(self) -> Seat | None:
        """Who puts stones or chooses now; None once the colours are given out."""
        if self.dark is not None:
            return None
        second = self.added if self.to_put else not self.added
        return Seat.SECOND if second else Seat.FIRST

    @property
    def options(self) -> tuple[Colour, ...]:
        """What may be chosen now; nothing where stones are to be put, or all is done."""
        if self.dark is not None or self.to_put:
            return ()
        colours = (Colour.LIGHT, Colour.DARK)
        may_add = self.rule is OpeningRule.SWAP2 and not self.added
        return (*colours, Colour.ADD) if may_add else colours

    @property
    def inquiry(self) -> Inquiry:
        """The question about the position so far."""
        return Inquiry(self.game, self.moves, self.game.play_line(self.moves))

    def put(self, move: Move) -> None:
        """The actor puts a stone.

        Raises:
            IllegalMove: if it cannot be played, or the opening rule does not allow it there.
        """
        self.game.play_line([*self.moves, move])
        square = self._square
        if square is not None and _from_centre(self.game, move) > square:
            side = 2 * square + 1
            where = "on the centre" if square == 0 else f"within the {side}×{side} cells around it"
            raise IllegalMove(
                f"stone {len(self.moves) + 1} has to be {where}, and not on "
                f"{self.game.format_move(move)}"
            )
        self.moves = (*self.moves, move)

    def choose(self, choice: Colour) -> None:
        """The actor chooses.

        Raises:
            WrongChoice: if that is not among the options.
        """
        if choice not in self.options:
            offered = ", ".join(self.options) or "nothing is to be chosen now"
            raise WrongChoice(f"'{choice}' cannot be chosen: {offered}")
        actor = self.actor
        assert actor is not None  # there is something to choose
        if choice is Colour.ADD:
            self.added = True
        else:
            self.dark = actor if choice is Colour.DARK else actor.other

    def obey(self, decision: Decision) -> tuple[Move, ...]:
        """Do what the actor has decided; returns the moves that it has begun the game with.

        Raises:
            WrongChoice, IllegalMove: if the opening rule does not allow it.
        """
        choice, moves = decision.choice, decision.moves
        if (choice is None) != bool(self.to_put):
            due = f"{self.to_put} stones are to be put" if self.to_put else "a choice is due"
            raise WrongChoice(f"{due}, and nothing else")
        if choice is not None:
            if choice is not Colour.ADD:
                self._check_begun(choice, moves)
            self.choose(choice)
            if choice is not Colour.ADD:
                return moves
        if len(moves) != self.to_put:
            raise WrongChoice(f"{self.to_put} stones are to be put, not {len(moves)}")
        for move in moves:
            self.put(move)
        return ()

    def _check_begun(self, choice: Colour, moves: tuple[Move, ...]) -> None:
        if len(moves) > (choice == Colour(self.inquiry.position.to_move)):
            raise WrongChoice("the other side is to move, or one move is to be made and no more")
        self.game.play_line([*self.moves, *moves])

    @property
    def _square(self) -> int | None:
        """How far from the centre the next stone may be; None: anywhere."""
        return len(self.moves) if self.rule is OpeningRule.RIF else None

    def all_ways(self) -> list[Inquiry]:
        """Every way to put the stones that are due, up to symmetry, where the rule says where.

        Empty where they may be anywhere.
        """
        if self._square is None or not self.to_put:
            return []
        lines = [self.moves]
        for _ in range(self.to_put):
            lines = [(*line, move) for line in lines for move in self._allowed(line)]
        found: dict[Position, Inquiry] = {}
        for line in lines:
            position = self.game.play_line(line)
            image = self.game.canonical(position).position
            found.setdefault(image, Inquiry(self.game, line, position))
        return list(found.values())

    def _allowed(self, line: tuple[Move, ...]) -> list[Move]:
        legal = self.game.legal_moves(self.game.play_line(line))
        return [move for move in legal if _from_centre(self.game, move) <= len(line)]


def _from_centre(game: Game, move: Move) -> int:
    row, column = divmod(game.cell_of(move), game.width)
    return max(abs(row - game.height // 2), abs(column - game.width // 2))


@dataclass(frozen=True, slots=True)
class Decision:
    """What an engine decides in an opening: stones to put, or a choice.

    With the choice of the colour to move, `moves` is the move that the game begins with; with
    that of two more stones it is these.
    """

    choice: Colour | None
    moves: tuple[Move, ...]


class Opener(Protocol):
    """Whoever puts stones and chooses colours."""

    def decide(self, opening: Opening, clock: Clock | None) -> Decision:
        """What to do in `opening`, where something is to be done; `clock` is the player's.

        Raises:
            PlayerFailed: if it decides nothing.
        """
        ...


class Decider:
    """Decides for one player in openings: by the books of `answerer`, then by searches.

    Chances are those of the side to move, see `service.answers.win_rate`.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    def decide(self, opening: Opening, limits: Limits, random: Random) -> Decision:
        """What to do in `opening`, where something is to be done, within `limits`.

        These are for all of it: for the searches of many positions where it comes to that. With a
        limit by nodes the decision depends on the books, the limit and `random` alone, as long as
        the time does not end it first.
        """
        inquiry = opening.inquiry
        effort = Effort.within(limits, inquiry)
        if opening.to_put:
            stones = self._found(opening, opening.to_put, effort, random)
            return Decision(None, stones)
        can_add = Colour.ADD in opening.options
        first, second = effort.split(_FOR_CHOICE) if can_add else (effort, effort)
        answer = self._answerer.answer(inquiry, first.limits())
        if can_add and not answer.proven and unevenness(answer) <= EVEN:
            more = self._found(opening, _MORE_STONES, second, random)
            return Decision(Colour.ADD, more)
        if answer.win_rate < 0.5:
            return Decision(Colour(inquiry.position.to_move.other), ())
        return Decision(Colour(inquiry.position.to_move), _best(answer))

    def _found(
        self, opening: Opening, stones: int, effort: Effort, random: Random
    ) -> tuple[Move, ...]:
        """So many stones to put now, for chances as even as can be found."""
        inquiry = opening.inquiry
        count = effort.book_candidates if self._answerer.games else effort.candidates
        candidates = opening.all_ways() or scattered(inquiry, stones, count, random)
        random.shuffle(candidates)
        known = self._answerer.stored_each(candidates)
        even = [each for each in known if each is not None and unevenness(each) <= EVEN]
        if not even:
            weigh = weigher(self._answerer, effort)
            even = most_even(weigh, candidates[: effort.candidates])
        return even[0].played[len(inquiry.played) :]


def _best(answer: Answer) -> tuple[Move, ...]:
    return () if answer.best is None else (answer.best.move,)

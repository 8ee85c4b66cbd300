"""What books tell beyond one position: main lines, random positions, and proofs.

Values are for the side to move of the position they belong to, as in `service.answers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING

from book.errors import PositionNotFound
from engine.game import Outcome
from engine.position import Move
from engine.values import distance, is_decisive
from service.answers import Answer, AnswerMove, MoveSource
from service.errors import NotProven
from service.inquiry import Inquiry

if TYPE_CHECKING:
    from service.answerer import Answerer, LookUp

# How many walks look for a random position, before there is taken to be none.
_TRIES = 50
# A chance of some 44 to 56 %.
_BALANCED = 100
# Even a lost move is walked now and then.
_LEAST_WEIGHT = 0.02


class ReplySource(StrEnum):
    """Where the answer to a reply comes from.

    `book`: it is stored. `rules`: the game is over. `live`: it is not stored, and a live search is
    to find it, as it did when the proof was made.
    """

    BOOK = "book"
    RULES = "rules"
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the winner answers to one reply of the loser.

    `distance` is in plies from the position after the reply to the end of the game; None, as is
    `answer`, where it is not stored.
    """

    reply: Move
    answer: Move | None
    distance: int | None
    source: ReplySource


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a position is won: the winner's move, where he is to move, and an answer to each reply.

    Without a winner the game is a proven draw, and there are no replies.
    """

    inquiry: Inquiry
    outcome: Outcome
    distance: int | None
    move: Move | None
    replies: tuple[Reply, ...]


def main_line(answerer: Answerer, inquiry: Inquiry, plies: int) -> list[tuple[AnswerMove, Answer]]:
    """The best moves from a position on, each with the answer it is of, as far as books know it.

    Raises:
        PositionNotFound: if no book holds the first position.
    """

    def follow(look_up: LookUp) -> list[tuple[AnswerMove, Answer]]:
        line: list[tuple[AnswerMove, Answer]] = []
        asked, answer = inquiry, look_up(inquiry, True)
        if answer is None:
            raise PositionNotFound("no book holds the position")
        while answer is not None and answer.best is not None and len(line) < plies:
            line.append((answer.best, answer))
            asked = asked.after(answer.best.move)
            answer = look_up(asked, True)
        return line

    return answerer.walk(follow)


def random_position(
    answerer: Answerer, start: Inquiry, *, plies: int, balanced: bool, random: Random
) -> Answer:
    """A stored position `plies` moves after `start`, reached by moves that books know.

    A move is walked the more often the better its chance. With `balanced` the value of the position
    is an estimate, and its chance some 44 to 56 %.

    Raises:
        PositionNotFound: if many walks come to none.
    """

    def try_often(look_up: LookUp) -> Answer:
        for _ in range(_TRIES):
            answer = _walked(look_up, start, plies, random)
            if answer is not None and answer.outcome is None:
                is_even = not answer.proven and abs(answer.value) <= _BALANCED
                if is_even or not balanced:
                    return answer
        kind = "balanced position" if balanced else "position"
        raise PositionNotFound(f"no book holds a {kind} of {start.game.id} after {plies} plies")

    return answerer.walk(try_often)


def _walked(look_up: LookUp, start: Inquiry, plies: int, random: Random) -> Answer | None:
    asked, answer = start, look_up(start)
    for _ in range(plies):
        if answer is None:
            return None
        stored = [move for move in answer.moves if move.source is MoveSource.BOOK]
        if not stored:
            return None
        weights = [max(move.win_rate, _LEAST_WEIGHT) for move in stored]
        asked = asked.after(random.choices(stored, weights)[0].move)
        answer = look_up(asked)
    return answer


def proof(answerer: Answerer, inquiry: Inquiry) -> Proof:
    """What the books prove about a position.

    Raises:
        NotProven: if none proves it.
    """
    return answerer.walk(lambda look_up: _proof(look_up, inquiry))


def _proof(look_up: LookUp, inquiry: Inquiry) -> Proof:
    answer = look_up(inquiry)
    if answer is None or not answer.proven:
        text = inquiry.game.format_line(inquiry.played)
        where = f"after '{text}'" if text else "with an empty board"
        raise NotProven(f"no book proves {inquiry.game.id} {where}: /position tells what is known")
    if answer.outcome is not None:
        return Proof(inquiry, answer.outcome, answer.distance, None, ())
    best = answer.moves[0].move
    if not is_decisive(answer.value):
        return Proof(inquiry, Outcome.DRAW, None, best, ())
    side = inquiry.position.to_move
    wins = answer.value > 0
    asked = inquiry.after(best) if wins else inquiry
    return Proof(
        inquiry,
        Outcome.won_by(side if wins else side.other),
        answer.distance,
        best if wins else None,
        tuple(
            _reply(look_up, asked.after(reply), reply)
            for reply in inquiry.game.legal_moves(asked.position)
        ),
    )


def _reply(look_up: LookUp, asked: Inquiry, reply: Move) -> Reply:
    answer = look_up(asked, True)
    if answer is None or not answer.proven:
        return Reply(reply, None, None, ReplySource.LIVE)
    if answer.best is None:
        return Reply(reply, None, distance(answer.value), ReplySource.RULES)
    return Reply(reply, answer.best.move, distance(answer.value), ReplySource.BOOK)

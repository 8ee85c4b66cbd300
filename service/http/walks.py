"""``/line``, ``/random`` and ``/proof``: what books tell beyond one position."""

from random import Random, SystemRandom
from typing import Annotated, Self

from apiflask import APIBlueprint
from flask import Response
from msgspec import Meta, Struct, to_builtins
from pydantic import Field

from engine.position import Side
from service import walks
from service.answers import Answer, AnswerMove, Source
from service.http.asking import Asking
from service.http.documents import respond
from service.http.questions import GamePosition
from service.http.routes import Told, route
from service.inquiry import Inquiry
from service.walks import Proof, ReplySource

_USUAL_PLIES, _MOST_PLIES = 20, 300
_USUAL_RANDOM_PLIES = 4
_SEEDS = 1 << 32


class LineQuestion(GamePosition):
    """The main line from a position."""

    plies: Annotated[
        int, Field(ge=1, le=_MOST_PLIES, description="How many moves the line has at most.")
    ] = _USUAL_PLIES


class RandomQuestion(GamePosition):
    """A random position of a book."""

    plies: Annotated[
        int, Field(ge=0, le=_MOST_PLIES, description="How many plies after `moves` it is.")
    ] = _USUAL_RANDOM_PLIES
    balanced: Annotated[
        bool, Field(description="Only one that is not proven, with a chance of some 44 to 56 %.")
    ] = False
    seed: Annotated[
        int | None,
        Field(ge=0, lt=_SEEDS, description="The same seed has the same position of one book."),
    ] = None


class LineMove(Struct, frozen=True):
    """A move of a line, with the value of the position before it, for its side to move."""

    move: str
    value: int
    win_rate: float
    proven: bool
    distance: int | None
    source: Source


class Line(Struct, frozen=True):
    """The main line from a position, as far as books know it."""

    game: str
    position: str
    line: tuple[LineMove, ...]

    @classmethod
    def of(cls, inquiry: Inquiry, line: list[tuple[AnswerMove, Answer]]) -> Self:
        """A line in the notation of its game."""
        names = inquiry.game.move_names
        moves = [
            LineMove(
                names[best.move],
                answer.value,
                answer.win_rate,
                answer.proven,
                answer.distance,
                answer.source,
            )
            for best, answer in line
        ]
        return cls(inquiry.game.id, inquiry.game.format_line(inquiry.played), tuple(moves))


class RandomPosition(Struct, frozen=True):
    """A position of a book; values are for its side to move."""

    game: str
    position: str
    ply: int
    to_move: Side
    value: int
    win_rate: float
    proven: bool
    distance: int | None
    source: Source
    seed: Annotated[int, Meta(description="The seed that has this position again.")]

    @classmethod
    def of(cls, answer: Answer, seed: int) -> Self:
        """The position of `answer`."""
        return cls(
            game=answer.game.id,
            position=answer.game.format_line(answer.played),
            ply=answer.position.ply,
            to_move=answer.position.to_move,
            value=answer.value,
            win_rate=answer.win_rate,
            proven=answer.proven,
            distance=answer.distance,
            source=answer.source,
            seed=seed,
        )


class NotatedReply(Struct, frozen=True):
    """What the winner answers to one reply of the loser.

    `distance` is in plies from the position after the reply to the end of the game. Where the
    answer is not stored both are null and the source is `live`: a live search is to find it.
    """

    reply: str
    answer: str | None
    distance: int | None
    source: ReplySource


class ProofStep(Struct, frozen=True):
    """What the books prove about a position: the winner's move and an answer to every reply.

    `winner` is null where a draw is proven. `move` is the winner's, if the winner is to move, or
    one that keeps the draw; `replies` are then those to it, else those in the position itself.
    """

    game: str
    position: str
    to_move: Side
    proven: bool
    outcome: str
    winner: Side | None
    distance: int | None
    move: str | None
    replies: tuple[NotatedReply, ...]

    @classmethod
    def of(cls, proof: Proof) -> Self:
        """`proof` in the notation of its game."""
        inquiry = proof.inquiry
        names = inquiry.game.move_names
        return cls(
            game=inquiry.game.id,
            position=inquiry.game.format_line(inquiry.played),
            to_move=inquiry.position.to_move,
            proven=True,
            outcome=proof.outcome.value,
            winner=proof.outcome.winner,
            distance=proof.distance,
            move=None if proof.move is None else names[proof.move],
            replies=tuple(
                NotatedReply(
                    names[each.reply],
                    None if each.answer is None else names[each.answer],
                    each.distance,
                    each.source,
                )
                for each in proof.replies
            ),
        )


DOCUMENTS = (Line, RandomPosition, ProofStep)
_REFUSED = (400, 404, 500)


def register(api: APIBlueprint, asking: Asking) -> None:
    """Add the routes to `api`."""
    known = asking.examples.known
    assert known.best is not None
    inquiry = Inquiry(known.game, known.played, known.position)

    line_told = Told(Line, to_builtins(Line.of(inquiry, [(known.best, known)])), _REFUSED)

    @route(api, "/line", "line", LineQuestion, line_told)
    def line(question: LineQuestion) -> Response:
        """The main line from a position: the best move that a book has, and so on.

        It ends where no book holds the next position, or with the game.
        """
        asked = asking.inquiry(question)
        return respond(Line.of(asked, walks.main_line(asking.answerer, asked, question.plies)))

    random_told = Told(RandomPosition, to_builtins(RandomPosition.of(known, 7)), _REFUSED)

    @route(api, "/random", "random", RandomQuestion, random_told)
    def random(question: RandomQuestion) -> Response:
        """A random position that a book holds, some plies after `moves`.

        The moves to it are drawn among those whose positions are stored, each with a weight by its
        winning chance.
        """
        seed = SystemRandom().randrange(_SEEDS) if question.seed is None else question.seed
        answer = walks.random_position(
            asking.answerer,
            asking.inquiry(question),
            plies=question.plies,
            balanced=question.balanced,
            random=Random(seed),
        )
        return respond(RandomPosition.of(answer, seed))

    proof_told = Told(ProofStep, to_builtins(_example(inquiry)), _REFUSED)

    @route(api, "/proof", "proof", GamePosition, proof_told)
    def proof(question: GamePosition) -> Response:
        """What the books prove about a position: the winner's move, and an answer to every reply.

        So a proof can be walked from any position of it. 404 where no book proves the position.
        """
        return respond(ProofStep.of(walks.proof(asking.answerer, asking.inquiry(question))))


def _example(inquiry: Inquiry) -> ProofStep:
    """An invented step: as if the side to move were to lose."""
    position, names = inquiry.position, inquiry.game.move_names
    replies = inquiry.game.legal_moves(position)[:2]
    return ProofStep(
        game=inquiry.game.id,
        position=inquiry.game.format_line(inquiry.played),
        to_move=position.to_move,
        proven=True,
        outcome=f"{position.to_move.other} wins",
        winner=position.to_move.other,
        distance=8,
        move=None,
        replies=(
            NotatedReply(names[replies[0]], names[replies[1]], 7, ReplySource.BOOK),
            NotatedReply(names[replies[1]], None, None, ReplySource.LIVE),
        ),
    )

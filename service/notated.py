"""Answers as they are shown: with their moves in notation, under the names that JSON has.

They are structs, which are made and written out in a tenth of the time of frozen dataclasses: an
answer has up to some hundred moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from engine.position import Side
from engine.search import Method
from engine.values import Bound
from service.answers import Answer, AnswerMove, MoveSource, Source

if TYPE_CHECKING:
    from book.files.contents import Results
    from book.imported import Imported
    from engine.game import Game


class NotatedMove(Struct, frozen=True):
    """A move of the position asked about, with its value for the side to move.

    `win_rate` is the chance, 0 to 1, that the side to move wins, see `service.answers.win_rate`,
    and `uncertainty` by how much that may well be wrong, None where nobody has measured it, see
    `engine.accuracy`.
    `distance` is in plies to the end of a proven win or loss. `line` starts with the move.
    `method` is what found a live value, None for any other.
    """

    move: str
    value: int
    win_rate: float
    uncertainty: float | None
    bound: Bound
    proven: bool
    distance: int | None
    depth: int
    source: MoveSource
    method: Method | None
    line: tuple[str, ...]

    @classmethod
    def of(cls, game: Game, move: AnswerMove) -> NotatedMove:
        """`move` in the notation of its game."""
        names = game.move_names
        return cls(
            move=names[move.move],
            value=move.value,
            win_rate=move.win_rate,
            uncertainty=game.accuracy.uncertainty(move.depth, move.proven),
            bound=move.bound,
            proven=move.proven,
            distance=move.distance,
            depth=move.depth,
            source=move.source,
            method=move.method,
            line=tuple([names[each] for each in move.line]),
        )


class Counts(Struct, frozen=True):
    """How many imported games came to a position, and how they ended; some may have no result.

    `dark_rate` is the share of those with a result that dark won, a draw counting one half.
    """

    games: int
    dark_wins: int
    draws: int
    light_wins: int
    dark_rate: float | None

    @classmethod
    def of(cls, results: Results) -> Counts:
        """The counts of `results`."""
        ended = results.dark_wins + results.draws + results.light_wins
        rate = (results.dark_wins + results.draws / 2) / ended if ended else None
        return cls(*results, dark_rate=None if rate is None else round(rate, 4))


class NotatedPlayed(Struct, frozen=True):
    """A move, and the counts of the games that came to the position after it."""

    move: str
    counts: Counts


class NotatedHint(Struct, frozen=True):
    """What an imported file says of a position, which proves nothing.

    `value` is for the side to move, a claimed win in n plies being 30000 - n. `label` w, l or d is
    won, lost or drawn for the side that has just moved.
    """

    source: str
    format: str
    value: int | None
    bound: Bound | None
    depth: int
    label: str
    comment: str


class NotatedImports(Struct, frozen=True):
    """What was imported of a position: its games, the moves played in it, and hints."""

    counts: Counts
    moves: tuple[NotatedPlayed, ...]
    hints: tuple[NotatedHint, ...]

    @classmethod
    def of(cls, names: Sequence[str], imported: Imported) -> NotatedImports:
        """What was `imported`, by the `names` of all moves of its game."""
        return cls(
            Counts.of(imported.results),
            tuple(NotatedPlayed(names[m], Counts.of(results)) for m, results in imported.moves),
            tuple(
                NotatedHint(h.source, h.form, h.value, h.bound, h.depth, h.label, h.comment)
                for h in imported.hints
            ),
        )


class NotatedAnswer(Struct, frozen=True, omit_defaults=True):
    """What is known of one position: see `service.answers.Answer`.

    `position` is the moves that lead to it. `win_rate` is the chance of the side to move, and
    `uncertainty` by how much it may well be wrong, as for a move. `best` and `line` are those of
    the first move, and `milliseconds` those of the search behind the answer. `imported` is there
    where files that were imported into a book say something.
    """

    source: Source
    method: Method | None
    game: str
    position: str
    ply: int
    to_move: Side
    outcome: str | None
    forbidden: tuple[str, ...]
    value: int
    win_rate: float
    uncertainty: float | None
    bound: Bound
    proven: bool
    distance: int | None
    depth: int
    nodes: int
    milliseconds: float
    best: str | None
    line: tuple[str, ...]
    moves: tuple[NotatedMove, ...]
    elapsed_us: int
    imported: NotatedImports | None = None

    @classmethod
    def of(cls, answer: Answer) -> NotatedAnswer:
        """`answer` in the notation of its game."""
        game = answer.game
        names = game.move_names
        moves = tuple([NotatedMove.of(game, move) for move in answer.moves])
        return cls(
            source=answer.source,
            method=answer.method,
            game=game.id,
            position=game.format_line(answer.played),
            ply=answer.position.ply,
            to_move=answer.position.to_move,
            outcome=None if answer.outcome is None else answer.outcome.value,
            forbidden=tuple([names[move] for move in answer.forbidden]),
            value=answer.value,
            win_rate=answer.win_rate,
            uncertainty=answer.uncertainty,
            bound=answer.bound,
            proven=answer.proven,
            distance=answer.distance,
            depth=answer.depth,
            nodes=answer.nodes,
            milliseconds=round(answer.seconds * 1000, 3),
            best=moves[0].move if moves else None,
            line=moves[0].line if moves else (),
            moves=moves,
            elapsed_us=answer.elapsed_us,
            imported=(
                NotatedImports.of(names, answer.imported) if answer.imported is not None else None
            ),
        )


class BestMove(Struct, frozen=True):
    """An answer cut down to its best move."""

    source: Source
    method: Method | None
    game: str
    position: str
    outcome: str | None
    forbidden: tuple[str, ...]
    best: str | None
    value: int
    win_rate: float
    bound: Bound
    proven: bool
    distance: int | None
    elapsed_us: int

    @classmethod
    def of(cls, answer: Answer) -> BestMove:
        """The best move of `answer`, in the notation of its game."""
        game, best = answer.game, answer.best
        names = game.move_names
        return cls(
            source=answer.source,
            method=answer.method,
            game=game.id,
            position=game.format_line(answer.played),
            outcome=None if answer.outcome is None else answer.outcome.value,
            forbidden=tuple([names[move] for move in answer.forbidden]),
            best=None if best is None else names[best.move],
            value=answer.value,
            win_rate=answer.win_rate,
            bound=answer.bound,
            proven=answer.proven,
            distance=answer.distance,
            elapsed_us=answer.elapsed_us,
        )

"""Proofs from Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine import registry
from engine.errors import FivebookError, InvalidOptions
from engine.position import Side
from engine.proof import TABLE_MEBIBYTES
from fivebook._games import Moves, MoveText, notation, read_unfinished
from fivebook.machine import prepare_python

if TYPE_CHECKING:
    from engine.verdicts import Provers, Question

USUAL_NODES = 10_000_000
NO_LIMIT = 1 << 62
USUAL_MEMORY = 2 * TABLE_MEBIBYTES
"""In MiB."""


class NotProvable(FivebookError, ValueError):
    """The game's prover cannot be asked this."""


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What is proven of a position, for the side to move.

    `result` is what best play leads to, `open` where that is not known. `wins` tells whether the
    side to move wins, and `loses` whether the other side does: True and False are proven, None is
    open or was not asked. A win or loss is over within `distance` plies, but there may be a
    shorter one, though none within `no_win_within` or `no_loss_within` plies; `line` is a way
    there on which the loser resists long, or a part of it. `seconds` are those of the proof.
    """

    game: str
    result: Literal["win", "loss", "draw", "open"]
    wins: bool | None
    loses: bool | None
    distance: int | None
    line: tuple[MoveText, ...]
    no_win_within: int
    no_loss_within: int
    nodes: int
    seconds: float


def prove(
    game: str,
    moves: Moves = "",
    *,
    nodes: int | None = None,
    memory: int = USUAL_MEMORY,
    side: Side | Literal["dark", "light"] | None = None,
    within: int | None = None,
    threads: int = 1,
) -> ProofResult:
    """Who wins `game` by force after `moves`, whatever the other side does.

    `nodes`, by default ten million, are spent half on proving that the side to move wins, and
    half on proving that it loses; with `side` all on the win of that side. `within` looks only
    for wins within that many plies, by default without a limit of nodes, for provers that look ply
    by ply. `memory`, for what is known of positions, is in MiB. With one thread the same question
    has the same answer.

    >>> proof = prove("gomoku-15", "h8 g9 i10 h10 i9 h9 i8 i7")
    >>> proof.result, proof.distance, proof.line[0]
    ('win', 11, 'i11')

    Raises:
        UnknownGame: if there is no such game.
        InvalidMove: if one of `moves` cannot be read.
        IllegalMove: if one of them cannot be played.
        GameOver: if the game has ended by then.
        NotProvable: if `within` is given, and the game's prover does not look ply by ply.
        InvalidOptions: if a number is not positive, or there is no such side.
        MachineRefuses: if there is no folder for compiled code to be had.
    """
    prepare_python()
    from engine.verdicts import Question, answer

    numbers = {"nodes": nodes, "memory": memory, "within": within, "threads": threads}
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise InvalidOptions(f"{name} must be 1 or more, not {number}")
    if side is not None and side not in list(Side):
        raise InvalidOptions(f"side must be 'dark' or 'light', not {side!r}")
    rules = registry.get(game)
    question = Question(
        rules,
        read_unfinished(rules, moves),
        side=None if side is None else Side(side),
        nodes=nodes or (NO_LIMIT if within else USUAL_NODES),
        within=within,
        each_move=False,
    )
    for step in answer(question, provers_for(question, memory, threads)):
        last = step
    verdict = last.verdict
    proof = verdict.win if verdict.result == "win" else verdict.loss
    return ProofResult(
        game=rules.id,
        result=verdict.result or "open",
        wins=verdict.win.won,
        loses=verdict.loss.won,
        distance=proof.distance,
        line=tuple(notation(rules)[move] for move in proof.line),
        no_win_within=verdict.win.horizon,
        no_loss_within=verdict.loss.horizon,
        nodes=verdict.nodes,
        seconds=last.seconds,
    )


def provers_for(question: Question, memory: int, threads: int) -> Provers:
    """A prover for each claim that is asked; they share `memory` MiB.

    Raises:
        NotProvable: if there is a `question.within`, and the prover does not look ply by ply.
        InvalidOptions: if there is not so much memory.
    """
    game, asked = question.game, question.claims
    share = max(1, memory // sum(asked))
    try:
        win, loss = (game.prover(table=share, threads=threads) if each else None for each in asked)
    except MemoryError as error:
        raise InvalidOptions(f"a table of {memory} MiB does not fit into the memory") from error
    if question.within is not None and not all(each.by_plies for each in (win, loss) if each):
        raise NotProvable(
            f"a limit of plies needs a prover that looks ply by ply, and that of {game.id} does not"
        )
    return win, loss

"""``fivebook prove``."""

from functools import partial
from itertools import compress
from typing import Any

import click
from rich.table import Table

from book.processes import stopping_on_interrupt
from engine.game import Game
from engine.position import Move, Side
from engine.proof import Proof
from engine.verdicts import Provers, Question, Step, answer, moves_alike
from fivebook._proofs import NO_LIMIT, USUAL_MEMORY, USUAL_NODES, provers_for
from fivebook.console import console, errors, print_json, say
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import GAME, MEMORY, POSITIVE, json_option
from service.play.drawing import draw


@click.command()
@click.argument("game", type=GAME)
@click.argument("moves", nargs=-1)
@click.option(
    "--plies",
    type=POSITIVE,
    help="Look only for wins within this many plies; for provers that look ply by ply.",
)
@click.option(
    "--side",
    type=click.Choice([side.value for side in Side]),
    help="Only whether this side wins.",
)
@click.option(
    "--each-move",
    is_flag=True,
    help="The same after each move, up to symmetry; plies count from before it.",
)
@click.option(
    "--nodes",
    type=POSITIVE,
    help="Nodes: half to prove that the side to move wins, half to prove that it loses; for each "
    f"move as many.  [default: {USUAL_NODES:,}; no limit with --plies]",
)
@click.option(
    "--memory",
    "--table",
    "memory",
    type=MEMORY,
    default=f"{USUAL_MEMORY}MB",
    show_default=True,
    help="For what is known of positions, e.g. 512MB, 4GB; a plain number counts MiB.",
)
@click.option(
    "--jobs",
    type=POSITIVE,
    default=1,
    show_default=True,
    help="Threads, where the prover can use them; with several the nodes are up to chance.",
)
@json_option
def prove(
    game: Game,
    moves: tuple[str, ...],
    plies: int | None,
    side: str | None,
    each_move: bool,
    nodes: int | None,
    memory: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Prove who wins by force in the position of GAME after MOVES.

    Every defence is taken into account: by a proof-number search, or in Pentago-swap ply by ply.
    It tells who wins, in at most how many plies and by which line, that the game is a draw, or
    what is still open when its nodes are spent or there is no win within --plies. The same
    question has the same answer. Ctrl-C ends it with what is known by then.

    \b
    Examples:
      fivebook prove gomoku-15 "h8 g9 i10 h10 i9 h9 i8 i7"
      fivebook prove gomoku-5 --json
      fivebook prove gomoku-15-standard "h8 i9" --nodes 100000000 --memory 2GB
      fivebook prove pentago-swap a1:12 --plies 14 --side dark
      fivebook prove pentago-swap --each-move --plies 15 --side dark --memory 1GB
    """
    line = game.parse_line(" ".join(moves))
    position = game.play_line(line)
    outcome = game.outcome(position)
    if outcome is not None:
        raise click.UsageError(f"nothing is left to prove: {outcome.value}")
    question = Question(
        game,
        position,
        side=None if side is None else Side(side),
        nodes=nodes or (NO_LIMIT if plies else USUAL_NODES),
        within=plies,
        each_move=each_move,
    )
    steps, status = _answer(question, provers_for(question, memory, jobs))
    text = game.format_line(line)
    if each_move and as_json:
        print_json(_moves_as_dict(question, text, steps))
    elif each_move:
        _print_moves(question, text, steps)
    elif as_json:
        print_json(_as_dict(question, text, steps[-1]))
    else:
        _print(question, text, steps[-1])
    raise click.exceptions.Exit(status)


def _answer(question: Question, provers: Provers) -> tuple[list[Step], int]:
    """The last step for each move, and the exit status: not 0 if an interrupt cut it short."""
    steps: dict[tuple[Move, ...], Step] = {}
    with (
        ProgressDisplay(partial(_progress, question), terminal=errors) as progress,
        stopping_on_interrupt(lambda: None, "within seconds") as interruption,
    ):
        for step in answer(question, provers):
            steps[step.moves] = step
            if interruption.status:
                break
            progress.show(step)
    return list(steps.values()), interruption.status


def _progress(question: Question, step: Step) -> str:
    parts = [_horizons(question, step), _effort(step)]
    if step.moves:
        parts.insert(0, f"{question.game.format_move(step.moves[0])}, then {step.left:,} more")
    return "; ".join(filter(None, parts))


def _effort(step: Step) -> str:
    verdict = step.verdict
    table = f"table {100 * verdict.table:.1f} % full"
    return f"{verdict.nodes:,} nodes, {table}, {step.seconds:.1f} s"


def _head(question: Question, line: str) -> dict[str, Any]:
    return {
        "game": question.game.id,
        "position": line,
        "to_move": _sides(question)[0],
        "within": question.within,
    }


def _result(step: Step) -> dict[str, Any]:
    verdict = step.verdict
    return {
        "result": verdict.result,
        "wins": verdict.win.won,
        "loses": verdict.loss.won,
        "distance": _proof(step).distance,
        "no_win_within": verdict.win.horizon,
        "no_loss_within": verdict.loss.horizon,
        "nodes": verdict.nodes,
        "seconds": round(step.seconds, 3),
    }


def _as_dict(question: Question, line: str, step: Step) -> dict[str, Any]:
    best = [question.game.format_move(move) for move in _proof(step).line]
    table = round(step.verdict.table, 6)
    return {**_head(question, line), **_result(step), "line": best, "table": table}


def _moves_as_dict(question: Question, line: str, steps: list[Step]) -> dict[str, Any]:
    moves = [
        {"moves": [question.game.format_move(move) for move in step.moves], **_result(step)}
        for step in moves_alike(steps)
    ]
    return {**_head(question, line), "moves": moves, "left": steps[-1].left}


def _proof(step: Step) -> Proof:
    """The one that tells the distance and the line."""
    return step.verdict.win if step.verdict.result == "win" else step.verdict.loss


def _print_position(question: Question, line: str) -> None:
    game = question.game
    say(f"{game.title}: {line or 'the empty board'}\n")
    say(f"{draw(game, question.position)}\n")


def _print(question: Question, line: str, step: Step) -> None:
    _print_position(question, line)
    side = _sides(question)[0]
    say(f"{side} to move: {_sentence(question, step)}")
    if _proof(step).line:
        say(question.game.format_line(_proof(step).line))
    say(_effort(step))


def _print_moves(question: Question, line: str, steps: list[Step]) -> None:
    """A row for all moves that are alike, with the first of them."""
    _print_position(question, line)
    table = Table("move")
    table.add_column("alike", justify="right")
    table.add_column(f"{_sides(question)[0]} to move")
    table.add_column("nodes", justify="right")
    table.add_column("seconds", justify="right")
    for step in moves_alike(steps):
        table.add_row(
            question.game.format_move(step.moves[0]),
            f"{len(step.moves):,}",
            _sentence(question, step),
            f"{step.verdict.nodes:,}",
            f"{step.seconds:.1f}",
        )
    console.print(table)
    if steps[-1].left:
        say(f"not looked at: {steps[-1].left:,} moves, up to symmetry")


def _sentence(question: Question, step: Step) -> str:
    side, other = _sides(question)
    win, loss = step.verdict.win, step.verdict.loss
    match step.verdict.result:
        case "win":
            return f"{side} wins in at most {_plies(win.distance)}"
        case "loss":
            return f"{other} wins in at most {_plies(loss.distance)}"
        case "draw":
            return "a draw, neither side can force a win"
    if win.won is False:
        return f"{side} cannot force a win; whether {other} can is open"
    if loss.won is False:
        return f"{other} cannot force a win; whether {side} can is open"
    claims, horizons = _claims(question, step), _horizons(question, step)
    # A side plays only every other ply.
    reached = (question.within or NO_LIMIT) - 2
    if horizons and all(proof.horizon > reached for _, proof in claims):
        return horizons
    whose = "neither side's win was" if len(claims) > 1 else f"{claims[0][0]}'s win was not"
    return "; ".join(filter(None, (f"open, {whose} proven", horizons)))


def _horizons(question: Question, step: Step) -> str:
    """Within how many plies it is known that the sides that are asked about do not win."""
    # That a move does not end the game is no result.
    least = 1 if question.within else 2
    known = [
        f"no win for {side} within {_plies(proof.horizon)}"
        for side, proof in _claims(question, step)
        if proof.horizon >= least
    ]
    return ", ".join(known)


def _claims(question: Question, step: Step) -> list[tuple[Side, Proof]]:
    """What is known of the claims that are asked: that these sides win."""
    both = zip(_sides(question), (step.verdict.win, step.verdict.loss), strict=True)
    return list(compress(both, question.claims))


def _plies(count: int | None) -> str:
    return "1 ply" if count == 1 else f"{count} plies"


def _sides(question: Question) -> tuple[Side, Side]:
    """The side to move, and the other."""
    side = question.position.to_move
    return side, side.other

"""``fivebook prove``."""

import time
from typing import Any

import click
from rich.console import Console

from book.closing import Closing
from book.console import GAME, POSITIVE, console, json_option, print_json
from engine.games.base import Game
from engine.position import Position
from engine.proof import TABLE_MEBIBYTES, Prover, Verdict, settle
from service.answers import Side
from service.board import draw

_NODES = 10_000_000
_MOST_MEBIBYTES = 1 << 20
_SECONDS_BETWEEN_LINES = 5.0


@click.command()
@click.argument("game", type=GAME)
@click.argument("moves", nargs=-1)
@click.option(
    "--nodes",
    type=POSITIVE,
    default=_NODES,
    show_default=True,
    help="Nodes: half to prove that the side to move wins, half to prove that it loses.",
)
@click.option(
    "--table",
    type=click.IntRange(2, _MOST_MEBIBYTES),
    default=2 * TABLE_MEBIBYTES,
    show_default=True,
    help="Memory for what is known of positions, in MiB.",
)
@json_option
def prove(game: Game, moves: tuple[str, ...], nodes: int, table: int, as_json: bool) -> None:
    """Prove who wins by force in the position of GAME after MOVES.

    A proof-number search, which takes every defence into account. It tells who wins, in at most
    how many plies and by which line, that the game is a draw, or what is still open when its
    nodes are spent. The same question has the same answer.

    \b
    Examples:
      fivebook prove gomoku-15 "h8 g9 i10 h10 i9 h9 i8 i7"
      fivebook prove gomoku-5 --json
      fivebook prove gomoku-15-standard "h8 i9" --nodes 100000000 --table 2048
    """
    line = game.parse_line(" ".join(moves))
    position = game.play_line(line)
    outcome = game.outcome(position)
    if outcome is not None:
        raise click.UsageError(f"nothing is left to prove: {outcome.value}")
    verdict = _settle(_provers(game, table), position, nodes)
    if as_json:
        print_json(_as_dict(game, game.format_line(line), position, verdict))
    else:
        _print(game, game.format_line(line), position, verdict)


def _provers(game: Game, table: int) -> tuple[Prover, Prover]:
    try:
        provers = [game.prover(table=table // 2) for _ in range(2)]
    except MemoryError as error:
        raise click.UsageError(f"a table of {table} MiB does not fit into the memory") from error
    win, loss = provers
    if win is None or loss is None:
        raise click.UsageError(f"{game.id} cannot be proven: the game has no prover yet")
    return win, loss


def _settle(provers: tuple[Prover, Prover], position: Position, nodes: int) -> Verdict:
    with _Display() as display:
        for verdict in settle(provers, position, nodes=nodes):
            display.show(verdict)
    return verdict


class _Display(Closing):
    """Shows how far a proof is: live on a terminal, in plain lines elsewhere."""

    def __init__(self) -> None:
        errors = Console(stderr=True)
        self._status = errors.status("") if errors.is_terminal else None
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        if self._status:
            self._status.start()

    def close(self) -> None:
        """Leave the terminal as it is."""
        if self._status:
            self._status.stop()

    def show(self, verdict: Verdict) -> None:
        """Take in what is known; a plain line is printed every few seconds."""
        if self._status:
            self._status.update(_effort(verdict))
        elif time.monotonic() >= self._due:
            click.echo(_effort(verdict), err=True)
            self._due = time.monotonic() + _SECONDS_BETWEEN_LINES


def _effort(verdict: Verdict) -> str:
    return f"{verdict.nodes:,} nodes, table {100 * verdict.table:.1f} % full"


def _as_dict(game: Game, line: str, position: Position, verdict: Verdict) -> dict[str, Any]:
    proof = verdict.win if verdict.result == "win" else verdict.loss
    return {
        "game": game.id,
        "position": line,
        "to_move": _to_move(position),
        "result": verdict.result,
        "wins": verdict.win.won,
        "loses": verdict.loss.won,
        "distance": proof.distance,
        "line": [game.format_move(move) for move in proof.line],
        "nodes": verdict.nodes,
        "table": round(verdict.table, 6),
    }


def _print(game: Game, line: str, position: Position, verdict: Verdict) -> None:
    console.print(f"{game.title}: {line or 'the empty board'}\n", highlight=False)
    console.print(draw(game, position), highlight=False)
    console.print(
        f"\n{_to_move(position)} to move: {_sentence(verdict, position)}", highlight=False
    )
    proof = verdict.win if verdict.result == "win" else verdict.loss
    if proof.line:
        console.print(game.format_line(proof.line), highlight=False, soft_wrap=True)
    console.print(_effort(verdict), highlight=False)


def _sentence(verdict: Verdict, position: Position) -> str:
    side, other = _to_move(position), _other(position)
    match verdict.result:
        case "win":
            return f"{side} wins in at most {verdict.win.distance} plies"
        case "loss":
            return f"{other} wins in at most {verdict.loss.distance} plies"
        case "draw":
            return "a draw, neither side can force a win"
    if verdict.win.won is False:
        return f"{side} cannot force a win; whether {other} can is open"
    if verdict.loss.won is False:
        return f"{other} cannot force a win; whether {side} can is open"
    return "open, neither side's win was proven within the nodes"


def _to_move(position: Position) -> Side:
    return Side.DARK if position.dark_to_move else Side.LIGHT


def _other(position: Position) -> Side:
    return Side.LIGHT if position.dark_to_move else Side.DARK

"""The command that builds: `fivebook build`."""

from typing import Any

import click

from book.address import Address
from book.console import (
    BOOK,
    DURATION,
    GAME,
    MEMORY,
    POSITIVE,
    TABLE,
    console,
    json_option,
    print_json,
)
from book.processes import stopping_on_interrupt
from engine.games.base import Game
from engine.search import Limits, SearchOptions
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.progress import BuildDisplay, SolveDisplay, describe_solving
from precompute.proving import Goal, verdict
from precompute.solving import SolveOptions, SolveState, Solving

_DEFAULT_NODES = 20_000
# Deeper positions of a solved game are settled in time by a live search.
_STRATEGY_PLIES = 4


@click.command()
@click.argument("book", type=BOOK)
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option(
    "--mode",
    type=click.Choice(["explore", "full", "learn", "prove"]),
    help="The cheapest positions first; all positions up to a ply, which --plies means; what a "
    "service was asked for and did not find, the most asked first; or a proof that the side to "
    "move wins, with the winner's strategy.  [default: explore]",
)
@click.option("--root", default="", metavar="MOVES", help="Prove the position after these moves.")
@click.option(
    "--by",
    type=click.Choice(["solver", "book"]),
    help="A proof in one go, by the game's own prover; or one made of many searches, for which "
    "the book is the tree.  [default: solver]",
)
@click.option(
    "--side",
    type=click.Choice(["dark", "light"]),
    help="Who is to win in a proof by the book; the side to move if not given.",
)
@click.option("--positions", type=POSITIVE, help="Stop when the book holds this many positions.")
@click.option(
    "--plies",
    type=click.IntRange(min=0),
    help=f"How far the book goes; the winner's strategy to ply {_STRATEGY_PLIES} of a proof.",
)
@click.option("--time", "seconds", type=DURATION, help="Stop after this time, e.g. 90s, 2m, 8h.")
@click.option(
    "--nodes",
    type=POSITIVE,
    help=f"Nodes for each search; {_DEFAULT_NODES:,} if no limit is given.",
)
@click.option("--depth", type=POSITIVE, help="Depth of each search, in plies.")
@click.option("--movetime", type=DURATION, help="Time for each search; not reproducible.")
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="Transposition table of each search, in MiB. Another size makes another book.",
)
@click.option(
    "--memory",
    type=MEMORY,
    default="1GB",
    show_default=True,
    help="Table of a proof, which all jobs share, e.g. 512MB, 4GB.",
)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Searches at a time.")
@json_option
def build(
    book: Address,
    game: Game,
    mode: str | None,
    root: str,
    by: str | None,
    side: str | None,
    positions: int | None,
    plies: int | None,
    seconds: float | None,
    nodes: int | None,
    depth: int | None,
    movetime: float | None,
    table: int,
    memory: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Build BOOK, or go on building it, from the empty board.

    The cheapest positions come first: those that a sensible game reaches soonest. Ctrl-C stops
    after the searches in flight; the same command goes on where it stopped, also after a crash.
    With limits by nodes or depth alone the book is the same for any number of jobs.

    With --mode prove one proof is made, by all jobs together, that the side to move wins. What is
    known of it is kept beside BOOK, in a file that ends with .proof, every minute. With --by book
    the proof is the book itself: a proof-number search over its positions chooses what to search.

    \b
    Examples:
      fivebook build gomoku.db --game gomoku-15 --positions 500 --nodes 20000 --jobs 2
      fivebook build swap.db --game pentago-swap --time 2m
      fivebook build all.db --game gomoku-15 --plies 2 --depth 6
      fivebook build gomoku.db --game gomoku-15 --mode learn --nodes 1000000
      fivebook build solved.db --game pentago-swap --mode prove --memory 4GB --jobs 2
      fivebook build won.db --game gomoku-15 --mode prove --by book --root "h8 i9 h10" --side dark
    """
    if mode != "prove":
        _refuse_outside_a_proof(root, by, side)
    if mode == "prove" and by != "book":
        if side:
            raise click.UsageError("--side needs --by book")
        strategy = SolveOptions(
            game=game,
            plies=_STRATEGY_PLIES if plies is None else plies,
            memory=memory,
            line=tuple(game.parse_line(root)),
            jobs=jobs,
            nodes=nodes,
            seconds=seconds,
        )
        _refuse_in_a_proof(positions, depth, movetime)
        _solve(book, strategy, as_json)
        return
    goal = _goal(game, root, side) if mode == "prove" else None
    if mode in ("explore", "learn", "prove") and plies is not None:
        by_book = " --by book" if goal else ""
        raise click.UsageError(f"--mode {mode}{by_book} has no --plies")
    if mode == "full" and plies is None:
        raise click.UsageError("--mode full needs --plies")
    if positions and plies is not None:
        raise click.UsageError("--positions and --plies cannot be combined")
    if not (nodes or depth or movetime):
        nodes = _DEFAULT_NODES
    limits = Limits(depth, nodes, movetime)
    options = BuildOptions(
        game, limits, jobs, positions, plies, seconds, table, mode == "learn", goal
    )
    with BuildDisplay(book, options) as display:
        builder = Builder(book, options, (lambda state: None) if as_json else display.show)

        def stop() -> None:
            click.echo(
                "Stopping after the searches in flight; once more to stop at once.", err=True
            )
            builder.stop()

        with stopping_on_interrupt(stop):
            state = builder.run()
        value = display.root()
    told = {} if goal is None else {"won": verdict(book, game, goal)}
    if as_json:
        print_json(_as_dict(book, state, builder.complete, value) | told)
        return
    _print_end(book, state, builder.complete, value)
    if goal is not None:
        console.print(_describe_verdict(goal, told["won"]))


def _goal(game: Game, root: str, side: str | None) -> Goal:
    line = tuple(game.parse_line(root))
    position = game.play_line(line)
    outcome = game.outcome(position)
    if outcome is not None:
        raise click.UsageError(f"after '{root}' the game is over ({outcome.value})")
    return Goal(line, position.dark_to_move if side is None else side == "dark")


def _describe_verdict(goal: Goal, won: bool | None) -> str:
    side = "dark" if goal.dark else "light"
    if won is None:
        return f"whether {side} wins is not proven yet"
    return f"proven: {side} wins" if won else f"proven: {side} does not win"


def _refuse_outside_a_proof(root: str, by: str | None, side: str | None) -> None:
    for name, value in (("--root", root), ("--by", by), ("--side", side)):
        if value:
            raise click.UsageError(f"{name} needs --mode prove")


def _refuse_in_a_proof(positions: int | None, depth: int | None, movetime: float | None) -> None:
    for name, value in (("--positions", positions), ("--depth", depth), ("--movetime", movetime)):
        if value is not None:
            raise click.UsageError(f"--mode prove has no {name}")


def _solve(book: Address, options: SolveOptions, as_json: bool) -> None:
    with SolveDisplay() as display:
        solving = Solving(book, options, (lambda state: None) if as_json else display.show)

        def stop() -> None:
            click.echo("Stopping within seconds; once more to stop at once.", err=True)
            solving.stop()

        with stopping_on_interrupt(stop):
            state = solving.run()
    if as_json:
        print_json(_solved_as_dict(book, state, solving.complete))
        return
    proof = state.proof
    console.print(
        f"{book}: {describe_solving(state)}\n{proof.nodes:,} nodes in {state.seconds:.1f} s; "
        f"the book holds {state.stored:,} positions",
        highlight=False,
        soft_wrap=True,
    )
    if not solving.complete:
        console.print("Not finished: the same command goes on from here.", highlight=False)


def _solved_as_dict(book: Address, state: SolveState, complete: bool) -> dict[str, Any]:
    proof = state.proof
    return {
        "book": str(book),
        "won": proof.won,
        "distance": proof.distance,
        "no_win_within": proof.horizon,
        "nodes": proof.nodes,
        "table": round(proof.table, 6),
        "positions": state.stored,
        "seconds": round(state.seconds, 3),
        "complete": complete,
    }


def _as_dict(book: Address, state: BuildState, complete: bool, root: str) -> dict[str, Any]:
    return {
        "book": str(book),
        "positions": state.positions,
        "added": state.added,
        "searches": state.searches,
        "nodes": state.nodes,
        "seconds": round(state.seconds, 3),
        "complete": complete,
        "root": root,
    }


def _print_end(book: Address, state: BuildState, complete: bool, root: str) -> None:
    rate = state.added / state.seconds if state.seconds else 0.0
    console.print(
        f"{book}: {state.positions:,} positions, {state.added:,} of them new, "
        f"{state.searches:,} searches, {state.nodes:,} nodes in {state.seconds:.1f} s "
        f"({rate:.1f} positions/s)",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"root {root}", highlight=False, soft_wrap=True)
    if not complete:
        console.print("Not finished: the same command goes on from here.", highlight=False)

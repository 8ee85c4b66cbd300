"""The command that builds: `fivebook build`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from book.errors import BookMissing, NotABook
from book.lessons import Lesson, Lessons
from book.patience import USUAL_PATIENCE
from book.processes import Interruption, stopping_on_interrupt
from book.reader import BookReader
from book.storage.address import Address
from engine.game import Game
from engine.position import Move, Side
from engine.search import Limits, SearchOptions
from fivebook.console import NOT_FINISHED, print_json, say
from fivebook.corrections import Correction, Report, look, read_corrections
from fivebook.displays.building import BuildView, describe_proof
from fivebook.displays.parts import describe_parts_build
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import BOOK, DURATION, GAME, MEMORY, POSITIVE, PROBABILITY, TABLE, json_option
from precompute.backend import Backend, Workers
from precompute.build import BuildRun
from precompute.builder import USUAL_LEASE, Builder, BuildOptions, BuildState
from precompute.cluster import is_protected
from precompute.modes.check import Check
from precompute.modes.deviate import Deviate
from precompute.modes.explore import Explore
from precompute.modes.frontier import SearchMode
from precompute.modes.full import Full
from precompute.modes.learn import Learn
from precompute.modes.prove_by_book import ProveByBook, verdict
from precompute.modes.prove_by_solver import (
    ProofOptions,
    ProofState,
    ProveBySolver,
    StrategyBuilder,
)
from precompute.modes.refine import Refine
from precompute.rounds import GROWTH, rounds_of
from service.play.arena.openings import Opening, read_openings

if TYPE_CHECKING:
    from precompute.certificates.gomoku.builder import PartsBuildState

_DEFAULT_NODES = 20_000
# Deeper positions of a solved game are settled in time by a live search.
_STRATEGY_PLIES = 4

# What each mode takes besides the options that all take.
_OF_A_BUILD = ("depth", "movetime", "table", "backend", "scheduler", "insecure", "lease")
_OF_GROWTH = ("root", "roots", "max_loss", "own", "margin")
_PARTS = " by parts"
_BY_BOOK, _BY_PARTS = "prove --by book", f"prove{_PARTS}"
_OPTIONS = {
    "explore": {*_OF_A_BUILD, *_OF_GROWTH, "positions"},
    "full": {*_OF_A_BUILD, "root", "roots", "plies"},
    "refine": {*_OF_A_BUILD, *_OF_GROWTH, "searches", "rounds"},
    "deviate": {*_OF_A_BUILD, "root", "roots", "positions", "plies", "total_loss", "each_loss"},
    "learn": {*_OF_A_BUILD, "positions"},
    "check": {*_OF_A_BUILD, "corrections"},
    "prove": {"by", "root", "plies", "memory"},
    _BY_PARTS: {"by", "root", "thirds", "plies", "backend", "scheduler", "insecure"},
    _BY_BOOK: {*_OF_A_BUILD, "by", "side", "root", "positions"},
}
_MODES = [mode for mode in _OPTIONS if mode not in (_BY_BOOK, _BY_PARTS)]
_OF_SOME = set().union(*_OPTIONS.values())


@click.command()
@click.argument("book", type=BOOK)
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option(
    "--add-game", is_flag=True, help="Add the game to a BOOK that holds only others so far."
)
@click.option(
    "--mode",
    type=click.Choice(_MODES),
    help="explore: the cheapest positions first; full: all positions up to --plies; refine: "
    "stored positions searched again with larger limits; deviate: all positions that small "
    "mistakes lead to; learn: where games were lost with the book, then positions that a service "
    "was asked for and did not find, the most frequent first; check: what somebody says of some "
    "positions; prove: a proof that the side to move wins, with the winner's strategy.  "
    "[default: explore, or full with --plies]",
)
@click.option(
    "--root", default="", metavar="MOVES", help="Begin with the position after these moves."
)
@click.option(
    "--roots",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Begin with each of the openings in this file, by turns: a line of moves for each.",
)
@click.option(
    "--thirds",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Where a proof is made of parts, dark's second stones: a line of three moves for each. "
    "The others are chosen by trials.",
)
@click.option(
    "--corrections",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What is said of positions, a line for each: moves, and a value such as +120 or 62%.",
)
@click.option(
    "--by",
    type=click.Choice(["solver", "book"]),
    help="A proof in one go, by the game's own prover; or one made of many searches, for which "
    "the book is the tree.  [default: solver]",
)
@click.option(
    "--side",
    type=click.Choice([side.value for side in Side]),
    help="Who is to win in a proof by the book; the side to move if not given.",
)
@click.option("--positions", type=POSITIVE, help="Stop when the book holds this many positions.")
@click.option(
    "--searches",
    type=POSITIVE,
    help="Stop refining when this many positions were searched with such limits or larger ones.",
)
@click.option(
    "--rounds",
    type=POSITIVE,
    help=f"Refine by so many rounds, each with {GROWTH} times the nodes of the one before, for one "
    f"in {GROWTH} of its positions; of the first --nodes and --searches are.",
)
@click.option(
    "--plies",
    type=click.IntRange(min=0),
    help="How far the book goes, from each root on; the winner's strategy to ply "
    f"{_STRATEGY_PLIES} of a proof.",
)
@click.option(
    "--max-loss",
    type=PROBABILITY,
    help="Leave out moves that give away more of the winning probability, e.g. 0.1 or 10%.",
)
@click.option(
    "--for",
    "own",
    type=click.Choice([side.value for side in Side]),
    help="Make a book for this side: of its own moves only the best, of the other's all within "
    "--max-loss.",
)
@click.option(
    "--margin",
    type=PROBABILITY,
    help="With --for, also its moves that give away at most this.",
)
@click.option(
    "--abs",
    "total_loss",
    type=PROBABILITY,
    metavar="PROBABILITY",
    help="What the moves of a deviation may give away together.",
)
@click.option(
    "--rel",
    "each_loss",
    type=PROBABILITY,
    metavar="PROBABILITY",
    help="What each move of a deviation may give away.",
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
@click.option("--jobs", type=POSITIVE, help="Searches at a time.  [default: 1]")
@click.option(
    "--backend",
    type=click.Choice([backend.value for backend in Backend]),
    help="Search in processes, in threads, or by the workers of a dask scheduler, all threads of "
    "which search at a time.  [default: loky]",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="The dask scheduler, tls://HOST:PORT or tcp://HOST:PORT."
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Use a scheduler that is neither on this machine nor behind TLS: whoever reaches it can "
    "have its workers run anything, and this machine too.",
)
@click.option(
    "--lease",
    type=DURATION,
    help="Where several builders share a PostgreSQL book: after this time without a sign of one, "
    f"the others do its searches.  [default: {USUAL_LEASE:g}s]",
)
@click.option(
    "--patience",
    type=DURATION,
    default=f"{USUAL_PATIENCE:g}s",
    show_default=True,
    help="How long to try a PostgreSQL server again that ended the connection or is gone.",
)
@json_option
def build(
    book: Address,
    game: Game,
    add_game: bool,
    mode: str | None,
    root: str,
    roots: Path | None,
    thirds: Path | None,
    corrections: Path | None,
    by: str | None,
    side: str | None,
    positions: int | None,
    searches: int | None,
    rounds: int | None,
    plies: int | None,
    max_loss: float | None,
    own: str | None,
    margin: float | None,
    total_loss: float | None,
    each_loss: float | None,
    seconds: float | None,
    nodes: int | None,
    depth: int | None,
    movetime: float | None,
    table: int,
    memory: int,
    jobs: int | None,
    backend: str | None,
    scheduler: str | None,
    insecure: bool,
    lease: float | None,
    patience: float,
    as_json: bool,
) -> None:
    """Build BOOK, or go on building it, from the empty board or the position after --root.

    The cheapest positions come first: those that a sensible game reaches soonest. Ctrl-C stops
    after the searches in flight; the same command goes on where it stopped, also after a crash.
    With limits by nodes or depth alone the book is the same for any number of jobs, wherever they
    are, and for any number of builders that share a PostgreSQL book.

    --mode deviate adds every position that moves lead to which give away at most --rel each and
    --abs together, as long as games go: --plies, --positions or --time end it sooner. --mode
    refine searches the moves that no position is stored for again, where the last search had
    smaller limits, and adds none; by --rounds with limits that grow, for what matters most.

    With --mode prove one proof is made, by all jobs together, that the side to move wins. What is
    known of it is kept beside BOOK, in a file that ends with .proof, every minute. Where dark is to
    win Gomoku on 9×9 or more, the proof is made of parts, opening by opening, also by --backend
    dask; those that are proved are kept in a file that ends with .parts, and BOOK holds what is
    proved where some resist. With --by book the proof is the book itself: a proof-number search
    over its positions chooses what to search.

    \b
    Examples:
      fivebook build gomoku.db --game gomoku-15 --positions 500 --nodes 20000 --jobs 2
      fivebook build swap.db --game pentago-swap --time 2m
      fivebook build all.db --game gomoku-15 --plies 2 --depth 6
      fivebook build gomoku.db --game gomoku-15 --backend dask --scheduler tls://10.0.0.1:8786
      fivebook build gomoku.db --game gomoku-15 --root "h8 i9" --max-loss 10% --positions 900
      fivebook build dark.db --game gomoku-15 --for dark --margin 1% --max-loss 15% --time 8h
      fivebook build openings.db --game gomoku-15 --roots openings.txt --time 8h
      fivebook build gomoku.db --game gomoku-15 --mode deviate --abs 10% --rel 5% --time 1h
      fivebook build gomoku.db --game gomoku-15 --mode refine --nodes 200000 --searches 100
      fivebook build gomoku.db --game gomoku-15 --mode refine --nodes 9000 --searches 900 --rounds 3
      fivebook build gomoku.db --game gomoku-15 --mode learn --nodes 1000000
      fivebook build gomoku.db --game gomoku-15 --mode check --corrections said.txt --nodes 1000000
      fivebook build solved.db --game pentago-swap --mode prove --memory 4GB --jobs 2
      fivebook build won.db --game gomoku-15 --mode prove --jobs 2
      fivebook build won.db --game gomoku-15 --mode prove --by book --root "h8 i9 h10" --side dark
    """
    if positions and plies is not None:
        raise click.UsageError("--positions and --plies cannot be combined")
    name = mode or ("explore" if plies is None else "full")
    if root and roots:
        raise click.UsageError("--root and --roots cannot be combined")
    line = _line(game, root)
    way = name
    if name == "prove":
        way = _BY_BOOK if by == "book" else _BY_PARTS if _has_parts(game, line) else "prove"
    _refuse_others(way)
    if rounds and not (nodes and searches):
        raise click.UsageError("--rounds needs --nodes and --searches, those of the first")
    if rounds and book.path is None:
        raise click.UsageError("--rounds needs a book in a file: a database may have more builders")
    if not add_game:
        _refuse_new_game(book, game)
    strategy_plies = _STRATEGY_PLIES if plies is None else plies
    if way != "prove":
        _check_backend(backend, scheduler, jobs)
        _check_scheduler(scheduler, insecure=insecure)
    where = Workers(jobs or 1, Backend(backend or Backend.LOKY), scheduler)
    if way == _BY_PARTS:
        second_stones = read_openings(game, thirds) if thirds else ()
        _prove_by_parts(
            book,
            game,
            (line, second_stones),
            strategy_plies,
            where,
            (seconds, nodes, patience),
            as_json,
        )
        return
    if way == "prove":
        by_solver = ProveBySolver(strategy_plies, memory, nodes)
        proof = ProofOptions(
            game, by_solver, line=line, jobs=jobs or 1, seconds=seconds, patience=patience
        )
        _prove(book, proof, as_json)
        return
    if way == "check" and corrections is None:
        raise click.UsageError("--mode check needs --corrections")
    claimed = read_corrections(game, corrections) if corrections else ()
    winner = game.play_line(line).to_move if side is None else Side(side)
    if margin is not None and own is None:
        raise click.UsageError("--margin is of the moves of a side: name it with --for")
    growth = max_loss, None if own is None else Side(own), margin or 0.0
    losses = total_loss, each_loss
    chosen = _search_mode(way, winner, plies, positions, searches, growth, losses)
    if not (nodes or depth or movetime):
        nodes = _DEFAULT_NODES
    options = BuildOptions(
        game,
        chosen,
        Limits(depth, nodes, movetime),
        table,
        where.backend,
        where.scheduler,
        lease or USUAL_LEASE,
        line=line,
        jobs=where.jobs,
        seconds=seconds,
        patience=patience,
        roots=read_openings(game, roots) if roots else tuple(each.moves for each in claimed),
    )
    _build(book, options, rounds or 1, as_json, claimed)


def _search_mode(
    way: str,
    winner: Side,
    plies: int | None,
    positions: int | None,
    searches: int | None,
    growth: tuple[float | None, Side | None, float],
    losses: tuple[float | None, float | None],
) -> SearchMode:
    """What is to be searched.

    `growth` is what a move may give away, the side that the book is for, and what its moves may;
    `losses` are those that `deviate` allows, in all and each.
    """
    match way:
        case "explore":
            return Explore(positions, *growth)
        case "full":
            if plies is None:
                raise click.UsageError("--mode full needs --plies")
            return Full(plies)
        case "refine":
            return Refine(searches, *growth)
        case "deviate":
            total, each = losses
            if total is None or each is None:
                raise click.UsageError("--mode deviate needs --abs and --rel")
            return Deviate(each, total, positions, plies)
        case "learn":
            return Learn(positions)
        case "check":
            return Check()
        case _:
            return ProveByBook(winner, positions)


def _check_scheduler(scheduler: str | None, *, insecure: bool) -> None:
    """Refuse to trust a network, unless the user does."""
    if scheduler is None and insecure:
        raise click.UsageError("--insecure needs --backend dask")
    if scheduler is not None and not insecure and not is_protected(scheduler):
        raise click.UsageError(
            f"whoever reaches the scheduler at '{scheduler}' can run anything on its workers and "
            "here: use tls://, or --insecure in a network that only you reach"
        )


def _refuse_new_game(book: Address, game: Game) -> None:
    """Refuse to add a game to a book of others: most often it was mistaken for one of them."""
    if book.path is not None and not os.access(book.path, os.W_OK):
        # There is none yet, or what builds it says that it cannot be written.
        return
    try:
        with BookReader(book) as reader:
            held = [other.id for other in reader.games]
    except (BookMissing, NotABook):
        # What builds it says what is wrong.
        return
    if held and game.id not in held:
        raise click.UsageError(
            f"'{book}' holds {' and '.join(held)}, and not {game.id}: "
            "name another book, or add the game by --add-game"
        )


def _check_backend(backend: str | None, scheduler: str | None, jobs: int | None) -> None:
    """Refuse dask without a scheduler, a scheduler without dask, and jobs for dask."""
    if backend == Backend.DASK and scheduler is None:
        raise click.UsageError("--backend dask needs a --scheduler, such as tcp://HOST:8786")
    if scheduler is not None and backend != Backend.DASK:
        raise click.UsageError("--scheduler needs --backend dask")
    if scheduler is not None and jobs is not None:
        raise click.UsageError("--backend dask has no --jobs: every thread of its workers is one")


def _build(
    book: Address, options: BuildOptions, rounds: int, as_json: bool, claimed: Sequence[Correction]
) -> None:
    before = _lessons_learnt(book, options)
    said = look(book, options.game, claimed)
    state = BuildState(0, 0, 0, 0, 0.0)
    for chosen in rounds_of(book, options, rounds) if rounds > 1 else (options,):
        view = BuildView(book, chosen)
        with ProgressDisplay(view.describe, view.draw, quiet=as_json) as progress:
            builder = Builder(book, chosen, progress.show)
            stopping = stopping_on_interrupt(builder.stop, "after the searches in flight")
            with stopping as interruption:
                state = builder.run().after(state)
        if not builder.complete:
            break
    value = view.root()
    told: dict[str, Any] = {}
    mode = options.mode
    if isinstance(mode, ProveByBook):
        told["won"] = verdict(book, options.game, options.root, mode.side)
    learnt = [lesson for lesson in _lessons_learnt(book, options) if lesson not in before]
    if isinstance(mode, Learn):
        told["lessons"] = list(map(_lesson_as_dict, learnt))
    report = Report(options.game, claimed, said, look(book, options.game, claimed))
    if claimed:
        told |= report.as_dict()
    if as_json:
        print_json(_as_dict(book, state, builder.complete, value) | told)
    else:
        _print_end(book, state, builder.complete, value)
        for lesson in learnt:
            say(_describe_lesson(lesson))
        for line in report.lines() if claimed else ():
            say(line)
        if isinstance(mode, ProveByBook):
            say(_describe_verdict(mode.side, told["won"]))
    _end(builder, interruption)


def _lessons_learnt(book: Address, options: BuildOptions) -> list[Lesson]:
    """The lost games from which a book has learnt; none where it is not to learn."""
    return Lessons(book).learnt(options.game) if isinstance(options.mode, Learn) else []


def _describe_lesson(lesson: Lesson) -> str:
    game, at = lesson.game, lesson.learnt or 0
    line = game.format_line(lesson.moves[:at]) or "the empty board"
    if lesson.instead is None:
        whole = game.format_line(lesson.moves)
        return f"no better move was found for {lesson.side} in the game {whole}"
    played, instead = map(game.format_move, (lesson.moves[at], lesson.instead))
    return f"learnt: after {line} the book plays {instead}, and not {played}"


def _lesson_as_dict(lesson: Lesson) -> dict[str, Any]:
    game = lesson.game
    return {
        "game": game.format_line(lesson.moves),
        "loser": lesson.side,
        "ply": lesson.learnt,
        "instead": None if lesson.instead is None else game.format_move(lesson.instead),
    }


def _end(builder: BuildRun[Any], interruption: Interruption) -> None:
    """Leave with the status of the interrupt that cut a build short, if one did."""
    if not builder.complete:
        click.get_current_context().exit(interruption.status)


def _describe_verdict(side: Side, won: bool | None) -> str:
    if won is None:
        return f"whether {side} wins is not proven yet"
    return f"proven: {side} wins" if won else f"proven: {side} does not win"


def _refuse_others(way: str) -> None:
    """Refuse what was given and does not belong to this way to build."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in _OF_SOME - _OPTIONS[way]:
            by_parts = way == _BY_PARTS and name in _OPTIONS["prove"]
            by_another = way in ("prove", _BY_PARTS) and name in _OPTIONS[_BY_BOOK]
            unless = " by parts" if by_parts else " without --by book" if by_another else ""
            mode = way.removesuffix(_PARTS)
            raise click.UsageError(f"--mode {mode} has no {option.opts[0]}{unless}")


def _line(game: Game, root: str) -> tuple[Move, ...]:
    """The moves to the root, after which the game goes on."""
    line = game.parse_line(root)
    outcome = game.outcome(game.play_line(line))
    if outcome is not None:
        raise click.UsageError(f"the game is over after '{root}': {outcome.value}")
    return tuple(line)


def _prove(book: Address, options: ProofOptions, as_json: bool) -> None:
    with ProgressDisplay(describe_proof, quiet=as_json) as progress:
        builder = StrategyBuilder(book, options, progress.show)
        with stopping_on_interrupt(builder.stop, "within seconds") as interruption:
            state = builder.run()
    if as_json:
        print_json(_proof_as_dict(book, state, builder.complete))
    else:
        _print_proof(book, state, builder.complete)
    _end(builder, interruption)


def _print_proof(book: Address, state: ProofState, complete: bool) -> None:
    proof = state.proof
    say(
        f"{book}: {describe_proof(state)}\n{proof.nodes:,} nodes in {state.seconds:.1f} s; "
        f"the book holds {state.stored:,} positions"
    )
    if not complete:
        say(NOT_FINISHED)


def _has_parts(game: Game, line: tuple[Move, ...]) -> bool:
    # Only now, since it loads the compiler.
    from precompute.certificates.gomoku.builder import has_parts

    return has_parts(game, game.play_line(line))


def _prove_by_parts(
    book: Address,
    game: Game,
    lines: tuple[tuple[Move, ...], tuple[Opening, ...]],
    plies: int,
    where: Workers,
    limits: tuple[float | None, int | None, float],
    as_json: bool,
) -> None:
    """Prove from the first of `lines` on, with the second stones of the others."""
    from precompute.certificates.gomoku.builder import PartsBuilder, PartsOptions, rounds_within
    from precompute.certificates.gomoku.part import game_of

    line, thirds = lines
    seconds, nodes, patience = limits
    options = PartsOptions(
        game_of(game.id),
        plies,
        where.backend,
        where.scheduler,
        rounds_within(nodes),
        thirds,
        line=line,
        jobs=where.jobs,
        seconds=seconds,
        patience=patience,
    )
    with ProgressDisplay(describe_parts_build, quiet=as_json) as progress:
        builder = PartsBuilder(book, options, progress.show)
        with stopping_on_interrupt(builder.stop, "after the parts in hand") as interruption:
            state = builder.run()
    if as_json:
        print_json(_parts_as_dict(book, state, builder.complete))
    else:
        _print_parts(book, state, builder.complete)
    _end(builder, interruption)


def _print_parts(book: Address, state: "PartsBuildState", complete: bool) -> None:
    say(
        f"{book}: {describe_parts_build(state)}\n{state.nodes:,} nodes so far, "
        f"{state.seconds:.1f} s now; the book holds {state.stored:,} positions"
    )
    if not complete:
        say(NOT_FINISHED)


def _parts_as_dict(book: Address, state: "PartsBuildState", complete: bool) -> dict[str, Any]:
    return {
        "book": str(book),
        "won": True if complete else None,
        "distance": state.distance,
        "nodes": state.nodes,
        "parts": state.parts.parts,
        "parts_won": state.parts.won,
        "entries": state.entries,
        "positions": state.stored,
        "seconds": round(state.seconds, 3),
        "complete": complete,
    }


def _proof_as_dict(book: Address, state: ProofState, complete: bool) -> dict[str, Any]:
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
        "search_seconds": round(state.search_seconds, 3),
        "searching": round(state.searching, 4),
        "complete": complete,
        "root": root,
    }


def _print_end(book: Address, state: BuildState, complete: bool, root: str) -> None:
    rate = state.added / state.seconds if state.seconds else 0.0
    say(
        f"{book}: {state.positions:,} positions, {state.added:,} of them new, "
        f"{state.searches:,} searches, {state.nodes:,} nodes in {state.seconds:.1f} s "
        f"({rate:.1f} positions/s)"
    )
    say(f"root {root}")
    if not complete:
        say(NOT_FINISHED)

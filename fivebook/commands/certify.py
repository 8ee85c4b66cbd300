"""The command that writes a certificate: `fivebook certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from book.certificates.kinds import kind_of
from book.certificates.pentago_swap.file import GAME as PENTAGO_SWAP
from book.output import check_output, files_of, refuse_inputs
from book.processes import stopping_on_interrupt
from book.storage.address import Address
from engine.game import Game
from engine.position import Move
from fivebook.console import NOT_FINISHED, say
from fivebook.displays.parts import describe_parts
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import BOOK, GAME, MEMORY, POSITIVE, force_option
from precompute.certificates.pentago_swap.defaults import LEAF, NODES, SHORT
from precompute.knowledge import Knowledge

if TYPE_CHECKING:
    from precompute.certificates.gomoku_draw.proof import DrawState
    from precompute.certificates.pentago_swap.certify import CertifyState

_NO_LIMIT = 1 << 62
_OF_PENTAGO_SWAP = {"short", "leaf", "nodes", "memory"}
_OF_DRAWS = {"memory"}
_NOT_OF_DRAWS = {"root", "jobs"}


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The certificate.",
)
@force_option
@click.option(
    "--game",
    type=GAME,
    default=PENTAGO_SWAP,
    show_default=True,
    help="pentago-swap, or Gomoku, freestyle or standard.",
)
@click.option("--draw", is_flag=True, help="Of a draw, in Gomoku on boards of 5 to 8.")
@click.option("--root", default="", metavar="MOVES", help="Of the win after these moves.")
@click.option(
    "--short",
    type=POSITIVE,
    default=SHORT,
    show_default=True,
    help="Leave out positions that the check itself finds won within this many plies.",
)
@click.option(
    "--leaf",
    type=POSITIVE,
    default=LEAF,
    show_default=True,
    help="Leave out the move where at most this many plies are left and the check soon finds one.",
)
@click.option(
    "--nodes",
    type=POSITIVE,
    default=NODES,
    show_default=True,
    help="Nodes within which the check finds a move soon.",
)
@click.option("--memory", type=MEMORY, default="1GB", show_default=True, help="Table of the proof.")
@click.option(
    "--jobs", type=POSITIVE, default=1, show_default=True, help="Threads; in Gomoku processes."
)
@click.pass_context
def certify(
    ctx: click.Context,
    book: Address,
    output: Path,
    force: bool,
    game: Game,
    draw: bool,
    root: str,
    short: int,
    leaf: int,
    nodes: int,
    memory: int,
    jobs: int,
) -> None:
    """Write the certificate of a win of the first player, or of a draw, for `fivebook prove-check`.

    In pentago-swap the proof is the one that `fivebook build BOOK --mode prove` made, with what it
    left in BOOK.proof; without that it is made first. Both go on where they were cut off: answers
    that are there lie in the certificate's .answers file until it is complete. Only pentago-swap
    has --short, --leaf, --nodes and --memory.

    In Gomoku the win is proved opening by opening. What is proved lies beside BOOK, in a file that
    ends with .parts: the same command goes on from there, and writes the certificate when nothing
    is open any more. BOOK itself need not exist.

    With --draw it is a strategy by which either side keeps the other from five in a row, the same
    for freestyle and standard. A search that was cut off lies beside BOOK, in a file that ends with
    .draw: the same command goes on from there, and deletes it when the certificate is written.

    \b
    Examples:
      fivebook certify solved.db -o solved.cert --memory 4GB --jobs 2
      fivebook certify late.db -o late.cert --root "c5:23 e2:34 d6:23 e3:13 d6:14"
      fivebook certify won.db -o won.cert --game gomoku-15 --jobs 2
      fivebook certify small.db -o draw.cert --game gomoku-7 --draw
    """
    line = tuple(game.parse_line(root))
    check_output(output, files_of(book), _is_certificate, force=force)
    refuse_inputs([_answers_of(output)], files_of(book))
    if game.id == PENTAGO_SWAP and not draw:
        _certify_pentago_swap(book, output, game, line, memory, jobs, (short, leaf, nodes))
        return
    if not game.id.startswith("gomoku-") or game.forbids_moves:
        of = "of a draw " if draw else ""
        raise click.UsageError(f"there are no certificates {of}for {game.id}")
    _refuse_others(ctx, game, draw)
    status = (
        _certify_draw(book, output, game, memory)
        if draw
        else _certify_gomoku(book, output, game, line, jobs)
    )
    if status:
        say(NOT_FINISHED)
        ctx.exit(status)


def _answers_of(output: Path) -> Path:
    return output.with_name(f"{output.name}.answers")


def _is_certificate(path: Path) -> bool:
    return path.stat().st_size == 0 or kind_of(path) is not None


def _refuse_others(ctx: click.Context, game: Game, draw: bool) -> None:
    """Refuse what was given on the command line and makes no sense for Gomoku, or for a draw."""
    others = _OF_PENTAGO_SWAP - _OF_DRAWS | _NOT_OF_DRAWS if draw else _OF_PENTAGO_SWAP
    what = f"a certificate of a draw in {game.id}" if draw else f"a certificate of {game.id}"
    for option in ctx.command.params:
        given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in others:
            raise click.UsageError(f"{what} has no {option.opts[0]}")


def _certify_pentago_swap(
    book: Address,
    output: Path,
    game: Game,
    line: tuple[Move, ...],
    memory: int,
    jobs: int,
    limits: tuple[int, int, int],
) -> None:
    """Prove the win after `line` and write its certificate; `limits` are those of `EntryRules`."""
    # Only now, since they load the compiler.
    from precompute.certificates.pentago_swap.certify import make_certificate
    from precompute.certificates.pentago_swap.strategy import SupernodeProver

    start = game.play_line(line)
    if not start.dark_to_move:
        raise click.UsageError("a certificate is of a win of the first player, who is not to move")
    prover = game.prover(table=memory, threads=jobs)
    assert isinstance(prover, SupernodeProver)
    prover.learn(Knowledge(book, game).read())
    short, leaf, nodes = limits
    with ProgressDisplay(str) as progress:
        for proof in prover.steps(start, nodes=_NO_LIMIT):
            progress.show(f"no win within {proof.horizon} plies, {proof.nodes:,} nodes")
        if proof.distance is None:
            raise click.UsageError("the first player does not win this position")
        answers = _answers_of(output)
        certificate = make_certificate(
            prover.supernode_wins(),
            start,
            proof.distance,
            output,
            jobs=jobs,
            answers=answers,
            short=short,
            leaf=leaf,
            nodes=nodes,
            report=lambda state: progress.show(_describe(state)),
        )
    answers.unlink()
    say(
        f"{output}: won within {proof.distance} plies, {certificate.entries:,} entries, "
        f"{certificate.leaves:,} of them without a move, {output.stat().st_size:,} bytes"
    )


def _describe(state: CertifyState) -> str:
    return f"ply {state.ply}: {state.done:,} of {state.of:,} supernodes, {state.entries:,} entries"


def _certify_gomoku(
    book: Address, output: Path, game: Game, line: tuple[Move, ...], jobs: int
) -> int:
    """Go on with the proof of the win after `line`; once it is complete, write the certificate.

    Returns the exit status: 0, or that of an interrupt.
    """
    # Only now, since they load the compiler.
    from book.certificates.gomoku.file import write
    from precompute.backend import Workers
    from precompute.certificates.gomoku.part import game_of
    from precompute.certificates.gomoku.proof import PartWork, ProofByParts

    with (
        ProgressDisplay(describe_parts) as progress,
        ProofByParts(game_of(game.id), book.beside("parts"), root=line) as proof,
    ):
        if not proof.complete:
            with (
                stopping_on_interrupt(proof.stop, "after the parts in hand") as interruption,
                Workers(jobs).open(PartWork(game.id)) as dispatch,
            ):
                for state in proof.steps(dispatch):
                    progress.show(state)
            if proof.stopped:
                return interruption.status
        certificate = proof.certificate()
    size = write(certificate, output)
    say(
        f"{output}: {certificate.entries:,} entries with {certificate.lists:,} lists and "
        f"{len(certificate.moves):,} moves, {size:,} bytes"
    )
    return 0


def _certify_draw(book: Address, output: Path, game: Game, memory: int) -> int:
    """Go on with the proof of a draw; once it is complete, write the certificate.

    Returns the exit status: 0, or that of an interrupt.
    """
    # Only now, since they load the compiler.
    from book.certificates.gomoku_draw.file import write
    from precompute.certificates.gomoku_draw.proof import DrawProof

    kept = book.beside("draw")
    with ProgressDisplay(_describe_draw) as progress:
        try:
            proof = DrawProof(game.width, kept, memory=memory << 20, report=progress.show)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        with stopping_on_interrupt(proof.stop, "after a second or so") as interruption:
            if not proof.run():
                return interruption.status
        certificate = proof.certificate()
    size = write(certificate, output)
    kept.unlink(missing_ok=True)
    say(
        f"{output}: neither side can force a win, {len(certificate.entries):,} entries, "
        f"{size:,} bytes"
    )
    return 0


def _describe_draw(state: DrawState) -> str:
    return f"{state.nodes:,} positions visited, {state.proofs:,} proven, {state.seconds:.0f} s"

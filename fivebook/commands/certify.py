"""The command that writes a certificate: `fivebook certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from book.certificates.pentago_swap.file import GAME
from book.storage.address import Address
from engine import registry
from fivebook.console import say
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import BOOK, MEMORY, POSITIVE
from precompute.certificates.pentago_swap.defaults import LEAF, NODES, SHORT
from precompute.knowledge import Knowledge

if TYPE_CHECKING:
    from precompute.certificates.pentago_swap.certify import CertifyState

_NO_LIMIT = 1 << 62


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The certificate.",
)
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
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Threads.")
def certify(
    book: Address,
    output: Path,
    root: str,
    short: int,
    leaf: int,
    nodes: int,
    memory: int,
    jobs: int,
) -> None:
    """Write the certificate of a win of pentago-swap, for `fivebook prove-check`.

    The proof is the one that `fivebook build BOOK --mode prove` made, with what it left in
    BOOK.proof; without that it is made first. Both go on where they were cut off: answers that are
    there lie in the certificate's .answers file until it is complete.

    \b
    Examples:
      fivebook certify solved.db -o solved.cert --memory 4GB --jobs 2
      fivebook certify late.db -o late.cert --root "c5:23 e2:34 d6:23 e3:13 d6:14"
    """
    # Only now, since they load the compiler.
    from precompute.certificates.pentago_swap.certify import make_certificate
    from precompute.certificates.pentago_swap.strategy import SupernodeProver

    game = registry.get(GAME)
    start = game.play_line(game.parse_line(root))
    if not start.dark_to_move:
        raise click.UsageError("a certificate is of a win of the first player, who is not to move")
    prover = game.prover(table=memory, threads=jobs)
    assert isinstance(prover, SupernodeProver)
    prover.learn(Knowledge(book, game).read())
    with ProgressDisplay(str) as progress:
        for proof in prover.steps(start, nodes=_NO_LIMIT):
            progress.show(f"no win within {proof.horizon} plies, {proof.nodes:,} nodes")
        if proof.distance is None:
            raise click.UsageError("the first player does not win this position")
        answers = output.with_name(f"{output.name}.answers")
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

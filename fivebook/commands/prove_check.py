"""``fivebook prove-check``."""

import time
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from book.certificates.pentago_swap.file import Certificate, CertificateError
from book.processes import stopping_on_interrupt
from book.storage.closing import Closing
from engine.game import Game
from fivebook.commands.prove_check_book import BookCheck, check_book, is_book
from fivebook.console import console, print_json
from fivebook.options import GAME, POSITIVE, json_option

_SECONDS_BETWEEN_LINES = 5.0
_REJECTED = 1
_INTERRUPTED = 130


@click.command("prove-check")
@click.argument("file", metavar="FILE|BOOK")
@click.argument("moves", nargs=-1)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@click.option("--all", "everything", is_flag=True, help="Check every proven position of a book.")
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Entries at a time.")
@click.option(
    "--nodes",
    type=POSITIVE,
    help="Nodes of each search where a book's lines end.  [default: 100,000 in Gomoku, 5,000,000 "
    "in the Pentago games]",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that keeps what has been checked: the same command goes on from there.",
)
@click.option("--sample", type=POSITIVE, help="Check only so many, drawn at random.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Another seed draws another sample.",
)
@json_option
def prove_check(
    file: str,
    moves: tuple[str, ...],
    game: Game | None,
    everything: bool,
    jobs: int,
    nodes: int | None,
    state: Path | None,
    sample: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Check the proofs of a BOOK, or the certificate FILE of a win in Pentago-swap, without the
    engine.

    In a BOOK, the position after MOVES (none: the empty board) and all that its proof rests on:
    a win needs its move, a loss every reply, a draw both; where the book ends, a search of the
    checker's own must confirm what it says. With --all or --sample, proven positions wherever they
    are. What is wrong and what was not confirmed is listed, with exit status 1.

    In a certificate, every reply of Black's, every stone with every swap, must be answered until
    White has five in a row; where the certificate ends, a plain search of the plies that are left
    must find the win. A certificate with a hole is rejected, with the moves that lead there and
    exit status 1. The checker shares no code with the engine; docs/proofs.md tells what it does.

    \b
    Examples:
      fivebook prove-check gomoku.db "h8 i9"
      fivebook prove-check gomoku.db --all --jobs 2
      fivebook prove-check pentago-swap.cert --sample 1000
      fivebook prove-check pentago-swap.cert --jobs 2 --state checked.npz
    """
    if is_book(file):
        if state:
            raise click.UsageError("--state keeps a check of a certificate, not of a book")
        check_book(BookCheck(file, moves, game, everything, jobs, nodes, sample, seed), as_json)
        return
    if moves or game or everything or nodes:
        raise click.UsageError(
            f"'{file}' is no book: MOVES, --game, --all and --nodes are for books"
        )
    _check_certificate(Path(file), jobs, state, sample, seed, as_json)


def _check_certificate(
    file: Path, jobs: int, state: Path | None, sample: int | None, seed: int, as_json: bool
) -> None:
    if state and sample:
        raise click.UsageError("--state keeps a check of everything, and --sample is none")
    # Compiled when imported: not for --help.
    from book.certificates.pentago_swap import checker
    from book.certificates.pentago_swap import file as files

    try:
        certificate = files.read(file)
        check = checker.Checker(
            certificate,
            sample=sample,
            seed=seed,
            state=state,
            checksum=files.checksum_of(file),
        )
        _run(check, jobs, certificate)
    except CertificateError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"cannot write '{state}': {error.strerror}") from error
    answer = _as_dict(file, certificate, check)
    if as_json:
        print_json(answer)
    else:
        _print(answer, certificate, resumable=state is not None)
    if check.hole is not None:
        raise click.exceptions.Exit(_REJECTED)
    if not check.complete:
        raise click.exceptions.Exit(_INTERRUPTED)


def _run(check: Any, jobs: int, certificate: Certificate) -> None:
    when = "after the entries in hand"
    with _Display() as display, stopping_on_interrupt(check.stop, when):
        for progress in check.steps(jobs):
            display.show(progress)


class _Display(Closing):
    """Shows how far a check is: a bar on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        errors = type(console)(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.completed:,} entries"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=errors,
            disable=not errors.is_terminal,
        )
        self._live = errors.is_terminal
        self._task = self._bar.add_task("", total=None, left="")
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._began: int | None = None
        self._bar.start()

    def close(self) -> None:
        """Leave the terminal as it is."""
        self._bar.stop()

    def show(self, progress: Any) -> None:
        """Take in how far the check is; a plain line is printed every few seconds."""
        if self._began is None:
            self._began = progress.checked - 1
        rate = (progress.checked - self._began) / max(progress.seconds, 1e-9)
        left = f"{(progress.of - progress.checked) / rate:.0f} s left"
        if self._live:
            self._bar.update(self._task, completed=progress.checked, total=progress.of, left=left)
        elif time.monotonic() >= self._due:
            click.echo(f"{progress.checked:,} of {progress.of:,} entries, {left}", err=True)
            self._due = time.monotonic() + _SECONDS_BETWEEN_LINES


def _as_dict(file: Path, certificate: Certificate, check: Any) -> dict[str, Any]:
    hole = check.hole
    return {
        "file": str(file),
        "start": str(check.start),
        "distance": certificate.distance,
        "entries": certificate.entries,
        "moves": certificate.moves,
        "leaves": certificate.leaves,
        "short": certificate.short,
        "checked": check.checked,
        "share": round(check.checked / max(1, certificate.entries), 6),
        "accepted": hole is None and check.complete and check.whole,
        "hole": hole and {"reason": hole.reason, "line": hole.line, "board": hole.board},
    }


def _print(answer: dict[str, Any], certificate: Certificate, *, resumable: bool) -> None:
    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    say(
        f"{answer['file']}: the first player wins within {answer['distance']} plies from "
        f"{answer['start']}"
    )
    say(
        f"{answer['entries']:,} entries, {answer['leaves']:,} of them leaves of at most "
        f"{certificate.leaf} plies, {answer['moves']:,} moves; what is won within "
        f"{answer['short']} plies has no entry"
    )
    share = f"{answer['checked']:,} entries checked, {100 * answer['share']:.2f} % of them"
    if answer["hole"]:
        hole = answer["hole"]
        line = "" if hole["line"] is None else f" after '{' '.join(hole['line'])}'"
        say(f"rejected: {hole['reason']}{line}, at {hole['board']}")
    elif answer["accepted"]:
        say(f"accepted: {share}")
    elif answer["checked"] < answer["entries"]:
        say(f"no hole found: {share}")
    if not answer["hole"] and not answer["accepted"] and resumable:
        say("Not finished: the same command goes on from here.")

"""``fivebook prove-check`` of a book."""

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from book.processes import stopping_on_interrupt
from book.storage.address import Address
from engine.game import Game
from fivebook.console import console, print_json
from fivebook.options import name_game

if TYPE_CHECKING:
    from book.audit.rules import AuditBoard
    from book.audit.walk import Walk

_SECONDS_BETWEEN_LINES = 5.0
_REJECTED, _INTERRUPTED = 1, 130
_MOST_TOLD = 20
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class BookCheck:
    """What is to be checked: the position after `moves`, or every proven one, or a sample."""

    book: str
    moves: tuple[str, ...]
    game: Game | None
    everything: bool
    jobs: int
    nodes: int | None
    sample: int | None
    seed: int


def is_book(name: str) -> bool:
    """Whether this is an address of a book, or a file of one."""
    if "://" in name:
        return True
    try:
        with Path(name).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def check_book(asked: BookCheck, as_json: bool) -> None:
    """Check, tell, and exit with status 1 if anything was wrong or not confirmed."""
    if asked.moves and (asked.everything or asked.sample):
        raise click.UsageError("--all and --sample check positions wherever they are: no MOVES")
    # The searches are compiled when imported: not for --help.
    from book.audit.walk import Walk

    address = Address.of(asked.book)
    with Walk(address, _game_id(address, asked.game), asked.nodes, asked.jobs) as walk:
        start = _run(walk, asked)
        answer = _as_dict(walk, asked, start)
    if as_json:
        print_json(answer)
    else:
        _print(answer)
    if answer["wrong"] or answer["not_confirmed"]:
        raise click.exceptions.Exit(_REJECTED)
    if not walk.complete:
        raise click.exceptions.Exit(_INTERRUPTED)


def _game_id(address: Address, game: Game | None) -> str:
    from book.audit.position import knows
    from book.audit.proof_rows import game_ids

    wanted = name_game(address, game_ids(address), game)
    if not knows(wanted):
        raise click.UsageError(f"the checker does not know the rules of {wanted}")
    return wanted


def _run(walk: "Walk", asked: BookCheck) -> "AuditBoard | None":
    """Check; the position to begin with, None where there are many."""
    start = None
    if asked.sample:
        steps = walk.check(walk.some(asked.sample, asked.seed))
    elif asked.everything:
        steps = walk.check(walk.everything())
    else:
        start = _board(walk, " ".join(asked.moves))
        id = walk.find(start)
        after = f"after '{' '.join(asked.moves)}'" if asked.moves else "of the empty board"
        if id is None or not walk.is_proven(id):
            what = "does not hold the position" if id is None else "has no proof of the position"
            raise click.UsageError(f"'{asked.book}' {what} {after}; --all checks what is proven")
        steps = walk.check_below(id)

    due = time.monotonic() + _SECONDS_BETWEEN_LINES
    with stopping_on_interrupt(walk.stop, "after the positions in hand"):
        for checked in steps:
            if time.monotonic() >= due:
                click.echo(f"{checked:,} positions checked", err=True)
                due = time.monotonic() + _SECONDS_BETWEEN_LINES
    return start


def _board(walk: "Walk", moves: str) -> "AuditBoard":
    """The board after `moves`."""
    board = walk.rules.unpack(b"")
    for word in filter(None, re.split(r"[\s,]+", moves)):
        try:
            move = walk.rules.parse(word)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        over = walk.rules.result(board) is not None
        after = None if over else walk.rules.play(board, move)
        if after is None:
            raise click.UsageError(f"illegal move '{word}' in '{moves}'")
        board = after
    return board


def _as_dict(walk: "Walk", asked: BookCheck, start: "AuditBoard | None") -> dict[str, Any]:
    from book.audit.position import CheckStatus

    at, line, claim = walk.longest_line(start)
    sampled = asked.sample is not None
    return {
        "book": str(Address.of(asked.book)),
        "game": walk.rules.game_id,
        "checked": walk.checked,
        "sample": sampled,
        "accepted": walk.complete and not walk.doubts and not sampled,
        "wrong": walk.counts[CheckStatus.WRONG],
        "not_confirmed": walk.counts[CheckStatus.NOT_CONFIRMED],
        "leaves": dict(sorted(walk.leaves.items())),
        "longest": {
            "position": " ".join(asked.moves) if start is not None else walk.rules.describe(at),
            "claim": claim,
            "line": line,
        },
        "doubts": [
            {"status": doubt.status, "reason": doubt.reason, "position": doubt.board}
            for doubt in walk.doubts
        ],
    }


def _print(answer: dict[str, Any]) -> None:
    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    for doubt in answer["doubts"][:_MOST_TOLD]:
        say(f"{doubt['status']}: {doubt['reason']}; {doubt['position']}")
    told = answer["wrong"] + answer["not_confirmed"]
    if told > _MOST_TOLD:
        say(f"and {told - _MOST_TOLD:,} more")
    leaves = ", ".join(f"{count:,} by {kind}" for kind, count in answer["leaves"].items())
    say(f"{answer['checked']:,} positions checked; ends confirmed: {leaves or 'none'}")
    longest = answer["longest"]
    if longest["line"]:
        at = longest["position"] or "the empty board"
        say(f"longest line, {longest['claim']} from {at}: {' '.join(longest['line'])}")
    if told:
        say(f"rejected: {answer['wrong']:,} wrong, {answer['not_confirmed']:,} not confirmed")
    elif answer["accepted"]:
        say("accepted")
    else:
        say("no hole found" if answer["sample"] else "not finished")

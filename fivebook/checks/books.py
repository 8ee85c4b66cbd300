"""Checks the proofs of a book."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from book.processes import stopping_on_interrupt
from book.storage.address import Address
from engine.game import Game
from fivebook.checks.check import Asked, Checked
from fivebook.console import errors
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import name_game

if TYPE_CHECKING:
    from book.audit.rules import AuditBoard
    from book.audit.walk import Walk

OPTIONS = {"moves", "game", "everything", "jobs", "nodes", "sample", "seed"}
"""What of the command's parameters makes sense for a book."""

_MOST_TOLD = 20
_MAGIC = b"SQLite format 3\0"


def is_book(place: str) -> bool:
    """Whether this is an address of a book, or a file of one."""
    if "://" in place:
        return True
    try:
        with Path(place).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def check(asked: Asked) -> Checked:
    """Check the position after the moves and what its proof rests on, or all proofs, or a sample.

    Raises:
        BookError: if the book cannot be read.
        click.UsageError: if it does not hold what is asked for.
    """
    if asked.moves and (asked.everything or asked.sample):
        raise click.UsageError("--all and --sample check positions wherever they are: no MOVES")
    # The searches are compiled when imported: not for --help.
    from book.audit.walk import Walk

    address = Address.of(asked.place)
    with Walk(address, _game_id(address, asked.game), asked.nodes, asked.jobs) as walk:
        start, interrupted = _run(walk, asked)
        answer = _as_dict(walk, asked, start)
        rejected = bool(answer["wrong"] or answer["not_confirmed"])
        return Checked(answer, _lines(answer), rejected, interrupted)


def _game_id(address: Address, game: Game | None) -> str:
    from book.audit.proof_rows import game_ids
    from book.audit.registry import knows

    wanted = name_game(address, game_ids(address), game)
    if not knows(wanted):
        raise click.UsageError(f"the checker does not know the rules of {wanted}")
    return wanted


def _run(walk: "Walk", asked: Asked) -> tuple["AuditBoard | None", int]:
    """Check; the position to begin with, None where there are many, and `Checked.interrupted`."""
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
            raise click.UsageError(f"'{asked.place}' {what} {after}; --all checks what is proven")
        steps = walk.check_below(id)

    with (
        ProgressDisplay(_describe, terminal=errors) as progress,
        stopping_on_interrupt(walk.stop, "after the positions in hand") as interruption,
    ):
        for checked in steps:
            progress.show(checked)
    return start, 0 if walk.complete else interruption.status


def _describe(checked: int) -> str:
    return f"{checked:,} positions checked"


def _board(walk: "Walk", moves: str) -> "AuditBoard":
    """The board after `moves`."""
    board = walk.rules.unpack(b"")
    for word in filter(None, re.split(r"[\s,]+", moves)):
        try:
            move = walk.rules.parse(word, board)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        over = walk.rules.result(board) is not None
        after = None if over else walk.rules.play(board, move)
        if after is None:
            raise click.UsageError(f"illegal move '{word}' in '{moves}'")
        board = after
    return board


def _as_dict(walk: "Walk", asked: Asked, start: "AuditBoard | None") -> dict[str, Any]:
    from book.audit.position import CheckStatus

    at, line, claim = walk.longest_line(start)
    sampled = asked.sample is not None
    return {
        "book": str(Address.of(asked.place)),
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


def _lines(answer: dict[str, Any]) -> list[str]:
    lines = [
        f"{doubt['status']}: {doubt['reason']}; {doubt['position']}"
        for doubt in answer["doubts"][:_MOST_TOLD]
    ]
    told = answer["wrong"] + answer["not_confirmed"]
    if told > _MOST_TOLD:
        lines.append(f"and {told - _MOST_TOLD:,} more")
    leaves = ", ".join(f"{count:,} by {kind}" for kind, count in answer["leaves"].items())
    lines.append(f"{answer['checked']:,} positions checked; ends confirmed: {leaves or 'none'}")
    longest = answer["longest"]
    if longest["line"]:
        at = longest["position"] or "the empty board"
        lines.append(f"longest line, {longest['claim']} from {at}: {' '.join(longest['line'])}")
    if told:
        lines.append(
            f"rejected: {answer['wrong']:,} wrong, {answer['not_confirmed']:,} not confirmed"
        )
    elif answer["accepted"]:
        lines.append("accepted")
    else:
        lines.append("no hole found" if answer["sample"] else "not finished")
    return lines

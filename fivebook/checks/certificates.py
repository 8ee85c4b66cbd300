"""Checks certificates, each kind with the checker of its game."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import click

from book.certificates.check import Hole, Progress
from book.certificates.kinds import DRAW, WIN, Kind, kind_of
from book.processes import stopping_on_interrupt
from fivebook.checks.check import Asked, Checked
from fivebook.console import NOT_FINISHED, errors
from fivebook.displays.progress import ProgressDisplay

_OF_PARTS = frozenset({"jobs", "state", "sample", "seed"})
"""What of the command's parameters makes sense where each entry is checked by itself."""


class _Checker(Protocol):
    hole: Hole | None
    whole: bool

    @property
    def start(self) -> object: ...
    @property
    def checked(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    def stop(self) -> None: ...
    def steps(self, jobs: int) -> Iterator[Progress]: ...


@dataclass(frozen=True, slots=True)
class _Checks:
    """One kind of certificate, of games that it `is_about` and with this result.

    `package` has a module `file` with `read`, `checksum_of` and `CertificateError`, and a module
    `checker` with `Checker`. `options` are the command's parameters that make sense for it.
    `claim` is what of the document, besides what every kind tells, the certificate says;
    `describe` tells the document line by line, before it comes to the verdict.
    """

    package: str
    is_about: Callable[[str], bool]
    result: str
    options: frozenset[str]
    claim: Callable[[Any, Any], dict[str, Any]]
    describe: Callable[[dict[str, Any], Any], list[str]]


def _claim_of_pentago_swap(certificate: Any, check: _Checker) -> dict[str, Any]:
    return {
        "start": str(check.start),
        "distance": certificate.distance,
        "entries": certificate.entries,
        "moves": certificate.moves,
        "leaves": certificate.leaves,
        "short": certificate.short,
    }


def _describe_pentago_swap(answer: dict[str, Any], certificate: Any) -> list[str]:
    return [
        f"{answer['file']}: the first player wins within {answer['distance']} plies from "
        f"{answer['start']}",
        f"{answer['entries']:,} entries, {answer['leaves']:,} of them leaves of at most "
        f"{certificate.leaf} plies, {answer['moves']:,} moves; what is won within "
        f"{answer['short']} plies has no entry",
    ]


def _is_gomoku(game: str) -> bool:
    return game.startswith("gomoku-")


def _claim_of_gomoku(certificate: Any, check: Any) -> dict[str, Any]:
    return {
        "game": certificate.rules.game,
        "winner": "dark" if certificate.start.winner_is_dark else "light",
        "start": check.start,
        "distance": check.distance,
        "entries": certificate.entries,
        "lists": certificate.lists,
        "replies": len(certificate.replies),
        "moves": len(certificate.moves),
    }


def _describe_gomoku(answer: dict[str, Any], certificate: Any) -> list[str]:
    within = "" if answer["distance"] is None else f" within {answer['distance']} plies"
    return [
        f"{answer['file']}: {answer['winner']} wins {answer['game']}{within} from "
        f"{answer['start']}",
        f"{answer['entries']:,} entries with {answer['lists']:,} lists; {answer['replies']:,} "
        f"replies are named, {answer['moves']:,} of them answered by a move",
    ]


def _claim_of_gomoku_draw(certificate: Any, check: _Checker) -> dict[str, Any]:
    game = certificate.rules.game
    return {
        "games": [game, f"{game}-standard"],
        "entries": len(certificate.entries),
        "pairings": sum(not entry.answers for entry in certificate.entries),
        "answers": sum(len(entry.answers) for entry in certificate.entries),
    }


def _describe_gomoku_draw(answer: dict[str, Any], certificate: Any) -> list[str]:
    return [
        f"{answer['file']}: neither side can force a win in {' or '.join(answer['games'])}",
        f"{answer['entries']:,} entries, {answer['pairings']:,} of them pairings, with "
        f"{answer['answers']:,} answers",
    ]


_CHECKS = (
    _Checks(
        package="book.certificates.gomoku",
        is_about=_is_gomoku,
        result=WIN,
        options=_OF_PARTS,
        claim=_claim_of_gomoku,
        describe=_describe_gomoku,
    ),
    _Checks(
        package="book.certificates.pentago_swap",
        is_about="pentago-swap".__eq__,
        result=WIN,
        options=_OF_PARTS,
        claim=_claim_of_pentago_swap,
        describe=_describe_pentago_swap,
    ),
    _Checks(
        package="book.certificates.gomoku_draw",
        is_about=_is_gomoku,
        result=DRAW,
        # Each entry rests on those before it, so none can be left out.
        options=frozenset(),
        claim=_claim_of_gomoku_draw,
        describe=_describe_gomoku_draw,
    ),
)


def options(place: str) -> frozenset[str]:
    """What of the command's parameters makes sense for the certificate at `place`, if it is one."""
    try:
        return _checks_of(Path(place)).options
    except click.UsageError:
        # `check` tells what is wrong with the file.
        return _OF_PARTS


def check(asked: Asked) -> Checked:
    """Check all entries of a certificate, or a sample of them, up to the first hole.

    Raises:
        click.UsageError: if the file is no certificate, or is damaged.
    """
    if asked.state and asked.sample:
        raise click.UsageError(
            "--state and --sample cannot be combined: what is kept is how far a check of all "
            "entries is"
        )
    path = Path(asked.place)
    kind = _checks_of(path)
    # Compiled when imported: not for --help.
    file, checker = (import_module(f"{kind.package}.{name}") for name in ("file", "checker"))
    try:
        certificate = file.read(path)
        parts = {
            "sample": asked.sample,
            "seed": asked.seed,
            "state": asked.state,
            "checksum": file.checksum_of(path),
        }
        check = checker.Checker(certificate, **(parts if kind.options else {}))
        interrupted = _run(check, asked.jobs)
    except file.CertificateError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"cannot write '{asked.state}': {error.strerror}") from error
    document = _as_dict(path, kind.claim(certificate, check), check)
    lines = kind.describe(document, certificate) + _verdict(document, asked)
    return Checked(document, lines, check.hole is not None, interrupted)


def _checks_of(path: Path) -> _Checks:
    kind = _read_kind(path)
    for checks in _CHECKS:
        if checks.is_about(kind.game) and checks.result == kind.result:
            return checks
    if any(checks.is_about(kind.game) for checks in _CHECKS):
        what, which = f"of a {kind.result} in {kind.game}", "result"
    else:
        what, which = f"for {kind.game}", "game"
    raise click.UsageError(f"'{path}' is a certificate {what}: no checker is for that {which}")


def _read_kind(path: Path) -> Kind:
    try:
        kind = kind_of(path)
    except OSError as error:
        raise click.UsageError(f"cannot read '{path}': {error.strerror}") from error
    if kind is None:
        raise click.UsageError(f"'{path}' is no book and no certificate of fivebook")
    return kind


def _run(check: _Checker, jobs: int) -> int:
    """Check; returns `Checked.interrupted`."""
    before: int | None = None

    def describe(step: Progress) -> str:
        done = step.checked - (before or 0)
        left = (step.of - step.checked) * step.seconds / max(done, 1)
        return f"{step.checked:,} of {step.of:,} entries, {left:.0f} s left"

    with (
        ProgressDisplay(describe, terminal=errors) as progress,
        stopping_on_interrupt(check.stop, "after the entries in hand") as interruption,
    ):
        for step in check.steps(jobs):
            if before is None:
                # What an earlier check has done took none of this one's time.
                before = step.checked - 1
            progress.show(step)
    return 0 if check.complete else interruption.status


def _as_dict(path: Path, claim: dict[str, Any], check: _Checker) -> dict[str, Any]:
    hole = check.hole
    return {
        "file": str(path),
        **claim,
        "checked": check.checked,
        "share": round(check.checked / max(1, claim["entries"]), 6),
        "accepted": hole is None and check.complete and check.whole,
        "hole": hole and {"reason": hole.reason, "line": hole.line, "board": hole.board},
    }


def _verdict(answer: dict[str, Any], asked: Asked) -> list[str]:
    share = f"{answer['checked']:,} entries checked, {100 * answer['share']:.2f} % of them"
    if answer["hole"]:
        hole = answer["hole"]
        line = f" after '{' '.join(hole['line'])}'" if hole["line"] else ""
        return [f"rejected: {hole['reason']}{line}, at {hole['board']}"]
    if answer["accepted"]:
        return [f"accepted: {share}"]
    lines = [f"no hole found: {share}"] if answer["checked"] < answer["entries"] else []
    return lines + ([NOT_FINISHED] if asked.state is not None else [])

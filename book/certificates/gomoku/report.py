"""What is said of a check: as a dictionary for JSON, and as lines for a terminal."""

from pathlib import Path
from typing import Any

from book.certificates.gomoku.checker import Checker
from book.certificates.gomoku.file import Certificate


def as_dict(path: Path, certificate: Certificate, check: Checker) -> dict[str, Any]:
    """The result of a check, whether it is finished or not.

    `distance` are the plies within which the winner wins, None where not all has been accepted.
    """
    hole = check.hole
    return {
        "file": str(path),
        "game": certificate.rules.game,
        "winner": "dark" if certificate.start.winner_is_dark else "light",
        "start": check.start,
        "distance": check.distance,
        "entries": certificate.entries,
        "lists": certificate.lists,
        "replies": len(certificate.replies),
        "moves": len(certificate.moves),
        "checked": check.checked,
        "share": round(check.checked / max(1, certificate.entries), 6),
        "accepted": hole is None and check.complete and check.whole,
        "hole": hole and {"reason": hole.reason, "line": hole.line, "board": hole.board},
    }


def lines(answer: dict[str, Any], *, resumable: bool) -> list[str]:
    """The result `answer`, of `as_dict`, in words; `resumable` if the check keeps a state."""
    within = "" if answer["distance"] is None else f" within {answer['distance']} plies"
    told = [
        f"{answer['file']}: {answer['winner']} wins {answer['game']}{within} from "
        f"{answer['start']}",
        f"{answer['entries']:,} entries with {answer['lists']:,} lists; of the replies "
        f"{answer['replies']:,} are named, {answer['moves']:,} of them with a move",
    ]
    share = f"{answer['checked']:,} entries checked, {100 * answer['share']:.2f} % of them"
    if answer["hole"]:
        hole = answer["hole"]
        line = f" after '{' '.join(hole['line'])}'" if hole["line"] else ""
        told.append(f"rejected: {hole['reason']}{line}, at {hole['board']}")
    elif answer["accepted"]:
        told.append(f"accepted: {share}")
    elif answer["checked"] < answer["entries"]:
        told.append(f"no hole found: {share}")
    if not answer["hole"] and not answer["accepted"] and resumable:
        told.append("Not finished: the same command goes on from here.")
    return told

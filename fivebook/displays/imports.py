"""What was imported, as people read it."""

from book.files.contents import Results
from book.rows.imports import Hint
from engine.values import describe_value

_LABELS = {
    "w": "won for the side that has just moved",
    "l": "lost for the side that has just moved",
    "d": "drawn",
}


def describe_results(results: Results) -> str:
    """How often a position was played, and how that ended."""
    if not results.games:
        return "played 0 times"
    ended = results.dark_wins + results.draws + results.light_wins
    times = f"played {results.games:,} time{'s' if results.games > 1 else ''}"
    if not ended:
        return times
    shares = [
        f"{name} {round(100 * count / ended)} %"
        for name, count in zip(("dark won", "drawn", "light won"), results[1:], strict=True)
        if count
    ]
    return f"{times}, {', '.join(shares)}"


def describe_hint(hint: Hint) -> str:
    """What a file says of a position."""
    said = []
    if hint.value is not None:
        bound = f", {hint.bound}" if hint.bound is not None else ""
        said.append(f"{describe_value(hint.value, False)} (depth {hint.depth}{bound}; not proven)")
    if hint.label:
        said.append(_LABELS.get(hint.label, f"marked {hint.label}"))
    if hint.comment:
        said.append(hint.comment)
    return f"{hint.source}: " + "; ".join(said)

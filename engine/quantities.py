"""Durations, clocks, sizes, probabilities and counts, as people write them.

Each function reads one kind and raises `InvalidQuantity` with a sentence that shows what would be
right. Command line, files of settings and descriptions of players are all read with these.
"""

import re

from engine.clock import Clock
from engine.errors import InvalidQuantity
from engine.search import MOST_TABLE
from engine.tables import require_memory

_SECONDS = {"ms": 0.001, "": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"


def parse_duration(text: str) -> float:
    """Seconds, more than zero, from e.g. ``500ms``, ``30s``, ``2m``, ``8h``.

    A plain number counts milliseconds.

    Raises:
        InvalidQuantity: for any other text.
    """
    match = re.fullmatch(rf"({_NUMBER})(ms|s|m|h|)", text)
    if match is None or float(match[1]) == 0:
        raise InvalidQuantity(
            f"'{text}' is no duration greater than zero, such as 500ms, 30s, 2m or 8h "
            "(a plain number counts milliseconds)"
        )
    return float(match[1]) * _SECONDS[match[2]]


def parse_clock(text: str) -> Clock:
    """The clock of a game, from e.g. ``60s``, ``60s+500ms`` or ``40/60s``.

    Raises:
        InvalidQuantity: for any other text.
    """
    match = re.fullmatch(r"(?:([1-9][0-9]{0,3})/)?([^+/]+)(?:\+([^+/]+))?", text)
    if match is None:
        raise InvalidQuantity(
            f"'{text}' is no clock, such as 60s, 60s+500ms (added after every move) or "
            "40/60s (again for every 40 moves)"
        )
    return Clock(
        left=parse_duration(match[2]),
        increment=parse_duration(match[3]) if match[3] else 0.0,
        moves_to_go=int(match[1]) if match[1] else None,
    )


def parse_probability(text: str) -> float:
    """A number from 0 to 1, from e.g. ``0.1`` or ``10%``.

    Raises:
        InvalidQuantity: for any other text.
    """
    match = re.fullmatch(rf"({_NUMBER})(%?)", text)
    probability = float(match[1]) / (100 if match[2] else 1) if match else 2.0
    if probability > 1:
        raise InvalidQuantity(f"'{text}' is no probability, such as 0.1 or 10%")
    return probability


def parse_percentage(text: str) -> float:
    """A number from 0 to 1, from e.g. ``5%``.

    Raises:
        InvalidQuantity: for any other text, one without a percent sign included.
    """
    match = re.fullmatch(rf"({_NUMBER}) ?%", text)
    if match is None or float(match[1]) > 100:
        raise InvalidQuantity(f"'{text}' is no percentage from 0% to 100%, such as 5%")
    return float(match[1]) / 100


def parse_memory(text: str) -> int:
    """A size in MiB, from e.g. ``512``, ``512MB`` or ``4GB``.

    Raises:
        InvalidQuantity: for any other text.
        InvalidOptions: if the machine has no such memory.
    """
    match = re.fullmatch(r"(\d+)\s*(?:(M|G)i?B?)?", text.strip(), re.IGNORECASE)
    mebibytes = int(match[1]) * (1024 if match[2] in ("g", "G") else 1) if match else 0
    if not 1 <= mebibytes <= MOST_TABLE:
        raise InvalidQuantity(
            f"'{text}' is no size like 512MB or 4GB, up to {MOST_TABLE // 1024}GB "
            "(a plain number counts MiB)"
        )
    require_memory(mebibytes)
    return mebibytes


def parse_count(text: str, least: int | None = None, most: int | None = None) -> int:
    """A whole number, from `least` to `most` where they are given.

    Raises:
        InvalidQuantity: for any other text.
    """
    try:
        count = int(text)
    except ValueError as error:
        raise InvalidQuantity(f"'{text}' is not a valid integer") from error
    if (least is not None and count < least) or (most is not None and count > most):
        raise InvalidQuantity(f"{count} is not in the range {_describe_range(least, most)}")
    return count


def _describe_range(least: int | None, most: int | None) -> str:
    if least is None:
        return f"x<={most}"
    return f"x>={least}" if most is None else f"{least}<=x<={most}"

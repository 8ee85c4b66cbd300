"""Which kind of certificate a file is, by its header.

Every certificate begins with one line, a JSON object that names the format, the game and, unless
that is a win, the result. What follows is a matter of the kind.
"""

import json
from pathlib import Path
from typing import NamedTuple

FORMAT = "fivebook certificate"
LONGEST_HEADER = 100_000
"""Bytes: room for the stones of any start position."""

WIN, DRAW = "win", "draw"


class Kind(NamedTuple):
    """The id of the game that a certificate is about, and the result that it shows."""

    game: str
    result: str


def kind_of(path: Path) -> Kind | None:
    """The kind of the certificate at `path`.

    None if the file is no certificate, or its header names no game.

    Raises:
        OSError: if the file cannot be read.
    """
    with path.open("rb") as file:
        line = file.readline(LONGEST_HEADER)
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return None
    game, result = header.get("game"), header.get("result", WIN)
    return Kind(game, result) if isinstance(game, str) and isinstance(result, str) else None

"""Which kind of certificate a file is, by its header.

Every certificate begins with one line, a JSON object that names the format and the game. What
follows is a matter of the kind.
"""

import json
from pathlib import Path

FORMAT = "fivebook certificate"
# Room for the stones of any start position.
_LONGEST_HEADER = 100_000


def game_of(path: Path) -> str | None:
    """The id of the game that the certificate at `path` is about.

    None if the file is no certificate, or its header names no game.

    Raises:
        OSError: if the file cannot be read.
    """
    with path.open("rb") as file:
        line = file.readline(_LONGEST_HEADER)
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return None
    game = header.get("game")
    return game if isinstance(game, str) else None

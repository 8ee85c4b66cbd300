"""A check as the command line asks for it, and what comes of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.game import Game


@dataclass(frozen=True, slots=True)
class Asked:
    """The file or book, and what of it to check; some of it makes sense for one kind only."""

    place: str
    moves: tuple[str, ...]
    game: Game | None
    everything: bool
    jobs: int
    nodes: int | None
    state: Path | None
    sample: int | None
    seed: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of it: as JSON has it, and line by line as people read it.

    `interrupted` is the exit status of an interrupt that cut it short; 0 without one.
    """

    document: dict[str, Any]
    lines: list[str]
    rejected: bool
    interrupted: int

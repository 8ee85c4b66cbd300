"""A search for the breaker's strategy, kept in a file: one that was cut off goes on with it."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from book.replacing import replacing
from engine.errors import FivebookError
from engine.games.gomoku.breaker.finder import BreakerSearch

_NAMES = ("size", "nodes", "open_slots", "open_at", "open", "proven_slots", "proven_at", "proven")


class KeptSearchError(FivebookError):
    """The file cannot be used."""


def save(search: BreakerSearch, size: int, path: Path) -> None:
    """Keep a search of a board of this size at `path`, whole or not at all.

    Raises:
        KeptSearchError: if the file cannot be written.
    """
    used = {"open": search.open, "proven": search.proven}
    columns: dict[str, Any] = {"size": size, "nodes": search.nodes}
    for name, table in used.items():
        at = np.flatnonzero(table["hash"])
        columns |= {f"{name}_slots": len(table), f"{name}_at": at, name: table[at]}
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            np.savez(file, **columns)
    except OSError as error:
        raise KeptSearchError(f"cannot keep a search in '{path}': {error.strerror}") from error


def load(search: BreakerSearch, size: int, path: Path) -> None:
    """Have `search` go on from what is kept at `path`.

    Raises:
        KeptSearchError: if the file cannot be read, or is of another size.
    """
    try:
        with path.open("rb") as file, np.load(file) as kept:
            of = {name: kept[name] for name in _NAMES}
        tables = {}
        for name, like in (("open", search.open), ("proven", search.proven)):
            tables[name] = np.zeros(int(of[f"{name}_slots"]), dtype=like.dtype)
            tables[name][of[f"{name}_at"]] = of[name]
    except (OSError, ValueError, KeyError, EOFError, IndexError, zipfile.BadZipFile) as error:
        raise KeptSearchError(f"cannot read '{path}' as a search that was cut off") from error
    if int(of["size"]) != size:
        raise KeptSearchError(f"'{path}' is a search of another board: delete or rename it")
    search.go_on_from(tables["open"], tables["proven"], int(of["nodes"]))

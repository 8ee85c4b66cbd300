"""Writing a compact book: see `book.compact`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

import numpy as np

from book.compact import (
    Answers,
    CompactAnswer,
    Numbers,
    cells_of_packed,
    header_of,
    keys_of,
    pack_answer,
)
from book.errors import BookUnwritable
from book.rows.encoding import BOUNDS
from book.storage.address import AnyAddress
from book.whole.moment import Moment
from book.whole.stored import StoredPosition, stored_positions
from engine.game import Game

_AT_ONCE = 100_000


def write_compact(address: AnyAddress, game: Game, path: Path) -> int:
    """Write the compact book of `game` to `path`; how many positions it holds.

    If two of them have the same key, all keys are made anew with the next salt.

    Raises:
        BookError: if there is no readable book, or the game's moves do not fit into an answer.
        OSError: if the file cannot be written.
    """
    try:
        header_of(game, 0, 0)
    except ValueError as error:
        raise BookUnwritable(f"cannot write a compact book: {error}") from None
    with Moment(address) as book:
        for salt in count():
            keys, answers = _gathered(book, game, salt)
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            if (keys[1:] != keys[:-1]).all():
                break
    with path.open("wb") as file:
        file.write(header_of(game, len(keys), salt))
        file.write(keys.astype("<u8", copy=False).data)
        file.write(answers[order].astype("<u4", copy=False).data)
    return len(keys)


def _gathered(book: Moment, game: Game, salt: int) -> tuple[Numbers, Answers]:
    """The keys and answers of all positions."""
    found = [(np.zeros(0, np.uint64), np.zeros(0, np.uint32))]
    stored = stored_positions(book, game)
    while batch := list(islice(stored, _AT_ONCE)):
        found += _by_length(game, batch, salt)
    keys, answers = zip(*found, strict=True)
    return np.concatenate(keys), np.concatenate(answers)


def _by_length(
    game: Game, batch: Sequence[StoredPosition], salt: int
) -> Iterator[tuple[Numbers, Answers]]:
    groups: defaultdict[int, list[StoredPosition]] = defaultdict(list)
    for stored in batch:
        groups[len(stored.stones)].append(stored)
    for alike in groups.values():
        cells = cells_of_packed(game, [stored.stones for stored in alike])
        answers = [pack_answer(_answer(stored)) for stored in alike]
        yield keys_of(game, cells, salt), np.array(answers, np.uint32)


def _answer(stored: StoredPosition) -> CompactAnswer:
    row = stored.row
    return CompactAnswer(stored.moves[0].move, row.value, BOUNDS[row.bound], bool(row.proven))

"""What others say a book has wrong, and what has become of it once that was searched again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from book.files.lines import read_lines
from book.reader import BookReader
from book.rows.links import ways_to
from book.rows.lookup import GameRows
from book.storage.address import Address
from book.storage.schema import moves, positions
from engine.errors import FivebookError
from engine.game import Game, Key
from engine.position import Move
from engine.quantities import parse_percentage
from engine.values import WIN, Value, describe_value, winning_probability

# A value within this of the winning chance that somebody claims agrees with it.
_NEAR = 0.1

_at = positions.c.id.in_(bindparam("ids", expanding=True))
_parents = select(moves.c.parent).where(moves.c.child.in_(bindparam("ids", expanding=True)))
_values = select(positions.c.stones, positions.c.value, positions.c.proven).where(_at)
# Databases take no more parameters in a statement than some thousands.
_AT_ONCE = 500


class InvalidCorrections(FivebookError, ValueError):
    """A file that holds something else than moves with values."""


class Correction(NamedTuple):
    """What somebody says of the position after `moves`: the chance, 0 to 1, of the side to move.

    `text` is the value as it was written.
    """

    moves: tuple[Move, ...]
    chance: float
    text: str


class Known(NamedTuple):
    """A book's value of a position, for the side to move."""

    value: Value
    proven: bool

    def __str__(self) -> str:
        return describe_value(self.value, self.proven)


Knowledge = dict[Key, Known]
"""What a book says of the positions of some corrections, and of all above them."""


def read_corrections(game: Game, path: Path) -> tuple[Correction, ...]:
    """The lines of a file: moves, then a value in centi-units (`+120`) or a chance (`62%`), for the
    side to move; `#` before comments.

    Raises:
        InvalidCorrections: with the number of the first bad line.
    """
    return read_lines(path, "correction", partial(_correction, game), InvalidCorrections)


def _correction(game: Game, written: str) -> Correction:
    *line, text = written.split()
    played = tuple(game.parse_line(" ".join(line)))
    outcome = game.outcome(game.play_line(played))
    if outcome is not None:
        raise InvalidCorrections(f"the game is over after '{' '.join(line)}' ({outcome.value})")
    return Correction(played, _chance(text), text)


def _chance(text: str) -> float:
    if text.endswith("%"):
        return parse_percentage(text)
    try:
        value = int(text)
    except ValueError:
        raise InvalidCorrections(f"'{text}' is no value, such as +120 or 62%") from None
    return winning_probability(max(-WIN, min(value, WIN)))


def look(book: Address, game: Game, corrections: Sequence[Correction]) -> Knowledge:
    """What `book` says of them and of what is above; nothing where there is none yet."""
    if not corrections or (book.path is not None and not book.path.exists()):
        return {}
    with BookReader(book) as reader:
        if game not in reader.games:
            return {}
        with reader.rows_of(game) as rows:
            return _knowledge(rows, corrections)


def _knowledge(rows: GameRows, corrections: Sequence[Correction]) -> Knowledge:
    game = rows.game
    images = [game.canonical(game.play_line(each.moves)) for each in corrections]
    # What leads to those that are not stored yet will be above them.
    before = {key for image in images for key in ways_to(game, image.position).parents}
    found = set(rows.ids_of(before | {image.key for image in images}).values())
    above = found
    while above:
        above = {row.parent for row in _of(rows, _parents, above)} - found
        found |= above
    return {
        game.key(row.stones): Known(row.value, bool(row.proven))
        for row in _of(rows, _values, found)
    }


def _of(rows: GameRows, statement: Any, ids: set[int]) -> list[Any]:
    ordered = sorted(ids)
    parts = [ordered[at : at + _AT_ONCE] for at in range(0, len(ordered), _AT_ONCE)]
    return [row for part in parts for row in rows.connection.execute(statement, {"ids": part})]


@dataclass(frozen=True, slots=True)
class Report:
    """What has come of `corrections`: what a book said `before` and says `after`."""

    game: Game
    corrections: Sequence[Correction]
    before: Knowledge
    after: Knowledge

    def lines(self) -> list[str]:
        """A line for each correction, and one for what followed above."""
        return [*map(self._told, self.corrections), self._told_above()]

    def as_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "corrections": [
                {
                    "moves": self.game.format_line(each.moves),
                    "claimed": each.text,
                    "before": _number(self.before.get(self._key(each))),
                    "after": _number(self.after.get(self._key(each))),
                    "verdict": self._verdict(each),
                }
                for each in self.corrections
            ],
            "above": len(self._changed_above()),
        }

    def _key(self, correction: Correction) -> Key:
        return self.game.canonical(self.game.play_line(correction.moves)).key

    def _verdict(self, correction: Correction) -> str:
        """Whether the book agrees with a correction by now; `open` while it was not searched."""
        known = self.after.get(self._key(correction))
        if known is None:
            return "open"
        return "agrees" if abs(_chance_of(known) - correction.chance) <= _NEAR else "differs"

    def _told(self, correction: Correction) -> str:
        key = self._key(correction)
        before, after = self.before.get(key), self.after.get(key)
        line = self.game.format_line(correction.moves) or "the empty board"
        if after is None:
            return f"{line}: not searched yet (claimed {correction.text})"
        if before is None:
            became = f"new, {after}"
        elif before == after:
            became = f"stands at {after}"
        else:
            became = f"changed from {before} to {after}"
        return f"{line}: {became}, {self._verdict(correction)} (claimed {correction.text})"

    def _changed_above(self) -> list[Key]:
        own = set(map(self._key, self.corrections))
        return [
            key
            for key, known in self.before.items()
            if key not in own and self.after.get(key) != known
        ]

    def _told_above(self) -> str:
        changed = self._changed_above()
        root = self.game.canonical(self.game.initial).key
        told = f"above them {len(changed):,} positions changed"
        if root in changed:
            told += f", the empty board from {self.before[root]} to {self.after[root]}"
        return told


def _chance_of(known: Known) -> float:
    return 0.5 if known.proven and known.value == 0 else winning_probability(known.value)


def _number(known: Known | None) -> Value | None:
    return None if known is None else known.value

"""A second checker of Gomoku's certificates, written from docs/proofs.md alone.

Plain Python: its own reader of the file, its own rules and its own search, in which every legal
reply is played, to a four as to a threat. It is slow, and there is no argument in it.
"""

import json
import lzma
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import Any

_ALWAYS_THE_SAME = random.Random(0)
Image = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class SlowEntry:
    winner: tuple[int, ...]
    opponent: tuple[int, ...]
    lists: list[list[int]]
    # By reply: the number of a list, or the winner's move.
    by_list: dict[int, int]
    by_move: dict[int, int]


@dataclass(frozen=True)
class SlowCertificate:
    header: dict[str, Any]
    size: int
    exact: bool
    entries: list[SlowEntry]


def read(path: Path) -> SlowCertificate:
    """The certificate at `path`; ValueError if its bytes are not what the document says."""
    line, _, rest = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    columns = lzma.decompress(rest)
    told = {key: value for key, value in header.items() if key != "checksum"}
    signed = json.dumps(told, sort_keys=True).encode() + b"\n" + columns
    if blake2b(signed, digest_size=32).hexdigest() != header["checksum"]:
        raise ValueError("another checksum")
    match = re.fullmatch(r"gomoku-(\d+)(-standard)?", header["game"])
    if match is None or header["format"] != "fivebook certificate" or header["version"] != 1:
        raise ValueError("another format, version or game")
    size = int(match[1])
    wide = 1 if size <= 16 else 2
    at = 0

    def column(count: int, width: int) -> list[int]:
        nonlocal at
        planes = [columns[at + plane * count : at + (plane + 1) * count] for plane in range(width)]
        at += count * width
        return [
            sum(planes[plane][index] << 8 * plane for plane in range(width))
            for index in range(count)
        ]

    count = header["entries"]
    numbers, of_winner = column(count, 2), column(count, 2)
    stones = iter(column(header["stones"], wide))
    list_counts = column(count, 2)
    lengths = iter(column(header["lists"], 2))
    cells = iter(column(header["cells"], wide))
    named = column(count, 2)
    replies = iter(column(header["replies"], wide))
    answers = iter(column(header["replies"], 2))
    moves = iter(column(header["moves"], wide))
    if at != len(columns):
        raise ValueError("another length")
    entries = []
    for number in range(count):
        winner = tuple(next(stones) for _ in range(of_winner[number]))
        opponent = tuple(next(stones) for _ in range(numbers[number] - of_winner[number]))
        lists = [[next(cells) for _ in range(next(lengths))] for _ in range(list_counts[number])]
        by_list, by_move = {}, {}
        for _ in range(named[number]):
            reply, answer = next(replies), next(answers)
            if answer:
                by_list[reply] = answer
            else:
                by_move[reply] = next(moves)
        entries.append(SlowEntry(winner, opponent, lists, by_list, by_move))
    for left in (stones, lengths, cells, replies, moves):
        if next(left, None) is not None:
            raise ValueError("its numbers do not add up")
    return SlowCertificate(header, size, match[2] is not None, entries)


class SlowRules:
    """The rules of one board; a side's stones are bits of a whole number.

    A row has one bit more than the board has columns, which is never taken, so that no line runs
    over an edge.
    """

    def __init__(self, size: int, *, exact: bool) -> None:
        self._size = size
        self._exact = exact
        self._bits = [
            1 << row * (size + 1) + column for row in range(size) for column in range(size)
        ]
        self._cells = {bit: cell for cell, bit in enumerate(self._bits)}
        self.all = sum(self._bits)
        self._steps = (1, size, size + 1, size + 2)

    def stones(self, cells: Iterable[int]) -> int:
        return sum(self._bits[cell] for cell in cells)

    def has_five(self, stones: int) -> bool:
        for step in self._steps:
            row = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
            row &= stones >> 4 * step
            if self._exact:
                row &= ~(stones << step) & ~(stones >> 5 * step)
            if row:
                return True
        return False

    def fives(self, stones: int, other: int) -> int:
        """The free cells on which the side with `stones` wins."""
        free = self.all & ~(stones | other)
        found = 0
        for step in self._steps:
            taken = [stones >> k * step for k in range(6)]
            for hole in range(5):
                starts = free >> hole * step
                for k in range(5):
                    if k != hole:
                        starts &= taken[k]
                if starts and self._exact:
                    starts &= ~(stones << step) & ~taken[5]
                found |= starts << hole * step
        return found

    def fours(self, stones: int, other: int) -> dict[int, int]:
        """The moves of a side without a four that make one, with the cells that complete it."""
        free = self.all & ~(stones | other)
        found: dict[int, int] = {}
        for step in self._steps:
            taken = [stones >> k * step for k in range(6)]
            for holes in combinations(range(5), 2):
                starts = free >> holes[0] * step & free >> holes[1] * step
                for k in range(5):
                    if k not in holes:
                        starts &= taken[k]
                if starts and self._exact:
                    starts &= ~(stones << step) & ~taken[5]
                for start in each(starts):
                    first, second = (start << k * step for k in holes)
                    found[first] = found.get(first, 0) | second
                    found[second] = found.get(second, 0) | first
        return found

    def images(self, winner: Iterable[int], opponent: Iterable[int]) -> Iterator[Image]:
        for symmetry in range(8):
            turn = partial(self._turned, symmetry)
            yield tuple(sorted(map(turn, winner))), tuple(sorted(map(turn, opponent)))

    def cells(self, stones: int) -> list[int]:
        return [self._cells[bit] for bit in each(stones)]

    def _turned(self, symmetry: int, cell: int) -> int:
        row, column = divmod(cell, self._size)
        if symmetry & 1:
            row, column = column, row
        if symmetry & 2:
            column = self._size - 1 - column
        if symmetry & 4:
            row = self._size - 1 - row
        return row * self._size + column


class SlowSearch:
    """The guided search with one list, in which every legal reply is played.

    It takes cells at hand in the same order as the checker does where that matters to nothing but
    time: whether a win is found does not depend on it.
    """

    def __init__(self, rules: SlowRules, cells: Iterable[int]) -> None:
        self._rules = rules
        self._list = [rules.stones([cell]) for cell in cells]
        self._found: dict[tuple[int, int], int] = {}

    def wins(self, winner: int, opponent: int) -> int:
        """Plies within which the winner, to move, wins; 0 if that is not found."""
        key = winner, opponent
        if key not in self._found:
            self._found[key] = self._wins(winner, opponent)
        return self._found[key]

    def _wins(self, winner: int, opponent: int) -> int:
        rules = self._rules
        if rules.fives(winner, opponent):
            return 1
        stops = list(each(rules.fives(opponent, winner)))
        if len(stops) > 1:
            return 0
        line = self.by_fours(winner, opponent)
        if line:
            return len(line)
        for move in stops or self._list:
            if move & (winner | opponent):
                continue
            completing = rules.fives(winner | move, opponent)
            line = [completing] if completing else self.by_fours(winner | move, opponent)
            plies = self._after_every_reply(winner | move, opponent, line) if line else 0
            if plies:
                return plies + 1
        return 0

    def by_fours(self, winner: int, opponent: int) -> list[int]:
        """A win by fours of the winner, to move, who threatens no five; [] if there is none.

        Its moves, of both sides in turn, but the last is any of the two or more that win.
        """
        rules = self._rules
        stops = list(each(rules.fives(opponent, winner)))
        if len(stops) > 1:
            return []
        fours = rules.fours(winner, opponent)
        for move in stops or fours:
            completing = fours.get(move, 0)
            if completing & completing - 1:
                return [move, completing & -completing, completing & completing - 1]
        for move in stops or self._list:
            parry = fours.get(move)
            if parry:
                line = self.by_fours(winner | move, opponent | parry)
                if line:
                    return [move, parry, *line]
        return []

    def _after_every_reply(self, winner: int, opponent: int, line: list[int]) -> int:
        """Plies within which the winner wins, whatever the opponent plays now; 0 if not found.

        `line` is a win had the opponent passed. After each reply it is played again, move by
        move; where it is none any more, a win is searched for.
        """
        if self._rules.fives(opponent, winner):
            return 0
        longest = 0
        for reply in each(self._rules.all & ~(winner | opponent)):
            after = opponent | reply
            plies = self._replayed(winner, after, line) or self.wins(winner, after)
            if not plies:
                return 0
            longest = max(longest, plies)
        return longest + 1 if longest else 0

    def _replayed(self, winner: int, opponent: int, line: list[int]) -> int:
        """The plies of `line`, the winner to move, if it wins as it stands."""
        rules = self._rules
        for move, parry in zip(line[:-1:2], line[1::2], strict=True):
            stops = rules.fives(opponent, winner)
            if move & (winner | opponent) or (stops and stops != move):
                return 0
            winner |= move
            completing = rules.fives(winner, opponent)
            if completing & completing - 1:
                return len(line)
            if completing != parry:
                return 0
            opponent |= parry
        return len(line) if line[-1] & ~opponent and len(line) == 1 else 0


def each(stones: int) -> Iterator[int]:
    while stones:
        yield stones & -stones
        stones &= stones - 1


class SlowChecker:
    """Checks entries of a certificate one by one."""

    def __init__(self, certificate: SlowCertificate) -> None:
        self._certificate = certificate
        self._rules = SlowRules(certificate.size, exact=certificate.exact)
        self._numbers = {
            (entry.winner, entry.opponent): number
            for number, entry in enumerate(certificate.entries)
        }

    def start(self) -> int:
        """The entry at the start; ValueError if there is none."""
        header, rules = self._certificate.header, self._rules
        dark, light = rules.stones(header["dark"]), rules.stones(header["light"])
        counts = len(header["dark"]), len(header["light"])
        if (dark | light).bit_count() != sum(counts) or not 0 <= counts[0] - counts[1] <= 1:
            raise ValueError("no position")
        if rules.has_five(dark) or rules.has_five(light):
            raise ValueError("the game is over")
        sides = (header["dark"], header["light"])
        winner, opponent = sides if header["winner"] == "dark" else sides[::-1]
        if (counts[0] == counts[1]) == (header["winner"] == "dark"):
            if rules.stones([header["move"]]) & (dark | light):
                raise ValueError("the first move is to a taken cell")
            winner = [*winner, header["move"]]
        elif header["move"] is not None:
            raise ValueError("the first move is not the winner's")
        return self._numbers[min(rules.images(winner, opponent))]

    def next_entries(
        self, number: int, unnamed: int | None = None, rng: random.Random = _ALWAYS_THE_SAME
    ) -> set[int]:
        """Check an entry; the entries that its moves lead to. ValueError names a hole.

        With `unnamed`, of the replies that the entry does not name only so many, drawn by `rng`.
        """
        entry, rules = self._certificate.entries[number], self._rules
        winner, opponent = rules.stones(entry.winner), rules.stones(entry.opponent)
        more = len(entry.winner) - len(entry.opponent)
        if (
            (winner | opponent).bit_count() != len(entry.winner) + len(entry.opponent)
            or more != (self._certificate.header["winner"] == "dark")
            or rules.has_five(winner)
            or rules.has_five(opponent)
            or (entry.winner, entry.opponent) != min(rules.images(entry.winner, entry.opponent))
        ):
            raise ValueError(f"entry {number} is malformed")
        free = rules.all & ~(winner | opponent)
        if not free:
            raise ValueError(f"entry {number} is a draw")
        if rules.fives(opponent, winner):
            raise ValueError(f"entry {number}: the opponent wins")
        searches = [SlowSearch(rules, cells) for cells in entry.lists or [[]]]
        children = set()
        replies = rules.cells(free)
        if unnamed is not None:
            named = [reply for reply in replies if reply in {**entry.by_move, **entry.by_list}]
            others = [reply for reply in replies if reply not in named]
            replies = named + rng.sample(others, min(unnamed, len(others)))
        for reply in replies:
            after = opponent | rules.stones([reply])
            if reply not in entry.by_move:
                if not searches[entry.by_list.get(reply, 0)].wins(winner, after):
                    raise ValueError(f"entry {number}: no win after {reply}")
                continue
            move = entry.by_move[reply]
            stone = rules.stones([move])
            if stone & (winner | after):
                raise ValueError(f"entry {number}: the move against {reply} is not free")
            if not rules.has_five(winner | stone):
                child = min(rules.images((*entry.winner, move), (*entry.opponent, reply)))
                if child not in self._numbers:
                    raise ValueError(f"entry {number}: no entry after {reply} and {move}")
                children.add(self._numbers[child])
        return children

    def check_below(self, number: int) -> int:
        """Check an entry and all it leads to; how many there are. ValueError names a hole."""
        waiting, seen = [number], {number}
        for at in waiting:
            for child in sorted(self.next_entries(at) - seen):
                seen.add(child)
                waiting.append(child)
        return len(seen)

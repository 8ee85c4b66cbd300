"""The check of a certificate's entries, one by one, and of what holds them together."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.oracles.gomoku_certificate.reading import SlowCertificate, SlowEntry
from tests.oracles.gomoku_certificate.rules import OPPONENT, Image, SlowBoard, SlowRules
from tests.oracles.gomoku_certificate.search import SlowSearch


class Hole(ValueError):
    """What is wrong with a certificate."""


class NoEntry(ValueError):
    """The strategy comes to no entry after some moves."""


@dataclass(frozen=True)
class Counts:
    """How many entries have been checked, and replies to them, by what answers them."""

    entries: int = 0
    by_list: int = 0
    by_move: int = 0

    def __add__(self, more: "Counts") -> "Counts":
        return Counts(
            self.entries + more.entries, self.by_list + more.by_list, self.by_move + more.by_move
        )


class SlowChecker:
    """Checks a certificate; whatever is wrong with it is a `Hole`."""

    def __init__(self, certificate: SlowCertificate) -> None:
        self._certificate = certificate
        self._header = certificate.header
        self._rules = SlowRules(certificate.size, exact=certificate.exact)
        self._numbers = {
            (entry.winner, entry.opponent): number
            for number, entry in enumerate(certificate.entries)
        }

    def start(self) -> int | None:
        """The entry at the start; None if the winner's first move makes a five."""
        winner, opponent = self._start_position()
        stones = self._stones(winner, opponent)
        if self._rules.has_five(stones[0]) or self._rules.has_five(stones[1]):
            raise Hole("the game is over at the start")
        move = self._header["move"]
        if (self._next_is_winner(winner, opponent)) != (move is not None):
            raise Hole("the winner's first move is missing, or not his to make")
        if move is not None:
            winner = (*winner, move)
            if self._rules.has_five(self._stones(winner, opponent)[0]):
                return None
        return self._number(winner, opponent, "the start")

    def under(self, line: Iterable[int]) -> int:
        """The entry that the strategy comes to after `line`, moves of dark and light in turn.

        Where it is the winner's turn after them, the entry after his answer to the last one.

        Raises:
            NoEntry: if there is none, since a list answers the line, say.
        """
        moves = list(line)
        sides = tuple(moves[::2]), tuple(moves[1::2])
        winner, opponent = sides if self._header["winner"] == "dark" else sides[::-1]
        try:
            return self._under(winner, opponent)
        except Hole as hole:
            raise NoEntry(str(hole)) from None

    def _under(self, winner: tuple[int, ...], opponent: tuple[int, ...]) -> int:
        self._stones(winner, opponent)
        if not self._next_is_winner(winner, opponent):
            return self._number(winner, opponent, "those moves")
        first = self.start()
        start = min(self._rules.images(*self._start_position()))
        if first is not None and min(self._rules.images(winner, opponent)) == start:
            return first
        number, symmetry = self._found(winner, opponent[:-1], "those moves but the last")
        reply = self._rules.turned(symmetry, opponent[-1]) if opponent else None
        if reply not in self._certificate.entries[number].by_move:
            raise Hole("no move leads to another entry after them: a list answers the last")
        child = self._child(number, reply)
        if child is None:
            raise Hole("the winner makes a five after them")
        return child

    def children(self, number: int) -> set[int]:
        """The entries to which the moves of an entry lead."""
        entry = self._certificate.entries[number]
        found = (self._child(number, reply) for reply in entry.by_move)
        return {child for child in found if child is not None}

    def below(self, number: int) -> list[int]:
        """An entry and all to which its moves lead, and theirs in turn."""
        waiting, seen = [number], {number}
        for at in waiting:
            for child in sorted(self.children(at) - seen):
                seen.add(child)
                waiting.append(child)
        return waiting

    def check(self, number: int) -> Counts:
        """Check an entry, given that those are right to which its moves lead."""
        entry, rules = self._certificate.entries[number], self._rules
        winner, opponent = self._position(number)
        board = SlowBoard(rules, winner, opponent)
        free = rules.cells(board.free)
        self._check_what_is_named(number, set(free))
        if board.fives(OPPONENT):
            raise Hole(f"entry {number}: the opponent makes a five")
        self.children(number)
        by_list = [reply for reply in free if reply not in entry.by_move]
        searches = [SlowSearch(rules, cells) for cells in entry.lists or [[]]]
        for reply in by_list:
            search = searches[entry.by_list.get(reply, 0)]
            if not search.wins(winner, opponent | rules.stones([reply])):
                raise Hole(f"entry {number}: no win after {reply}")
        return Counts(1, len(by_list), len(entry.by_move))

    def check_nothing_superfluous(self) -> None:
        """Check that some move, or the start, leads to each entry."""
        first = self.start()
        reached = set() if first is None else {first}
        for number in range(len(self._certificate.entries)):
            reached |= self.children(number)
        for number in range(len(self._certificate.entries)):
            if number not in reached:
                raise Hole(f"entry {number} is reached by no line")

    def _position(self, number: int) -> tuple[int, int]:
        """The stones of an entry that is a position with the opponent to move, in its place."""
        entry = self._certificate.entries[number]
        winner, opponent = self._stones(entry.winner, entry.opponent)
        if self._next_is_winner(entry.winner, entry.opponent):
            raise Hole(f"entry {number}: it is not the opponent's turn")
        if self._rules.has_five(winner) or self._rules.has_five(opponent):
            raise Hole(f"entry {number}: the game is over")
        if winner | opponent == self._rules.all:
            raise Hole(f"entry {number} is a draw")
        here = entry.winner, entry.opponent
        if here != min(self._rules.images(*here)):
            raise Hole(f"entry {number} is not canonical")
        if number:
            before = self._certificate.entries[number - 1]
            if _place(before) >= _place(entry):
                raise Hole(f"entry {number} is not in order")
        return winner, opponent

    def _check_what_is_named(self, number: int, free: set[int]) -> None:
        """Check that the replies, moves and lists of an entry are what they should be."""
        entry = self._certificate.entries[number]
        if entry.replies != sorted(set(entry.replies)) or not free.issuperset(entry.replies):
            raise Hole(f"entry {number}: a reply is not free, or not in order")
        if any(move not in free - {reply} for reply, move in entry.by_move.items()):
            raise Hole(f"entry {number}: a move is not free")
        if any(len(set(cells)) < len(cells) or not free.issuperset(cells) for cells in entry.lists):
            raise Hole(f"entry {number}: a cell of a list is not free, or there twice")
        answering = set(entry.by_list.values())
        if len(entry.replies) < len(free):
            answering.add(0)
        # Without any list, the first is empty.
        if answering - {0} != set(range(1, len(entry.lists))) or (
            entry.lists and 0 not in answering
        ):
            raise Hole(f"entry {number}: a list is missing, or answers no reply")

    def _child(self, number: int, reply: int) -> int | None:
        """The entry to which the move against `reply` leads; None if the move makes a five."""
        entry = self._certificate.entries[number]
        winner = (*entry.winner, entry.by_move[reply])
        opponent = (*entry.opponent, reply)
        if self._rules.has_five(self._stones(winner, opponent)[0]):
            return None
        return self._number(winner, opponent, f"the move against {reply} in entry {number}")

    def _number(self, winner: Iterable[int], opponent: Iterable[int], where: str) -> int:
        return self._found(winner, opponent, where)[0]

    def _found(self, winner: Iterable[int], opponent: Iterable[int], where: str) -> tuple[int, int]:
        """The entry of a position, and a symmetry that turns the position into it."""
        images: list[Image] = list(self._rules.images(winner, opponent))
        number = self._numbers.get(min(images))
        if number is None:
            raise Hole(f"no entry is the position after {where}")
        return number, images.index(min(images))

    def _start_position(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        sides = tuple(self._header["dark"]), tuple(self._header["light"])
        if not 0 <= len(sides[0]) - len(sides[1]) <= 1:
            raise Hole("the start is no position")
        return sides if self._header["winner"] == "dark" else sides[::-1]

    def _next_is_winner(self, winner: Iterable[int], opponent: Iterable[int]) -> bool:
        """Whether it is the winner's turn; a `Hole` if it is nobody's."""
        more = len(tuple(winner)) - len(tuple(opponent))
        dark_won = self._header["winner"] == "dark"
        if more not in ((0, 1) if dark_won else (-1, 0)):
            raise Hole("so many stones make no position")
        return more == (0 if dark_won else -1)

    def _stones(self, winner: Iterable[int], opponent: Iterable[int]) -> tuple[int, int]:
        """The stones of both sides; a `Hole` if a cell is off the board or taken twice."""
        cells = [*winner, *opponent]
        everywhere = range(self._certificate.size**2)
        if len(set(cells)) < len(cells) or any(cell not in everywhere for cell in cells):
            raise Hole("a stone is on a taken cell, or off the board")
        return self._rules.stones(winner), self._rules.stones(opponent)


def _place(entry: SlowEntry) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """What entries are in the order of."""
    return len(entry.winner) + len(entry.opponent), entry.winner, entry.opponent

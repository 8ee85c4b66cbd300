"""One position of a proof: whether its claim follows from its moves.

A value is confirmed from below by one move that gives as much, and from above by all moves giving
no more; a win needs the first, a loss the second, a draw both. A stored position behind a move is
taken for what it claims, and named, so that it is checked in its turn. It has a stone more, so
nothing is assumed in a circle. What is behind other moves is searched.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

from book.audit.end_search import EndSearch
from book.audit.proof_rows import WIN, ProofClaim, ProofLink, ProofRow, ProofRows, behind
from book.audit.registry import end_search, rules_of
from book.audit.rules import AuditBoard, AuditRules

# A win claimed as exact that is longer must not come within that many plies.
_SOON = 3
_MOST_NAMED = 3
_OVER = "the end of the game"
# By packed stones, a move and the board behind it.
_Moves = Mapping[bytes, tuple[int, AuditBoard]]


class CheckStatus(StrEnum):
    """What came of a check."""

    RIGHT = "right"
    NOT_CONFIRMED = "not confirmed"
    WRONG = "wrong"


@dataclass(slots=True)
class CheckedPosition:
    """What came of the check of one position.

    `needs` are the stored positions on which the claim rests. `leaves` counts the ends of lines
    that are not stored, by what won or held them.
    """

    id: int
    status: CheckStatus = CheckStatus.RIGHT
    reason: str = ""
    board: str = ""
    needs: set[int] = field(default_factory=set)
    leaves: Counter[str] = field(default_factory=Counter)


class _Doubt(Exception):
    def __init__(self, status: CheckStatus, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Examiner:
    """Checks positions of one game."""

    def __init__(self, rows: ProofRows, game_id: str, nodes: int | None) -> None:
        self._rows = rows
        self.rules = rules_of(game_id)
        self._search = end_search(self.rules, nodes)

    def examine(self, ids: Sequence[int]) -> list[CheckedPosition]:
        """What comes of the check of each position."""
        stored = self._rows.read(ids)
        return [self._finding(id, stored.get(id)) for id in ids]

    def _finding(self, id: int, row: ProofRow | None) -> CheckedPosition:
        finding = CheckedPosition(id)
        try:
            if row is None:
                raise _Doubt(CheckStatus.WRONG, "it is missing")
            board = self.rules.unpack(row.stones)
            finding.board = self.rules.describe(board)
            _Check(self.rules, self._rows, self._search, row, board, finding).run()
        except _Doubt as doubt:
            finding.status, finding.reason = doubt.status, doubt.reason
        except ValueError as error:
            finding.status, finding.reason = CheckStatus.WRONG, str(error)
        return finding


class _Check:
    """The check of one position, with what it needs to know."""

    def __init__(
        self,
        rules: AuditRules,
        rows: ProofRows,
        search: EndSearch,
        row: ProofRow,
        board: AuditBoard,
        finding: CheckedPosition,
    ) -> None:
        self._rules, self._rows, self._search = rules, rows, search
        self._row, self._board, self._finding = row, board, finding
        self._claim = row.claim

    def run(self) -> None:
        """Check all there is.

        Raises:
            _Doubt: if something does not hold.
        """
        if self._rules.result(self._board) is not None:
            self._wrong("the game is over")
        if not self._claim.says:
            self._wrong("that is neither a win nor a loss nor a draw")
        links = self._links()
        rest = self._rest(links)
        if self._claim.value >= 0:
            self._check_from_below(links, rest)
        if self._claim.value <= 0:
            self._check_from_above(links)
        if self._claim.exact:
            self._check_exact(links)

    def _links(self) -> dict[bytes, ProofLink]:
        """The links by stones. Each one's move is legal and leads to the position it says.

        Beside a kept slot only those that bear out the claim or contradict it.
        """
        links: dict[bytes, ProofLink] = {}
        for link in self._row.links:
            name = self._rules.name(link.move)
            after = self._rules.play(self._board, link.move)
            if after is None:
                self._wrong(f"the move {name} is not allowed")
            if link.stones is None:
                self._wrong(f"the position after {name} is missing")
            if link.stones != self._rules.pack(after):
                self._wrong(f"the move {name} does not lead to the position it is said to")
            if not (self._row.rest_kept and self._leaves_open(link.claim)):
                links[link.stones] = link
        return links

    def _leaves_open(self, after: ProofClaim) -> bool:
        """Whether what is claimed after a move tells neither for nor against a kept slot."""
        return not after.says or self._claim.value < after.before < 0

    def _rest(self, links: Collection[bytes]) -> AuditBoard | None:
        """The board after the rest move, which is legal and leads to no stored position.

        That of a kept slot may lead to one.
        """
        if self._row.rest is None:
            return None
        line = self._rules.line(self._row.rest_line)
        after = self._rules.play(self._board, line[0]) if line else None
        if after is None:
            self._wrong("the rest move is not allowed")
        if self._row.rest_kept:
            return after
        if self._rules.pack(after) in links:
            self._wrong(f"the rest move {self._rules.name(line[0])} leads to a stored position")
        if (self._rules.result(after) is not None) != self._row.rest_ends:
            ends = "does not end" if self._row.rest_ends else "ends"
            self._wrong(f"the rest move {self._rules.name(line[0])} {ends} the game")
        return after

    def _check_exact(self, links: Mapping[bytes, ProofLink]) -> None:
        """The value is that of the best move, and no win comes very soon."""
        values = [link.claim.before for link in links.values() if link.claim.says]
        if self._row.rest is not None and self._row.rest.says:
            values.append(self._row.rest.value)
        best = ProofClaim(max(values), exact=True, proven=True)
        if best.value != self._claim.value:
            self._wrong(f"its best move gives exactly {best}")
        sooner = min(WIN - self._claim.value - 1, _SOON)
        if self._claim.value > 0 and self._search.won(self._board, sooner):
            self._wrong(f"it is won within {sooner} and so not exactly then")

    def _check_from_below(self, links: Mapping[bytes, ProofLink], after: AuditBoard | None) -> None:
        """Some move gives as much: one to a stored position, or else the rest move."""
        value, rest = self._claim.value, self._row.rest
        good = [link for link in links.values() if link.claim.says and link.claim.before >= value]
        if good:
            best = max(good, key=lambda link: (link.claim.before, -link.id))
            self._finding.needs.add(best.id)
        elif rest is None or after is None or not rest.says or rest.value < value:
            self._wrong("no move of it is proven to be as good")
        else:
            self._check_rest(after, rest)

    def _check_rest(self, after: AuditBoard, rest: ProofClaim) -> None:
        """The rest move gives what it says."""
        result = self._rules.result(after)
        if result is None and rest.value < WIN - 1:
            self._check_replies(after, behind(rest.value))
        elif -(result or 0) < (rest.value > 0):
            self._wrong("the rest move does not win")
        else:
            self._finding.leaves[_OVER] += 1

    def _check_replies(self, after: AuditBoard, value: int) -> None:
        """No reply gives more than `value`. Those stored are taken at their word."""
        replies = self._rules.children(after)
        stored = self._rows.find({stones: self._rules.lookup(stones) for stones in replies})
        for stones, (id, claim) in stored.items():
            if claim.says and claim.before <= value:
                self._finding.needs.add(id)
                del replies[stones]
        self._check_all(replies, value)

    def _check_from_above(self, links: Mapping[bytes, ProofLink]) -> None:
        """No move gives more."""
        value, rest = self._claim.value, self._row.rest
        for link in links.values():
            if not link.claim.says or link.claim.before > value:
                name = self._rules.name(link.move)
                self._wrong(f"after {name} the book has {link.claim}")
            self._finding.needs.add(link.id)
        moves = self._rules.children(self._board)
        missing = {stones: way for stones, way in moves.items() if stones not in links}
        if missing:
            if rest is None or not rest.says or rest.value > value:
                some = " ".join(
                    self._rules.name(move) for move, _ in [*missing.values()][:_MOST_NAMED]
                )
                self._wrong(f"of the other moves the book has {rest or 'nothing'}: {some}")
            self._check_all(missing, rest.value)

    def _check_all(self, moves: _Moves, value: int) -> None:
        """None of these moves gives more than `value`, and so the other side as much as this."""
        needed = behind(value)
        what = f"won within {WIN - needed}" if needed else "not lost"
        for move, board in moves.values():
            answer, kind = self._answer(board, needed)
            if answer is None:
                reason = (
                    f"the search did not find the position after {self._rules.name(move)} {what}"
                )
                raise _Doubt(CheckStatus.NOT_CONFIRMED, f"{self._claim}, and {reason}")
            if not answer:
                self._wrong(f"the position after {self._rules.name(move)} is not {what}")
            self._finding.leaves[kind] += 1

    def _answer(self, board: AuditBoard, needed: int) -> tuple[bool | None, str]:
        """Whether its side to move has a win, if that is `needed`, or else a draw; with how it is
        known."""
        result = self._rules.result(board)
        if result is not None:
            return result >= (needed > 0), _OVER
        if needed:
            return self._search.won(board, WIN - needed), self._search.kind
        return self._search.holds(board), self._search.kind

    def _wrong(self, reason: str) -> NoReturn:
        raise _Doubt(CheckStatus.WRONG, f"{self._claim}, and {reason}")

"""One position of a proof: whether its claim follows from its moves.

A stored position behind a move is taken for what it claims, and named, so that it is checked in
its turn. It has a stone more, so nothing is assumed in a circle.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

from book.checking.endings import Endings, SwapEndings
from book.checking.gomoku import Gomoku, gomoku
from book.checking.quadrants import LETTERS, Quadrants
from book.checking.rows import Claim, Link, Rows, Stored
from book.checking.rules import Board, Rules
from book.checking.search import Search
from book.checking.threats import Threats

# A win claimed as exact that is longer must not come within so many plies.
_SOON = 3
# Below the last ply of a winner's strategy books hold what is won late; see docs/books.md.
_LATE = 7
# How the end of a line was settled, the plainest first.
_AT_ONCE = "five at once"


class Status(StrEnum):
    """What came of a check."""

    RIGHT = "right"
    NOT_CONFIRMED = "not confirmed"
    WRONG = "wrong"


@dataclass(slots=True)
class Finding:
    """What came of the check of one position.

    `needs` are the stored positions on which the claim rests. `leaves` counts the ends that a
    search of the checker's confirmed, by what won.
    """

    id: int
    status: Status = Status.RIGHT
    reason: str = ""
    board: str = ""
    needs: set[int] = field(default_factory=set)
    leaves: Counter[str] = field(default_factory=Counter)


class _Doubt(Exception):
    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def rules_of(game_id: str) -> Rules:
    """The rules of a game that books hold."""
    rules = gomoku(game_id)
    return Quadrants(game_id) if rules is None else rules


def knows(game_id: str) -> bool:
    """Whether there are rules for this game."""
    return game_id in LETTERS or gomoku(game_id) is not None


def _search(rules: Rules, nodes: int | None) -> Search:
    if isinstance(rules, Gomoku):
        return Threats(rules, nodes)
    assert isinstance(rules, Quadrants)
    return Endings(rules, nodes) if LETTERS[rules.game_id] else SwapEndings(rules, nodes)


class Examiner:
    """Checks positions of one game, with at most `nodes` for a search, or as many as are usual."""

    def __init__(self, rows: Rows, game_id: str, nodes: int | None) -> None:
        self._rows = rows
        self.rules = rules_of(game_id)
        self._search = _search(self.rules, nodes)

    def examine(self, row: Stored) -> Finding:
        """What comes of the check of one position."""
        finding = Finding(row.id)
        try:
            board = self._unpacked(row.stones)
            finding.board = self.rules.describe(board)
            _Check(self, self._rows, self._search, row, board, finding).run()
        except _Doubt as doubt:
            finding.status, finding.reason = doubt.status, doubt.reason
        return finding

    def _unpacked(self, stones: bytes) -> Board:
        try:
            return self.rules.unpack(stones)
        except ValueError as error:
            raise _Doubt(Status.WRONG, str(error)) from error


class _Check:
    """The check of one position, with what it needs to know."""

    def __init__(
        self,
        examiner: Examiner,
        rows: Rows,
        search: Search,
        row: Stored,
        board: Board,
        finding: Finding,
    ) -> None:
        self._rules, self._rows, self._search = examiner.rules, rows, search
        self._unpacked = examiner._unpacked
        self._row, self._board, self._finding = row, board, finding
        self._claim = row.claim

    def run(self) -> None:
        """Check all there is.

        Raises:
            _Doubt: if something does not hold.
        """
        if self._rules.result(self._board) is not None:
            self._wrong("the game is over")
        result = self._claim.result
        if result is None:
            self._wrong(f"{self._claim} is neither a win nor a loss nor a draw")
        self._check_links()
        self._rest = self._rest_board()
        if result == 1:
            self._check_win()
        elif result == -1:
            self._check_loss()
        else:
            self._check_draw()

    def _check_links(self) -> None:
        """Each link's move is legal and leads to the position that it says."""
        self._linked: dict[Board, Claim] = {}
        self._links: list[Link] = []
        for link in self._row.links:
            name = self._rules.name(link.move)
            after = self._rules.play(self._board, link.move)
            if after is None:
                self._wrong(f"the move {name} is not allowed")
            if link.stones is None or link.claim is None:
                self._wrong(f"the position after {name} is missing")
            key = self._rules.key(after)
            if key != self._rules.key(self._unpacked(link.stones)):
                self._wrong(f"the move {name} does not lead to the position it is said to")
            if not (self._row.rest_kept and self._leaves_open(link.claim)):
                self._linked[key] = link.claim
                self._links.append(link)

    def _leaves_open(self, after: Claim) -> bool:
        """Whether what is claimed after a move neither bears out the claim nor contradicts it."""
        if after.result == 1 and self._claim.result == -1:
            return after.plies >= self._claim.plies
        return after.result is None

    def _rest_board(self) -> Board | None:
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
        if self._rules.key(after) in self._linked:
            self._wrong(f"the rest move {self._rules.name(line[0])} leads to a stored position")
        if (self._rules.result(after) is not None) != self._row.rest_ends:
            ends = "does not end" if self._row.rest_ends else "ends"
            self._wrong(f"the rest move {self._rules.name(line[0])} {ends} the game")
        return after

    def _check_win(self) -> None:
        rest = self._row.rest
        plies = self._claim.plies
        stored = [
            (link.claim.plies + 1, link.id)
            for link in self._links
            if link.claim is not None and link.claim.result == -1
        ]
        by_rest = rest is not None and rest.result == 1
        shortest = min([length for length, _ in stored], default=plies + 1)
        if rest is not None and by_rest:
            shortest = min(shortest, rest.plies)
        if not stored and not by_rest:
            self._wrong(f"{self._claim}, and no move of it is proven to win")
        if shortest > plies:
            self._wrong(f"{self._claim}, and its moves win in {shortest} at best")
        if self._claim.exact:
            self._check_exact_win(plies, shortest)
        if min(stored, default=(plies + 1, 0))[0] <= plies:
            self._finding.needs.add(min(stored)[1])
        else:
            assert rest is not None
            assert self._rest is not None
            self._check_rest_win(self._rest, rest.plies)

    def _check_exact_win(self, plies: int, shortest: int) -> None:
        if shortest < plies:
            self._wrong(f"exactly {self._claim}, and a move wins in {shortest}")
        sooner = min(plies - 1, _SOON)
        if sooner > 0 and self._search.won(self._board, sooner):
            self._wrong(f"exactly {self._claim}, and it is won within {sooner}")
        self._search.kinds.clear()

    def _check_rest_win(self, after: Board, plies: int) -> None:
        """The rest move wins within `plies`."""
        result = self._rules.result(after)
        if result == -1:
            self._confirm(_AT_ONCE)
        elif result is not None or plies < 2:
            self._wrong(f"{self._claim}, and the rest move does not win")
        elif not self._replies_are_stored(after, plies - 1):
            self._ask(self._search.lost(after, plies - 1), f"the rest move wins in {plies}")
            self._confirm()

    def _replies_are_stored(self, after: Board, plies: int) -> bool:
        """Whether some replies after a rest move are; then all of them are checked here."""
        if plies <= _LATE:
            return False
        replies = self._rules.moves_to(after).values()
        stones = {self._rules.pack(board): board for _, board in replies}
        found = self._rows.find({here: self._rules.lookup(here) for here in stones})
        claims = {row.stones: row.claim for row in self._rows.read(list(found.values()))}
        late = {
            stones[here]: found[here]
            for here, claim in claims.items()
            if claim.result == 1 and claim.plies < plies
        }
        if late:
            self._finding.needs.update(late.values())
            self._check_replies(
                [board for _, board in replies if board not in late], plies, "the rest move"
            )
        return bool(late)

    def _check_loss(self) -> None:
        plies, rest = self._claim.plies, self._row.rest
        longest = 0
        for link in self._links:
            assert link.claim is not None
            if link.claim.result != 1 or link.claim.plies >= plies:
                name = self._rules.name(link.move)
                self._wrong(f"{self._claim}, and after {name} the book has {link.claim}")
            longest = max(longest, link.claim.plies + 1)
            self._finding.needs.add(link.id)
        missing = self._missing()
        if missing:
            if rest is None:
                self._wrong(f"{self._claim}, and a reply is missing: {self._names(missing)}")
            if rest.result != -1 or rest.plies > plies:
                self._wrong(f"{self._claim}, and the other moves are {rest}")
            longest = max(longest, rest.plies)
        if self._claim.exact and longest < plies:
            self._wrong(f"exactly {self._claim}, and no move lasts longer than {longest}")
        if missing and rest is not None:
            self._check_missing_losses(missing, rest.plies)

    def _check_missing_losses(self, missing: dict[Board, int], plies: int) -> None:
        """All moves that are not stored lose within `plies`."""
        if not self._linked and plies > 1:
            self._ask(self._search.lost(self._board, plies), f"all moves lose in {plies}")
            self._confirm()
        else:
            self._check_replies(list(missing), plies, "all other moves")

    def _check_replies(self, boards: Collection[Board], plies: int, what: str) -> None:
        """The side that moved to `boards` loses on each within `plies`, that move included."""
        for board in boards:
            result = self._rules.result(board)
            if result == 1:
                self._finding.leaves[_AT_ONCE] += 1
            elif result is not None or plies < 2:
                self._wrong(f"{what}: not all lose in {plies}")
            else:
                self._ask(self._search.won(board, plies - 1), f"{what} lose in {plies}")
                self._confirm()

    def _check_draw(self) -> None:
        rest, kept = self._row.rest, False
        for link in self._links:
            assert link.claim is not None
            if link.claim.result in (None, -1):
                name = self._rules.name(link.move)
                self._wrong(f"{self._claim}, and after {name} the book has {link.claim}")
            kept |= link.claim.result == 0
            self._finding.needs.add(link.id)
        missing = self._missing()
        if missing and (rest is None or rest.result not in (0, -1)):
            self._wrong(f"{self._claim}, and the other moves are {rest or 'missing'}")
        if missing and rest is not None and rest.result == -1:
            self._check_missing_losses(missing, rest.plies)
        elif missing and not self._linked:
            self._ask(self._search.drawn(self._board), "it is a draw")
            self._confirm()
            kept = True
        elif missing:
            kept |= self._one_draws(missing)
        if not kept:
            self._wrong(f"{self._claim}, and every move loses")

    def _one_draws(self, missing: dict[Board, int]) -> bool:
        """Whether a move that is not stored draws; none of them wins."""
        kept = False
        for board in missing:
            result = self._rules.result(board)
            if result is None:
                plies = (self._rules.full & ~(board.dark | board.light)).bit_count()
                drawn = self._search.drawn(board)
                if not drawn:
                    won = self._search.won(board, plies)
                    self._ask(won or (None if drawn is None else won), "no other move wins")
                self._confirm()
                result = 0 if drawn else 1
            if result == -1:
                self._wrong(f"{self._claim}, and {self._names({board: missing[board]})} wins")
            kept |= result == 0
        return kept

    def _missing(self) -> dict[Board, int]:
        """The boards, one of those that are equal, after moves to no stored position."""
        return {
            after: move
            for key, (move, after) in self._rules.moves_to(self._board).items()
            if key not in self._linked
        }

    def _names(self, missing: dict[Board, int]) -> str:
        return " ".join(self._rules.name(move) for move in list(missing.values())[:3])

    def _ask(self, answer: bool | None, claim: str) -> None:
        if answer is None:
            raise _Doubt(Status.NOT_CONFIRMED, f"the search did not find that {claim}")
        if not answer:
            self._wrong(f"it is not so that {claim}")

    def _confirm(self, kind: str | None = None) -> None:
        """Count the end of a line, by what it took most to settle it."""
        kinds = self._search.kinds
        self._finding.leaves[kind or max(kinds, key=_effort, default=_AT_ONCE)] += 1
        kinds.clear()

    def _wrong(self, reason: str) -> NoReturn:
        raise _Doubt(Status.WRONG, reason)


def _effort(kind: str) -> int:
    return ("fours", "fours and threes").index(kind) if kind.startswith("fours") else 2

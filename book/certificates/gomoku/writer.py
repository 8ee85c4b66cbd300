"""Writes the strategy of a winner as the entries of a certificate.

Everything that needs knowledge of the game is asked of an `Adviser`: what to play where no threats
win, and which cells a win by threats goes over. What it says is not believed: every list is tried
with the checker's own search before it is written, and every move leads to an entry that is
written in its turn. So a wrong adviser makes the writer fail, not the certificate wrong.

A strategy is written by parts. Each part is a certificate of its own, from a position within the
whole; `join` puts parts together and leaves out what the whole does not need.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from book.certificates.gomoku import kernels
from book.certificates.gomoku.board import Board, Cell, Rules, Stones
from book.certificates.gomoku.file import Certificate, Entry, Start, certificate_of

EFFORT = 4_000
"""Nodes of one guided search; a long one costs half a millisecond."""

# Lists longer than the search gets through are of no use, nor is asking for ever.
_LONGEST_LIST = 40
_MOST_QUESTIONS = 60
_CELLS = kernels.MAX_SIZE * kernels.MAX_SIZE


class Adviser(Protocol):
    """What the writer asks; every board comes in canonical orientation.

    Where the winner has as many stones more than the opponent as after his own move, he is to move
    again, as if the opponent had passed.
    """

    def move(self, board: Board) -> Cell | None:
        """The winner's move, with which he wins; None if that is not known."""

    def threats(self, board: Board) -> Stones | None:
        """A win by fours and threats of the winner, who is to move: its moves, both sides' in turn.

        None if none was found.
        """

    def fours(self, board: Board) -> Stones | None:
        """The same by fours alone."""


class Unanswered(Exception):
    """The adviser knows no win after `moves` from the start; `board` is then reached.

    `moves` are in the orientation of the part's start, `board` is canonical.
    """

    def __init__(self, moves: tuple[Cell, ...], board: Board) -> None:
        super().__init__(moves, board)
        self.moves = moves
        self.board = board


class Writer:
    """Writes parts of one strategy. What one call has written, the next does not write again.

    The game is won for dark or for light; the start of each part says for whom, and it is the same
    for all parts. For one thread at a time.
    """

    def __init__(self, rules: Rules, adviser: Adviser, *, effort: int = EFFORT) -> None:
        self._rules = rules
        self._adviser = adviser
        self._effort = effort
        self._state = kernels.new_state(rules.size, exact=rules.exact)
        self._state["effort"] = effort
        self._entries: dict[Board, Entry] = {}
        self._buffer = np.empty(_CELLS, dtype=np.int64)

    def write(self, start: Start) -> Certificate:
        """The certificate of a part: the winner's strategy from `start` on.

        Where it is the winner's turn and the start names no move, the adviser is asked for it.

        Raises:
            Unanswered: where the adviser knows no win.
        """
        board = start.board
        if start.winner_to_move:
            move = start.move
            if move is None:
                canonical, symmetry = self._rules.canonical(board)
                advised = self._next_move(canonical)
                if advised is None:
                    raise Unanswered((), canonical)
                move = self._rules.inverse(symmetry)[advised]
            start = Start(start.dark, start.light, start.winner_is_dark, move)
            if self._wins_at_once(board, move):
                return certificate_of(self._rules, start, self._effort, ())
            board = board.with_winner(move)
        self._write_below(board)
        needed = _needed(self._rules, (start,), self._entries)
        return certificate_of(self._rules, start, self._effort, needed)

    def _write_below(self, board: Board) -> None:
        """Write the entry of `board` and all it needs, the opponent to move, but what is written.

        An entry that is written may need others that are not: an earlier call ended between them.
        """
        root, turned = self._rules.canonical(board)
        # With each board how it is reached: the moves that lead to it, in the start's orientation.
        waiting: list[tuple[Board, tuple[Cell, ...], int]] = [(root, (), turned)]
        seen: set[Board] = set()
        while waiting:
            at, line, symmetry = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            back = self._rules.inverse(symmetry)
            if at not in self._entries:
                try:
                    self._entries[at] = self._entry(at)
                except Unanswered as open_:
                    moves = (*line, *(back[cell] for cell in open_.moves))
                    raise Unanswered(moves, open_.board) from None
            for reply, move in sorted(self._entries[at].moves.items(), reverse=True):
                if self._wins_at_once(at, move):
                    continue
                after = at.with_opponent(reply).with_winner(move)
                child, further = self._rules.canonical(after)
                if child not in seen:
                    both = self._combined(symmetry, further)
                    waiting.append((child, (*line, back[reply], back[move]), both))

    def _combined(self, first: int, then: int) -> int:
        """The symmetry that does the one and then the other."""
        maps = self._rules.maps
        image = tuple(maps[then][cell] for cell in maps[first])
        return maps.index(image)

    def _entry(self, board: Board) -> Entry:
        """The entry of a canonical board, the opponent to move."""
        # Its own win by threats, if the opponent passes; even one not found whole may serve.
        lists = [self._list_for(board)[0]]
        used: list[set[Cell]] = [set()]
        by_list = dict.fromkeys(self._far_replies(board, lists[0], used[0]), 0)
        moves: dict[Cell, Cell] = {}
        for reply in self._rules.free(board):
            if reply in by_list:
                continue
            number = self._answering(board, reply, lists, used)
            if number is None:
                if self._completes(board, kernels.OPPONENT, reply):
                    after = self._rules.canonical(board.with_opponent(reply))[0]
                    raise Unanswered((reply,), after)
                cells, is_enough = self._list_for(board.with_opponent(reply))
                if not is_enough:
                    moves[reply] = self._move_against(board, reply)
                    continue
                number = len(lists)
                lists.append(cells)
                used.append(set())
                self._answering(board, reply, [cells], [used[number]])
            by_list[reply] = number
        return self._tidied(board, lists, used, by_list, moves)

    def _far_replies(self, board: Board, cells: Stones, used: set[Cell]) -> list[Cell]:
        """Replies too far from the win by `cells` to change it, if it wins without a reply.

        The cells it needs become used.
        """
        s = self._set_up(board)
        s["used"][:] = 0
        if not kernels.wins_after_far_replies(s, _array(cells)):
            return []
        far = [reply for reply in self._rules.free(board) if not s["near"][reply]]
        if far:
            used.update(cell for cell in cells if s["used"][cell])
        return far

    def _answering(
        self, board: Board, reply: Cell, lists: list[Stones], used: list[set[Cell]]
    ) -> int | None:
        """The number of the first list that answers `reply`; the cells it needs become used."""
        s = self._set_up(board)
        for number, cells in enumerate(lists):
            s["used"][:] = 0
            if kernels.answers(s, reply, _array(cells)):
                used[number].update(cell for cell in cells if s["used"][cell])
                return number
        return None

    def _tidied(
        self,
        board: Board,
        lists: list[Stones],
        used: list[set[Cell]],
        by_list: dict[Cell, int],
        moves: dict[Cell, Cell],
    ) -> Entry:
        """The entry without cells and lists that no win uses; the list of most replies is first."""
        answered = list(by_list.values())
        needed = sorted(set(answered), key=lambda number: (-answered.count(number), number))
        cells = tuple(
            tuple(cell for cell in lists[number] if cell in used[number]) for number in needed
        )
        return Entry(
            board,
            cells if cells != ((),) else (),
            {
                reply: needed.index(number)
                for reply, number in sorted(by_list.items())
                if number != needed[0]
            },
            moves,
        )

    def _move_against(self, board: Board, reply: Cell) -> Cell:
        canonical, symmetry = self._rules.canonical(board.with_opponent(reply))
        move = self._next_move(canonical)
        if move is None:
            raise Unanswered((reply,), canonical)
        return self._rules.inverse(symmetry)[move]

    def _next_move(self, board: Board) -> Cell | None:
        """The winner's move on a canonical board, a threat if threats are said to win."""
        line = self._adviser.threats(board)
        move = line[0] if line else self._adviser.move(board)
        if move is not None and move not in set(self._rules.free(board)):
            raise ValueError(f"the advised move {self._rules.name(move)} is not to a free cell")
        return move

    def _list_for(self, board: Board) -> tuple[Stones, bool]:
        """A list for the winner, to move or to move again, and whether he wins with it."""
        cells: list[Cell] = []
        is_enough = self._extend(board, cells, [_MOST_QUESTIONS])
        return tuple(cells), is_enough

    def _extend(self, board: Board, cells: list[Cell], questions: list[int]) -> bool:
        """Add cells until the search wins with them; the winner is to move.

        Where it does not, the adviser's win is followed: the search must win after each reply that
        may matter to the threat it begins with.
        """
        if self._search_wins(board, cells):
            return True
        if questions[0] == 0:
            return False
        questions[0] -= 1
        line = self._asked(self._adviser.threats, board)
        if not line:
            return False
        _add(cells, line)
        if len(cells) > _LONGEST_LIST:
            return False
        if self._search_wins(board, cells):
            return True
        move = line[0]
        replies = self._replies_to(board, move, cells)
        if replies is None:
            return False
        after = board.with_winner(move)
        return all(
            self._extend(after.with_opponent(reply), cells, questions) for reply in replies
        ) and self._search_wins(board, cells)

    def _replies_to(self, board: Board, move: Cell, cells: list[Cell]) -> list[Cell] | None:
        """The replies to look at after a four or threat; None if it threatens nothing.

        Cells are added that the fours it threatens need.
        """
        s = self._set_up(board)
        parry = int(kernels.parry(s, move))
        if parry >= 0:
            return [parry]
        if not kernels.threat(s, move, _array(cells)):
            _add(cells, self._asked(self._adviser.fours, board.with_winner(move)))
            s = self._set_up(board)
            if not kernels.threat(s, move, _array(cells)):
                return None
        s = self._set_up(board.with_winner(move))
        count = kernels.critical(s, self._buffer)
        replies: list[int] = self._buffer[:count].tolist()
        return replies

    def _asked(self, question: Callable[[Board], Stones | None], board: Board) -> Stones:
        """The winner's moves of the line that the adviser gives for a board; none if there is none.

        Raises:
            ValueError: if one of them is not to a free cell.
        """
        canonical, symmetry = self._rules.canonical(board)
        cells = (question(canonical) or ())[::2]
        if not set(cells) <= set(self._rules.free(canonical)):
            raise ValueError("the advised win goes over a cell that is not free")
        back = self._rules.inverse(symmetry)
        return tuple(back[cell] for cell in cells)

    def _search_wins(self, board: Board, cells: Iterable[Cell]) -> bool:
        s = self._set_up(board)
        return not kernels.is_over(s) and bool(kernels.wins(s, _array(cells)))

    def _wins_at_once(self, board: Board, move: Cell) -> bool:
        return self._completes(board, kernels.WINNER, move)

    def _completes(self, board: Board, side: int, cell: Cell) -> bool:
        return bool(kernels.makes_five(self._set_up(board), side, cell))

    def _set_up(self, board: Board) -> Any:
        kernels.set_up(
            self._state,
            np.array(board.winner, dtype=np.int64),
            np.array(board.opponent, dtype=np.int64),
        )
        return self._state


def entry_of_moves(rules: Rules, board: Board, moves: Mapping[Cell, Cell]) -> Entry:
    """The entry of a board on which each reply is answered by a move, as near the start.

    `board` and `moves` are in any orientation.
    """
    canonical, symmetry = rules.canonical(board)
    where = rules.maps[symmetry]
    return Entry(canonical, moves={where[reply]: where[move] for reply, move in moves.items()})


def join(
    rules: Rules,
    start: Start,
    effort: int,
    parts: Iterable[Mapping[Board, Entry]],
    *,
    within: Iterable[Start] | None = None,
) -> Certificate:
    """The certificate from `start` on, of those entries in `parts` that it needs.

    With `within` it is unfinished: it has what is needed from these starts on, which lie below.

    Of entries for the same board the first is taken: the result depends on the order of the parts.
    Positions that no part has are left out, and the checker will name the line that leads to the
    first of them.
    """
    entries: dict[Board, Entry] = {}
    for part in parts:
        for board, entry in part.items():
            entries.setdefault(board, entry)
    needed = _needed(rules, (start,) if within is None else within, entries)
    return certificate_of(rules, start, effort, needed)


def _needed(
    rules: Rules, starts: Iterable[Start], entries: Mapping[Board, Entry]
) -> Iterable[Entry]:
    """The entries that are needed from `starts` on."""
    waiting = [rules.canonical(start.opponents_board)[0] for start in starts]
    chosen: dict[Board, Entry] = {}
    while waiting:
        at = waiting.pop()
        entry = entries.get(at)
        if entry is None or at in chosen:
            continue
        chosen[at] = entry
        for reply, move in entry.moves.items():
            waiting.append(rules.canonical(at.with_opponent(reply).with_winner(move))[0])
    return chosen.values()


def entries_of(certificate: Certificate) -> dict[Board, Entry]:
    """The entries of a part, by their boards."""
    entries = (certificate.entry(number) for number in range(certificate.entries))
    return {entry.board: entry for entry in entries}


def _add(cells: list[Cell], more: Iterable[Cell]) -> None:
    cells.extend(cell for cell in dict.fromkeys(more) if cell not in cells)


def _array(cells: Iterable[Cell]) -> Any:
    return np.array(list(cells), dtype=np.int16)

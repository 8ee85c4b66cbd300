"""What a certificate answers: the winner's move, and how long each reply lasts."""

from dataclasses import dataclass

import numpy as np

from book.certificates.gomoku import kernels
from book.certificates.gomoku.board import Board, Cell, Rules
from book.certificates.gomoku.checker import Numbers, array_of, new_board, replies_by_list
from book.certificates.gomoku.file import Certificate, Entry


@dataclass(frozen=True, slots=True)
class StrategyAnswer:
    """The winner's move, and the plies within which he wins with it, that move among them."""

    move: Cell
    plies: int


class Strategy:
    """The strategy of a certificate that has been accepted. For one thread at a time.

    `distances` are those the checker worked out. Boards come in any orientation, and answers are
    in the same.
    """

    def __init__(self, certificate: Certificate, distances: Numbers) -> None:
        self._certificate = certificate
        self._rules: Rules = certificate.rules
        self._distances = distances
        self._numbers = {certificate.board(number): number for number in range(certificate.entries)}
        self._state = new_board(certificate)

    def answer(self, board: Board) -> StrategyAnswer | None:
        """The winner's answer on a board on which he is to move.

        None if it is no position that follows an entry, with one reply.
        """
        start = self._certificate.start
        if start.move is not None:
            canonical, symmetry = self._rules.canonical(board)
            at_start, turned = self._rules.canonical(start.board)
            if canonical == at_start:
                move = self._rules.maps[turned][start.move]
                plies = 1 + self._after(start.board, start.move)
                return StrategyAnswer(self._rules.inverse(symmetry)[move], plies)
        answers = (self._after_reply(board, reply) for reply in board.opponent)
        return min(
            (answer for answer in answers if answer is not None),
            key=lambda answer: (answer.plies, answer.move),
            default=None,
        )

    def replies(self, board: Board) -> dict[Cell, int] | None:
        """For each reply the plies within which the winner wins, counted from before it.

        None if the board is no entry.
        """
        canonical, symmetry = self._rules.canonical(board)
        number = self._numbers.get(canonical)
        if number is None:
            return None
        entry = self._certificate.entry(number)
        self._set_up(entry)
        plies, _ = replies_by_list(self._rules, entry, self._state)
        back = self._rules.inverse(symmetry)
        found = {back[reply]: int(plies[reply]) + 1 for reply in np.flatnonzero(plies).tolist()}
        for reply, move in entry.moves.items():
            found[back[reply]] = 2 + self._after(canonical.with_opponent(reply), move)
        return found

    def _after_reply(self, board: Board, reply: Cell) -> StrategyAnswer | None:
        """The answer if `reply` was the opponent's last stone, and he replied to an entry."""
        rest = tuple(cell for cell in board.opponent if cell != reply)
        canonical, symmetry = self._rules.canonical(Board(board.winner, rest))
        number = self._numbers.get(canonical)
        if number is None:
            return None
        entry = self._certificate.entry(number)
        replied = self._rules.maps[symmetry][reply]
        back = self._rules.inverse(symmetry)
        if replied in entry.moves:
            move = entry.moves[replied]
            plies = 1 + self._after(canonical.with_opponent(replied), move)
            return StrategyAnswer(back[move], plies)
        self._set_up(entry)
        lists = entry.lists or ((),)
        cells = np.array(lists[entry.by_list.get(replied, 0)], dtype=np.int16)
        plies = int(kernels.answers(self._state, replied, cells))
        return StrategyAnswer(back[int(self._state["move"])], plies) if plies else None

    def _after(self, board: Board, move: Cell) -> int:
        """Plies to the win after the winner's `move`."""
        canonical, _ = self._rules.canonical(board.with_winner(move))
        number = self._numbers.get(canonical)
        return 0 if number is None else int(self._distances[number])

    def _set_up(self, entry: Entry) -> None:
        kernels.set_up(self._state, array_of(entry.board.winner), array_of(entry.board.opponent))

"""What decides the ends of a proof: a search of the checker's own."""

from abc import ABC, abstractmethod

from book.audit.rules import AuditBoard, AuditRules


class OutOfNodes(Exception):
    """A search did not end within its nodes."""


class EndSearch(ABC):
    """Answers about positions in which the game goes on: True or False where that is certain, and
    None where nothing was found out.

    `nodes` limits each question; if it is None, `usual_nodes` do, which take some seconds. `kind`
    tells how the last True was found.
    """

    usual_nodes: int
    kind = ""

    def __init__(self, nodes: int | None) -> None:
        self._nodes = self.usual_nodes if nodes is None else nodes

    @abstractmethod
    def won(self, board: AuditBoard, plies: int) -> bool | None:
        """Whether the side to move wins within that many plies."""

    @abstractmethod
    def holds(self, board: AuditBoard) -> bool | None:
        """Whether the side to move does not lose, however long the other side tries."""


class Exhaustive:
    """Plays a game to its end in every way, for what little is left of it."""

    def __init__(self, rules: AuditRules, nodes: int) -> None:
        self._rules = rules
        self._left = nodes
        self._known: dict[tuple[AuditBoard, int], int] = {}

    def value(self, board: AuditBoard, plies: int) -> int:
        """1 if the side to move wins within that many plies, -1 if it loses by then, otherwise 0.

        Raises:
            OutOfNodes: if that takes more nodes than given.
        """
        result = self._rules.result(board)
        if result is not None or plies == 0:
            return result or 0
        if (board, plies) not in self._known:
            self._left -= 1
            if self._left < 0:
                raise OutOfNodes
            self._known[board, plies] = self._best(board, plies)
        return self._known[board, plies]

    def _best(self, board: AuditBoard, plies: int) -> int:
        best = -1
        for _, after in self._rules.moves(board):
            best = max(best, -self.value(after, plies - 1))
            if best == 1:
                break
        return best


class EveryMove(EndSearch):
    """Tries every move and every reply, for any game."""

    usual_nodes = 200_000
    kind = "every move and reply"

    def __init__(self, rules: AuditRules, nodes: int | None) -> None:
        super().__init__(nodes)
        self._rules = rules

    def won(self, board: AuditBoard, plies: int) -> bool | None:
        value = self._value(board, plies)
        return None if value is None else value > 0

    def holds(self, board: AuditBoard) -> bool | None:
        value = self._value(board, len(self._rules.cells))
        return None if value is None else value >= 0

    def _value(self, board: AuditBoard, plies: int) -> int | None:
        try:
            return Exhaustive(self._rules, self._nodes).value(board, plies)
        except OutOfNodes:
            return None

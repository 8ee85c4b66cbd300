"""The guided search, in which every legal reply is played."""

from collections.abc import Iterable

from tests.oracles.gomoku_certificate.rules import OPPONENT, WINNER, SlowBoard, SlowRules, each


class SlowSearch:
    """The guided search with one list.

    It looks for a win by fives, fours and threats on the list's cells, in their order, and goes
    back wherever a move does not win. After a four or a threat of the winner's the opponent plays
    every free cell. Where a line of fours would have won had he passed, the line is played with
    his stone somewhere, wherever it is: as long as the stone takes no cell of the line and makes
    no four with the stones there are, both sides play as they would without it, and where it does,
    or might, it is played by itself and a win looked for anew.

    There is no limit of nodes and no depth, no reply is left out for where it lies, and fives are
    looked for on the whole board, for both sides, before every move.
    """

    def __init__(self, rules: SlowRules, cells: Iterable[int]) -> None:
        self._rules = rules
        self._list = [rules.stones([cell]) for cell in cells]
        self._found: dict[tuple[int, int], int] = {}

    def wins(self, winner: int, opponent: int) -> int:
        """Plies within which the winner, to move, wins; 0 if that is not found."""
        return self._wins(SlowBoard(self._rules, winner, opponent))

    def _wins(self, board: SlowBoard) -> int:
        key = board.stones[WINNER], board.stones[OPPONENT]
        if key not in self._found:
            self._found[key] = self._searched(board)
        return self._found[key]

    def _searched(self, board: SlowBoard) -> int:
        if board.fives(WINNER):
            return 1
        stops = board.fives(OPPONENT)
        if stops & stops - 1:
            return 0
        line = self.by_fours(board)
        if line:
            return len(line)
        for move in [stops] if stops else self._list:
            if move & board.free:
                board.put(WINNER, move)
                completing = board.fives(WINNER)
                line = [completing] if completing else self.by_fours(board)
                plies = self._after_every_reply(board, line) if line else 0
                board.lift(WINNER, move)
                if plies:
                    return plies + 1
        return 0

    def by_fours(self, board: SlowBoard) -> list[int]:
        """A win by fours of the winner, to move, who threatens no five; [] if there is none.

        Its moves, of both sides in turn, but the last is any of the two or more that win.
        """
        stops = board.fives(OPPONENT)
        if stops & stops - 1:
            return []
        fours = board.fours(WINNER)
        for move in [stops] if stops else fours:
            completing = fours.get(move, 0)
            if completing & completing - 1:
                return [move, completing & -completing, completing & completing - 1]
        for move in [stops] if stops else self._list:
            parry = fours.get(move)
            if parry:
                board.put(WINNER, move)
                board.put(OPPONENT, parry)
                line = self.by_fours(board)
                board.lift(OPPONENT, parry)
                board.lift(WINNER, move)
                if line:
                    return [move, parry, *line]
        return []

    def _after_every_reply(self, board: SlowBoard, line: list[int]) -> int:
        """Plies within which the winner wins, whatever the opponent plays now; 0 if not found.

        `line` is a win had the opponent passed.
        """
        if board.fives(OPPONENT):
            return 0
        idle = idle_replies(board, line)
        longest = len(line) if idle else 0
        for reply in each(board.free & ~idle):
            board.put(OPPONENT, reply)
            plies = self._wins(board)
            board.lift(OPPONENT, reply)
            if not plies:
                return 0
            longest = max(longest, plies)
        return longest + 1 if longest else 0


def idle_replies(board: SlowBoard, line: list[int]) -> int:
    """The replies after which the winner plays `line`, a win had the opponent passed, all the same.

    The opponent, who replies, threatens no five. Wherever a reply lies that is left here, it was no
    cell of the line. It made no four with his other stones whenever the winner was to move, so
    that he never threatens a five that he would not threaten without it.
    """
    idle = board.free
    pairs = list(zip(line[:-1:2], line[1::2], strict=True))
    for move, parry in pairs:
        for cell in board.fours(OPPONENT):
            idle &= ~cell
        board.put(WINNER, move)
        idle &= ~(move | board.fives(WINNER))
        board.put(OPPONENT, parry)
    for move, parry in reversed(pairs):
        board.lift(OPPONENT, parry)
        board.lift(WINNER, move)
    return idle & ~line[-1]

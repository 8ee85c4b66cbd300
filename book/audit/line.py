"""The line by which a proof is told. Nothing of it is checked here."""

from book.audit.proof_rows import ProofRow, ProofRows
from book.audit.rules import AuditBoard, AuditRules


def longest_line(
    rules: AuditRules, rows: ProofRows, board: AuditBoard | None
) -> tuple[AuditBoard, list[str], str]:
    """The line in which the winner wins soonest and the loser holds out longest, as far as the
    book has it: from `board`, or from the position whose end is farthest away.

    With the position it begins at, and the book's claim of that.
    """
    if board is None:
        farthest = rows.farthest()
        board = (
            AuditBoard(0, 0)
            if farthest is None
            else rules.unpack(rows.read([farthest])[farthest].stones)
        )
    start, line, claimed = board, list[str](), ""
    while row := _stored(rules, rows, board):
        claimed = claimed or str(row.claim)
        there = rules.unpack(row.stones)
        moves, is_stored = _best(rules, row)
        for move in moves:
            after = rules.play(there, move)
            if after is None:
                return start, line, claimed
            there = after
            # The board is a turned one.
            same, board = rules.children(board)[rules.pack(after)]
            line.append(rules.name(same))
        if not is_stored:
            break
    return start, line, claimed


def _stored(rules: AuditRules, rows: ProofRows, board: AuditBoard) -> ProofRow | None:
    stones = rules.pack(board)
    found = rows.find({stones: rules.lookup(stones)}).get(stones)
    return rows.read([found[0]]).get(found[0]) if found else None


def _best(rules: AuditRules, row: ProofRow) -> tuple[list[int], bool]:
    """The best moves that are proven, and whether they lead to a stored position; if two are as
    good, that one does."""
    ways = [(link.claim.before, True, [link.move]) for link in row.links if link.claim.says]
    if row.rest is not None and row.rest.says:
        ways.append((row.rest.value, False, rules.line(row.rest_line)))
    if not ways or not row.claim.says:
        return [], False
    _, is_stored, moves = max(ways, key=lambda way: way[:2])
    return moves, is_stored

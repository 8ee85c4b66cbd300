"""Who wins by force, over the rules of any game, for those that have no prover of their own.

Wins are looked for ply by ply: is there one within 1 ply, within 3, within 5? A table of what was
found for fewer plies gives the next round its order. Like the plain search it is written in
Python, for small boards and for ends of games.
"""

from collections.abc import Generator, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from engine.game import Game, Key, Outcome
from engine.plain_search import BoundedTable, central_first
from engine.position import Move, Position, Side
from engine.proof import OPEN, TABLE_MEBIBYTES, Proof

_NODES_A_STEP = 2_000
_NO_LIMIT = 1 << 62


class _Known(NamedTuple):
    """No win within `failed` plies; one within `distance`, 0 where none is known.

    `move` is the winner's best or the loser's longest, as it reads in the canonical position.
    """

    failed: int
    distance: int
    move: Move


_NOTHING = _Known(0, 0, -1)


class _OutOfNodes(Exception):
    """The nodes that were given are spent."""


class PlainProver:
    """Proves who wins in positions of one game. For one thread at a time.

    Equal up to symmetry is equal to it. `table` is the size of its table in MiB.
    """

    by_plies = True

    def __init__(self, game: Game, *, table: int = TABLE_MEBIBYTES) -> None:
        self._game = game
        self._far = central_first(game)
        self._mebibytes = table
        self._learned = False
        self._winner = Side.DARK
        self._found = 0
        self._forget()

    def steps(
        self, position: Position, *, nodes: int, loses: bool = False, within: int | None = None
    ) -> Iterator[Proof]:
        """See `engine.proof.Prover`.

        Raises:
            ValueError: if the game is over.
        """
        self._require_unfinished(position)
        winner = position.to_move.other if loses else position.to_move
        if winner is not self._winner or not self._learned:
            self._forget()
        self._winner = winner
        self._nodes, self._most, self._pause_at = 0, nodes, _NODES_A_STEP
        yield from self._deepen(position, within)

    def kin(self, position: Position) -> Hashable:
        """Equal for images of one another."""
        return self._game.canonical(position).key

    def follow(self, position: Position, *, within: int | None = None, nodes: int) -> Proof:
        """See `engine.proof.Prover`.

        Raises:
            ValueError: if the game is over.
        """
        self._require_unfinished(position)
        if position.to_move is not self._winner:
            self._forget()
        self._winner = position.to_move
        self._nodes, self._most, self._pause_at = 0, nodes, _NO_LIMIT
        *_, proof = self._deepen(position, within)
        if proof.won is None and within is not None and proof.horizon < within:
            # Such a win may have been proven; then what the table has of it makes this short.
            self._most = _NO_LIMIT
            for _ in self._round(position, within):
                pass
            proof = self._proof(position, self._found or None, proof.horizon)
        return replace(proof, line=proof.line[:1])

    def knowledge(self) -> bytes:
        """Nothing: what took long to find out is all in the table."""
        return b""

    def learn(self, knowledge: bytes) -> None:
        """See `engine.proof.Prover`.

        Raises:
            ValueError: if there is any knowledge.
        """
        if knowledge:
            raise ValueError(f"a proof of {self._game.id} cannot be taken up again")
        self._learned = True

    def _require_unfinished(self, position: Position) -> None:
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")

    def _forget(self) -> None:
        self._table: BoundedTable[Key, _Known] = BoundedTable(self._mebibytes)

    def _deepen(self, position: Position, within: int | None) -> Iterator[Proof]:
        """Look for longer and longer wins; yields what is known, at last the answer."""
        left = self._game.cell_count - position.ply
        last = left if within is None else min(left, within)
        failed = 0
        # A win mostly comes with the winner's own stone.
        first = 1 if position.to_move is self._winner else 2
        try:
            for plies in sorted({*range(first, last + 1, 2), last} - {0}):
                for _ in self._round(position, plies):
                    yield self._proof(position, None, failed)
                if self._found:
                    yield self._proof(position, self._found, failed)
                    return
                failed = plies
        except _OutOfNodes:
            pass
        yield self._proof(position, 0 if failed == left else None, failed)

    def _proof(self, position: Position, distance: int | None, failed: int) -> Proof:
        """What is known: a win within `distance`, none at all if that is 0, or nothing yet."""
        share = len(self._table) / self._table.most
        proof = replace(OPEN, nodes=self._nodes, table=share, horizon=failed)
        if distance is None:
            return proof
        if not distance:
            return replace(proof, won=False)
        return replace(proof, won=True, distance=distance, line=self._line(position))

    def _round(self, position: Position, plies: int) -> Iterator[None]:
        """Leave in `_found` what `_win` finds; a pause whenever it is time to look up."""
        self._found = yield from self._win(position, plies)

    def _win(self, position: Position, plies: int) -> Generator[None, None, int]:
        """In how many plies, at most `plies`, the winner wins; 0 if it does not.

        Raises:
            _OutOfNodes: if no nodes are left.
        """
        canonical = self._game.canonical(position)
        known = self._table.get(canonical.key, _NOTHING)
        if 0 < known.distance <= plies:
            return known.distance
        if plies <= known.failed:
            return 0
        first = -1
        if known.move >= 0:
            first = self._game.map_move(known.move, self._game.inverse(canonical.symmetry))
        moves = self._moves(position, first)
        if position.to_move is self._winner:
            distance, move = yield from self._some_move(position, moves, plies)
        else:
            distance, move = yield from self._all_moves(position, moves, plies)
        move = self._game.map_move(move, canonical.symmetry) if move >= 0 else known.move
        failed, won = (known.failed, distance) if distance else (plies, known.distance)
        self._table.put(canonical.key, _Known(failed, won, move))
        return distance

    def _some_move(
        self, position: Position, moves: Iterable[Move], plies: int
    ) -> Generator[None, None, tuple[int, Move]]:
        """`_win` where the winner is to move, with the move that wins, -1 if none does."""
        going_on = []
        for move in moves:
            child, outcome = yield from self._made(position, move)
            if outcome is None:
                going_on.append((move, child))
            elif outcome.winner is self._winner:
                return 1, move
        for move, child in going_on if plies > 1 else []:
            distance = yield from self._win(child, plies - 1)
            if distance:
                return distance + 1, move
        return 0, -1

    def _all_moves(
        self, position: Position, moves: Iterable[Move], plies: int
    ) -> Generator[None, None, tuple[int, Move]]:
        """`_win` where the loser is to move, with the move that resists longest or holds."""
        longest, slowest, going_on = 0, -1, []
        for move in moves:
            child, outcome = yield from self._made(position, move)
            if outcome is None:
                going_on.append((move, child))
            elif outcome.winner is not self._winner:
                return 0, move
            else:
                longest, slowest = max((longest, slowest), (1, move))
        for move, child in going_on:
            distance = (yield from self._win(child, plies - 1)) if plies > 1 else 0
            if not distance:
                return 0, move
            longest, slowest = max((longest, slowest), (distance + 1, move))
        return longest, slowest

    def _moves(self, position: Position, first: Move) -> list[Move]:
        """The moves, `first` in front and then from the centre outwards."""
        moves = self._game.legal_moves(position)
        return sorted(moves, key=lambda move: (move != first, self._far[move]))

    def _made(
        self, position: Position, move: Move
    ) -> Generator[None, None, tuple[Position, Outcome | None]]:
        """The position after a move, and how the game ended if it did."""
        if self._nodes >= self._most:
            raise _OutOfNodes
        self._nodes += 1
        if self._nodes >= self._pause_at:
            self._pause_at += _NODES_A_STEP
            yield
        child = self._game.play(position, move)
        return child, self._game.outcome(child)

    def _line(self, position: Position) -> tuple[Move, ...]:
        """The line of a win that is in the table, as far as it is there."""
        line: list[Move] = []
        while self._game.outcome(position) is None:
            canonical = self._game.canonical(position)
            known = self._table.get(canonical.key, _NOTHING)
            if not known.distance:
                break
            back = self._game.inverse(canonical.symmetry)
            line.append(self._game.map_move(known.move, back))
            position = self._game.play(position, line[-1])
        return tuple(line)

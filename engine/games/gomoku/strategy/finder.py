"""The finder of winning strategies in Gomoku: proof numbers over quiet moves.

Threats win most positions of an opening at once, and after a good quiet move of the attacker, one
that threatens to win by threats, few replies of the defender are left. So the tree of quiet moves
is small, and each of its positions costs much. It is kept whole, in Python, and grows best first
(proof-number search; Allis, 1994): a candidate move counts as many as its unanswered replies, a
position as its best candidate, or as looking at it again with more nodes, whichever is less.
Positions that are equal by transposition or symmetry are one.

Depth-first search with a table would keep less, but has nothing to gain here: a position of the
tree takes some 10 ms to survey and a few hundred bytes to keep.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.games.base import Symmetry
from engine.games.gomoku import board, threats
from engine.games.gomoku.board import DOUBLE_THREE, FOUR_THREE, PLAIN
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.strategy import candidates, threat_search, trees
from engine.position import Move, Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NODES = 10_000_000
_NODES_FOR_MOVE = 1_000_000
# A win by threats that took more is kept, so that nobody needs to search for it again.
_NODES_WORTH_KEEPING = 1_000
_INFINITY = 1 << 40


class Kind(StrEnum):
    """How a position is won."""

    QUIET = "quiet"
    THREAT = "threat"


@dataclass(frozen=True, slots=True)
class Entry:
    """What wins in a position: a `move`, in the orientation of the canonical position, after which
    every reply loses; `distance` is an upper bound of the plies to the five, this move included.
    """

    move: Move
    kind: Kind
    distance: int


Store = MutableMapping[bytes, Entry]
"""Positions that the side to move wins, by the packed stones of their canonical images."""


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """Whether the side to move was proven to win; None where `nodes` did not suffice."""

    won: bool | None
    nodes: int
    distance: int | None


@dataclass(frozen=True, slots=True)
class _Effort:
    """What a look at a position may cost, and how many candidates it may find.

    `price` is what it counts beside the proof numbers of candidates.
    """

    price: int
    nodes: int
    span: int
    loudest: int
    tried: int
    kept: int
    answers: int


_EFFORTS = (
    _Effort(price=1, nodes=2_000, span=2, loudest=PLAIN, tried=10, kept=3, answers=8),
    _Effort(price=4, nodes=5_000, span=2, loudest=PLAIN, tried=20, kept=5, answers=12),
    _Effort(price=12, nodes=20_000, span=2, loudest=PLAIN, tried=30, kept=6, answers=16),
    _Effort(price=40, nodes=100_000, span=2, loudest=DOUBLE_THREE, tried=40, kept=10, answers=24),
    _Effort(price=150, nodes=500_000, span=3, loudest=FOUR_THREE, tried=80, kept=16, answers=32),
)


@dataclass(frozen=True, slots=True)
class _Child:
    """The position after a reply, and the symmetry that turned it into its canonical image."""

    node: _Node
    symmetry: Symmetry


@dataclass(slots=True)
class _Candidate:
    """A move of the attacker; all replies but those to `children` lose within `longest` plies."""

    move: Move
    longest: int
    children: dict[Move, _Child]

    @property
    def proof(self) -> int:
        return sum(child.node.proof for child in self.children.values())

    @property
    def distance(self) -> int:
        """Plies of the win from before the move, once all children are won."""
        return 2 + max([self.longest, *(child.node.distance for child in self.children.values())])


@dataclass(slots=True, eq=False)
class _Node:
    """A canonical position with the attacker to move; `proof` is zero once it is won."""

    position: Position
    stones: bytes
    proof: int = 1
    distance: int = 0
    looks: int = 0
    candidates: dict[Move, _Candidate] = field(default_factory=dict)
    parents: list[_Node] = field(default_factory=list)

    def best(self) -> _Candidate | None:
        """The candidate to go on with; None where it is better to look again."""
        best = min(self.candidates.values(), key=lambda each: each.proof, default=None)
        return best if best is not None and best.proof <= self.price else None

    @property
    def price(self) -> int:
        return _EFFORTS[self.looks].price if self.looks < len(_EFFORTS) else _INFINITY


class StrategyFinder:
    """Proves that the side to move wins positions of one Gomoku game without forbidden moves.

    What it proves is in `store`, which can be handed on to another finder of the same game. For
    one thread at a time. A result depends on the arguments and on the store alone.

    Raises:
        ValueError: if the game forbids moves.
    """

    def __init__(self, game: Gomoku, store: Store | None = None) -> None:
        if game.forbids_moves:
            raise ValueError(f"{game.id} forbids moves, which this search does not know")
        self._game = game
        self.store: Store = {} if store is None else store
        self._state = new_state(game.rule)
        self._threats = np.zeros(1, dtype=threats.THREATS)[0]
        self._search = np.zeros(1, dtype=threat_search.THREAT_SEARCH)[0]
        self._tree = np.zeros(1, dtype=trees.TREE)[0]
        self._survey = np.zeros(1, dtype=candidates.SURVEY)[0]
        self._nodes: dict[bytes, _Node] = {}
        self._won: dict[bytes, Entry] = {}

    def prove(
        self, position: Position, *, nodes: int = _NODES, hints: tuple[Move, ...] = ()
    ) -> StrategyResult:
        """Try to prove that the side to move wins, within `nodes`.

        `hints` are moves to try first.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._nodes, self._won = {}, {}
        threat_search.forget(self._search)
        canonical = self._game.canonical(position)
        root = self._node(canonical.position, canonical.stones)
        turned = [self._game.map_move(move, canonical.symmetry) for move in hints]
        spent = 0
        while 0 < root.proof < _INFINITY and spent < nodes:
            spent += self._grow(root, nodes - spent, turned)
        if root.proof > 0:
            return StrategyResult(None, spent, None)
        return StrategyResult(True, spent, root.distance)

    def strategy(self, position: Position) -> dict[bytes, Entry]:
        """The part of `store` that wins `position`, which was proven last, with threats between.

        Where the proof came to a position that was in the store before, what follows is not here.
        """
        root = self._game.canonical(position).stones
        entries: dict[bytes, Entry] = {}
        waiting = [root]
        while waiting:
            stones = waiting.pop()
            entry = self.store.get(stones)
            if entry is None or stones in entries:
                continue
            entries[stones] = entry
            node = self._nodes.get(stones)
            if node is not None and entry.move in node.candidates:
                children = node.candidates[entry.move].children.values()
                waiting.extend(child.node.stones for child in children)
        return entries

    def move(self, position: Position, *, nodes: int = _NODES_FOR_MOVE) -> Move | None:
        """A move that is known to win, from the store or by threats found within `nodes`.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        canonical = self._game.canonical(position)
        entry = self.store.get(canonical.stones)
        if entry is not None:
            return self._game.map_move(entry.move, self._game.inverse(canonical.symmetry))
        threat_search.forget(self._search)
        state = self._set_up(position, nodes)
        if threat_search.find_threat_win(state, self._threats, self._search, nodes) <= 0:
            return None
        return board.unpadded(int(self._search["move"]), self._game.size)

    def _node(self, position: Position, stones: bytes) -> _Node:
        """The node of a canonical position, which may be won already."""
        node = self._nodes.get(stones)
        if node is None:
            node = self._nodes[stones] = _Node(position, stones)
            entry = self.store.get(stones)
            if entry is not None:
                self._win(node, entry, False)
        return node

    def _grow(self, root: _Node, nodes: int, hints: Sequence[Move]) -> int:
        """Look at the most promising position below `root`; returns the nodes that took."""
        node, best = root, root.best()
        while best is not None:
            child = max(
                (child for child in best.children.values() if child.node.proof > 0),
                key=lambda child: (child.node.looks == 0, child.node.proof),
            )
            hints = self._hints(best, child)
            node, best = child.node, child.node.best()
        spent = self._look(node, nodes, hints)
        self._update(node)
        return spent

    def _hints(self, candidate: _Candidate, child: _Child) -> list[Move]:
        """What wins after other replies to the same move, in the orientation of the child."""
        hints: dict[Move, int] = {}
        for other in candidate.children.values():
            entry = self._won.get(other.node.stones)
            if entry is not None:
                move = self._game.map_move(entry.move, self._game.inverse(other.symmetry))
                move = self._game.map_move(move, child.symmetry)
                hints[move] = hints.get(move, 0) + 1
        return sorted(hints, key=lambda move: -hints[move])

    def _look(self, node: _Node, nodes: int, hints: Sequence[Move]) -> int:
        """Search `node` for a win by threats, then for candidates; returns the nodes spent."""
        effort = _EFFORTS[node.looks]
        node.looks += 1
        state = self._set_up(node.position, nodes)
        plies = threat_search.find_threat_win(state, self._threats, self._search, effort.nodes)
        spent = int(state["nodes"])
        if plies > 0:
            move = board.unpadded(int(self._search["move"]), self._game.size)
            self._win(node, Entry(move, Kind.THREAT, plies), spent > _NODES_WORTH_KEEPING)
            return spent
        survey = self._survey
        survey["span"], survey["loudest"] = effort.span, effort.loudest
        survey["most_tried"], survey["most_kept"] = effort.tried, effort.kept
        survey["most_answers"] = effort.answers
        survey["pass_nodes"] = survey["reply_nodes"] = effort.nodes
        padded = [board.padded(move, self._game.size) for move in hints[: candidates.HINTS]]
        survey["hints"][: len(padded)] = padded
        survey["hint_count"] = len(padded)
        candidates.survey(state, self._threats, self._search, self._tree, survey)
        for index in range(int(survey["kept"])):
            self._add_candidate(node, index)
        return int(state["nodes"])

    def _set_up(self, position: Position, nodes: int) -> Any:
        state = self._state
        set_up(state, self._game.size, position)
        state["node_limit"], state["next_check"] = nodes, UNLIMITED
        state["deadline"] = state["nodes"] = state["stop"] = 0
        self._threats["failures"][:] = 0
        return state

    def _add_candidate(self, node: _Node, index: int) -> None:
        """Take over a candidate from the survey, with what is known of it already."""
        survey, size = self._survey, self._game.size
        move = board.unpadded(int(survey["moves"][index]), size)
        longest = int(survey["longest"][index])
        answers = survey["answers"][index][: survey["counts"][index]]
        replies = [board.unpadded(int(at), size) for at in answers]
        known = node.candidates.get(move)
        if known is not None:
            # Of either list it is proven that all other replies lose.
            known.longest = max(known.longest, longest)
            known.children = {each: known.children[each] for each in replies if each in known.children}
            return
        after = self._game.play(node.position, move)
        children = {}
        for reply in replies:
            canonical = self._game.canonical(self._game.play(after, reply))
            child = self._node(canonical.position, canonical.stones)
            child.parents.append(node)
            children[reply] = _Child(child, canonical.symmetry)
        node.candidates[move] = _Candidate(move, longest, children)

    def _win(self, node: _Node, entry: Entry, keep: bool) -> None:
        node.proof, node.distance = 0, entry.distance
        self._won[node.stones] = entry
        if keep:
            self.store[node.stones] = entry

    def _update(self, node: _Node) -> None:
        """Sum up anew the proof numbers of `node` and of all that lead to it."""
        changed = {node.position.ply: {node}}
        for ply in range(node.position.ply, -1, -2):
            for each in changed.pop(ply, ()):
                before = each.proof
                self._sum_up(each)
                if each.proof != before or each is node:
                    changed.setdefault(ply - 2, set()).update(each.parents)

    def _sum_up(self, node: _Node) -> None:
        if node.proof == 0:
            return
        best = min(node.candidates.values(), key=lambda each: each.proof, default=None)
        node.proof = node.price if best is None else min(best.proof, node.price)
        if best is not None and node.proof == 0:
            self._win(node, Entry(best.move, Kind.QUIET, best.distance), True)

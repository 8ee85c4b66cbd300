"""The finder of winning strategies in Gomoku: proof numbers over quiet moves, guided by alpha-beta.

Threats win most positions of an opening at once, and after a good quiet move of the attacker, one
that threatens to win by threats, few replies of the defender are left. So the tree of quiet moves
is small, and each of its positions costs much. It is kept whole, in Python, and grows best first
(proof-number search; Allis, 1994). A candidate move counts as much as its unanswered replies and
a little more; a position as much as its best candidate. What has not been looked at counts by what
alpha-beta thinks of the position above: its search overlooks replies and proves nothing, but its
move is the one to try first, and where it sees a win there mostly is one. A position below which
many nodes were spent in vain is looked at again, with more. Positions that are equal by
transposition or symmetry are one.

Depth-first search with a table would keep less, but has nothing to gain here: a position of the
tree takes some 10 ms to survey and a few hundred bytes to keep.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.game import Symmetry
from engine.games.gomoku import board
from engine.games.gomoku.board import DOUBLE_THREE, FOUR_THREE, PLAIN
from engine.games.gomoku.strategy import candidates
from engine.games.gomoku.strategy.guide import Guide
from engine.games.gomoku.strategy.workspace import Replies, Workspace
from engine.kernels import LONG_AGO
from engine.position import Move, Position
from engine.values import HEURISTIC_MAX, Value

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NODES = 10_000_000
_NODES_FOR_MOVE = 1_000_000
# For what the other side threatens, where a loss is to be proven, and for each reply to it.
_NODES_FOR_REPLY = 5_000
# A win by threats that took more is kept, so that nobody needs to search for it again.
_NODES_WORTH_KEEPING = 1_000
# What a quiet move adds to the proof numbers of the replies to it: chains of moves with one reply
# each would cost nothing else, however long.
_PRICE_OF_MOVE = 3
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

    It is `due` when that many nodes have been spent below the position. Threats are searched with
    `nodes`, alpha-beta is asked for `guided` ones.
    """

    due: int
    nodes: int
    guided: int
    tried: int
    kept: int
    answers: int
    span: int = 2
    loudest: int = PLAIN


_EFFORTS = (
    _Effort(0, nodes=2_000, guided=10_000, tried=3, kept=3, answers=16),
    _Effort(500_000, nodes=2_000, guided=100_000, tried=6, kept=4, answers=20),
    _Effort(3_000_000, nodes=5_000, guided=1_000_000, tried=10, kept=6, answers=24),
    _Effort(
        20_000_000,
        nodes=20_000,
        guided=10_000_000,
        tried=30,
        kept=10,
        answers=32,
        loudest=DOUBLE_THREE,
    ),
    _Effort(
        200_000_000,
        nodes=100_000,
        guided=50_000_000,
        tried=40,
        kept=16,
        answers=32,
        span=3,
        loudest=FOUR_THREE,
    ),
)

# From each value on, what a reply counts that nobody has looked at: the value is that of the
# position before the attacker's move, if it is alpha-beta's. Another move's is worth less.
_PROOF_BY_VALUE = ((HEURISTIC_MAX, 3), (1_000, 8), (600, 12), (300, 24), (100, 40))
_PROOF_OF_THE_REST = 80
_PROOF_BEFORE_OPINION = 12
_LESS_FOR_OTHER_MOVES = 300
# A position without candidates counts so many times a reply, and more each time it has none.
_NO_CANDIDATES, _NO_CANDIDATES_AGAIN = 3, 4


def _proof_by_value(value: Value) -> int:
    for least, proof in _PROOF_BY_VALUE:
        if value >= least:
            return proof
    return _PROOF_OF_THE_REST


@dataclass(frozen=True, slots=True)
class _Child:
    """The position after a reply, and the symmetry that turned it into its canonical image."""

    node: _Node
    symmetry: Symmetry


@dataclass(slots=True)
class _Candidate:
    """A move of the attacker; all replies but those to `children` lose within `longest` plies.

    Of these `hardest` lasts that long, where it is known.
    """

    move: Move
    longest: int
    children: dict[Move, _Child]
    hardest: Move | None = None

    @property
    def proof(self) -> int:
        unproven = sum(child.node.proof for child in self.children.values())
        return unproven + _PRICE_OF_MOVE if unproven else 0

    @property
    def distance(self) -> int:
        """Plies of the win from before the move, once all children are won."""
        return 2 + max([self.longest, *(child.node.distance for child in self.children.values())])

    def next_child(self) -> _Child:
        """The child to look at next, of those that are not won: a new one, else the hardest."""
        return max(
            (child for child in self.children.values() if child.node.proof > 0),
            key=lambda child: (child.node.looks == 0, child.node.proof),
        )

    def hardest_reply(self) -> Move | None:
        """The reply after which the win takes longest, once all children are won."""
        if not self.children:
            return self.hardest
        reply = max(self.children, key=lambda reply: self.children[reply].node.distance)
        lasts_longer = self.longest > self.children[reply].node.distance
        return self.hardest if self.hardest is not None and lasts_longer else reply


@dataclass(slots=True, eq=False)
class _Node:
    """A canonical position with the attacker to move; `proof` is zero once it is won.

    `value` is what alpha-beta thought at the last look, and `below` the nodes spent since the first
    on what follows.
    """

    position: Position
    stones: bytes
    proof: int = _PROOF_BEFORE_OPINION
    distance: int = 0
    looks: int = 0
    value: Value = 0
    below: int = 0
    candidates: dict[Move, _Candidate] = field(default_factory=dict)
    parents: list[_Node] = field(default_factory=list)

    def next_candidate(self) -> _Candidate | None:
        """The candidate to go on with; None where it is time to look, or look again."""
        best = self.best()
        if best is None or best.proof >= _INFINITY or self._is_due:
            return None
        return best

    def best(self) -> _Candidate | None:
        return min(self.candidates.values(), key=lambda each: each.proof, default=None)

    @property
    def _is_due(self) -> bool:
        return not self.is_exhausted and self.below >= _EFFORTS[self.looks].due

    @property
    def is_exhausted(self) -> bool:
        """Whether there is no greater effort to look with."""
        return self.looks == len(_EFFORTS)

    def expect(self, value: Value, first: Move) -> None:
        """Let the replies that nobody has looked at count by the `value` of the move `first`."""
        self.value = value
        for move, candidate in self.candidates.items():
            proof = _proof_by_value(value - _LESS_FOR_OTHER_MOVES * (move != first))
            for child in candidate.children.values():
                if child.node.looks == 0 and 0 < child.node.proof < _INFINITY:
                    child.node.proof = proof

    def sum_up(self) -> None:
        """Reckon the proof number anew, unless it is won."""
        best = self.best()
        if best is not None:
            self.proof = min(best.proof, _INFINITY)
        elif self.is_exhausted:
            self.proof = _INFINITY
        else:
            again = _NO_CANDIDATES_AGAIN ** (self.looks - 1)
            self.proof = _NO_CANDIDATES * again * _proof_by_value(self.value)


class StrategyFinder:
    """Proves that the side to move wins positions of one Gomoku game without forbidden moves.

    What it proves is in `store`, which can be handed on to another finder of the same game. For
    one thread at a time. A result depends on the arguments and on the store alone. The `workspace`
    may be shared with others that search when this one does not, and so may the `guide`.

    Raises:
        ValueError: if the game forbids moves.
    """

    def __init__(
        self,
        game: Gomoku,
        store: Store | None = None,
        workspace: Workspace | None = None,
        guide: Guide | None = None,
    ) -> None:
        if game.forbids_moves:
            raise ValueError(f"{game.id} forbids moves, which this search does not know")
        self._game = game
        self.store: Store = {} if store is None else store
        self._workspace = Workspace(game) if workspace is None else workspace
        self._guide = Guide(game) if guide is None else guide
        self._nodes: dict[bytes, _Node] = {}
        self._won: dict[bytes, Entry] = {}
        self._goal: _Node | _Candidate | None = None
        self._deadline = 0

    def prove(
        self,
        position: Position,
        *,
        nodes: int = _NODES,
        loses: bool = False,
        hints: Sequence[Move] = (),
        deadline: int = 0,
        replies: Replies | None = None,
    ) -> StrategyResult:
        """Try to prove that the side to move wins, or with `loses` that the other one does.

        At most `nodes` are spent; `hints` are moves to try first if the side to move is to win.
        A `deadline` is on the clock of `time.monotonic_ns`, 0 for none. The `replies` to what the
        other side would win by are looked for if they are not given.

        Raises:
            ValueError: if the game is over.
        """
        *_, last = self.steps(
            position, nodes=nodes, loses=loses, hints=hints, deadline=deadline, replies=replies
        )
        return last

    def steps(
        self,
        position: Position,
        *,
        nodes: int,
        loses: bool = False,
        hints: Sequence[Move] = (),
        deadline: int = 0,
        replies: Replies | None = None,
    ) -> Iterator[StrategyResult]:
        """`prove`, one look at a position at a time.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._nodes, self._won = {}, {}
        self._deadline = deadline
        self._workspace.forget()
        self._guide.forget()
        spent = 0
        goal: _Node | _Candidate
        if loses:
            goal, spent = self._list_replies(position, nodes, replies)
        else:
            canonical = self._game.canonical(position)
            goal = self._node(canonical.position, canonical.stones)
            hints = [self._game.map_move(move, canonical.symmetry) for move in hints]
        while 0 < goal.proof < _INFINITY and spent < nodes and not self._is_late():
            yield StrategyResult(None, spent, None)
            spent += self._grow(goal, nodes - spent, hints)
        self._goal = goal
        won = goal.proof == 0
        # A candidate counts its distance from before the attacker's move.
        distance = goal.distance - loses if won else None
        yield StrategyResult(True if won else None, spent, distance)

    def line(self, position: Position) -> tuple[Move, ...]:
        """A way to the end of the win that was proven last in `position`, as far as it is known.

        The loser takes the replies that last longest among those that have to be stored.
        """
        line: list[Move] = []
        while self._game.outcome(position) is None:
            canonical = self._game.canonical(position)
            entry, node = self._won.get(canonical.stones), self._nodes.get(canonical.stones)
            if entry is None or node is None or entry.kind is Kind.THREAT:
                break
            back = self._game.inverse(canonical.symmetry)
            line.append(self._game.map_move(entry.move, back))
            position = self._game.play(position, line[-1])
            candidate = node.candidates.get(entry.move)
            reply = candidate.hardest_reply() if candidate is not None else None
            if reply is None:
                break
            line.append(self._game.map_move(reply, back))
            position = self._game.play(position, line[-1])
        return tuple(line)

    def longest_reply(self) -> Move | None:
        """The reply that lasts longest where it was last proven that the side to move loses."""
        return self._goal.hardest_reply() if isinstance(self._goal, _Candidate) else None

    def entry(self, position: Position) -> Entry | None:
        """What the store knows of `position`, the move in its own orientation."""
        canonical = self._game.canonical(position)
        entry = self.store.get(canonical.stones)
        if entry is None:
            return None
        back = self._game.inverse(canonical.symmetry)
        return replace(entry, move=self._game.map_move(entry.move, back))

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

    def move(self, position: Position, *, nodes: int = _NODES_FOR_MOVE) -> Entry | None:
        """What is known to win in `position`: from the store, or by threats within `nodes`.

        The move is in the orientation of `position`.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        entry = self.entry(position)
        if entry is None:
            self._workspace.forget()
            self._workspace.set_up(position, nodes)
            win = self._workspace.find_win(nodes)
            if win is not None:
                entry = Entry(win.move, Kind.THREAT, win.distance)
        return entry

    def end(self) -> None:
        """Have the proof that another thread is in end soon, as at its deadline."""
        self._deadline = LONG_AGO
        self._workspace.end()
        self._guide.end()

    def _is_late(self) -> bool:
        return 0 < self._deadline <= time.monotonic_ns()

    def _list_replies(
        self, position: Position, nodes: int, replies: Replies | None = None
    ) -> tuple[_Candidate, int]:
        """The replies in `position` that have to be refuted, and the nodes spent on a list."""
        spent = 0
        if replies is None:
            self._workspace.set_up(position, nodes, self._deadline)
            replies = self._workspace.find_replies(_NODES_FOR_REPLY)
            spent = self._workspace.spent
        if replies is None:
            replies = Replies(tuple(self._game.legal_moves(position)), 0, None)
        candidate = self._candidate(-1, position, replies.open, replies.longest)
        candidate.hardest = replies.hardest
        return candidate, spent

    def _candidate(
        self, move: Move, after: Position, replies: Sequence[Move], longest: int
    ) -> _Candidate:
        """A candidate that leads to `after`, with the positions after `replies`."""
        children = {}
        for reply in replies:
            child = self._game.play(after, reply)
            canonical = self._game.canonical(child)
            node = self._node(canonical.position, canonical.stones)
            if self._game.outcome(child) is not None:
                node.proof = _INFINITY
            children[reply] = _Child(node, canonical.symmetry)
        return _Candidate(move, longest, children)

    def _node(self, position: Position, stones: bytes) -> _Node:
        """The node of a canonical position, which may be won already."""
        node = self._nodes.get(stones)
        if node is None:
            node = self._nodes[stones] = _Node(position, stones)
            entry = self.store.get(stones)
            if entry is not None:
                self._win(node, entry, False)
        return node

    def _grow(self, goal: _Node | _Candidate, nodes: int, hints: Sequence[Move]) -> int:
        """Look at the most promising position below `goal`; returns the nodes that took."""
        path: list[_Node] = []
        candidate: _Candidate | None
        if isinstance(goal, _Node):
            path.append(goal)
            candidate = goal.next_candidate()
        else:
            candidate = goal
        while candidate is not None:
            child = candidate.next_child()
            hints = self._hints(candidate, child)
            path.append(child.node)
            candidate = child.node.next_candidate()
        spent = self._look(path[-1], nodes, hints)
        for node in path:
            node.below += spent
        self._update(path[-1])
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
        workspace, survey = self._workspace, self._workspace.survey
        workspace.set_up(node.position, nodes, self._deadline)
        win = workspace.find_win(effort.nodes)
        spent = workspace.spent
        if win is not None:
            keep = spent > _NODES_WORTH_KEEPING
            self._win(node, Entry(win.move, Kind.THREAT, win.distance), keep)
            return spent
        left = nodes - spent
        if left <= 0:
            return spent
        opinion = self._guide.ask(node.position, min(effort.guided, left), self._deadline)
        spent += self._guide.spent
        if opinion.value >= HEURISTIC_MAX:
            tried, hints = 1, [opinion.move]
        else:
            tried = effort.tried
            hints = [opinion.move, *(move for move in hints if move != opinion.move)]
        state = workspace.set_up(node.position, nodes - spent, self._deadline)
        survey["span"], survey["loudest"] = effort.span, effort.loudest
        survey["most_tried"], survey["most_kept"] = tried, effort.kept
        survey["most_answers"] = effort.answers
        survey["pass_nodes"] = survey["reply_nodes"] = effort.nodes
        padded = [board.padded(move, self._game.size) for move in hints[: candidates.HINTS]]
        survey["hints"][: len(padded)] = padded
        survey["hint_count"] = len(padded)
        candidates.survey(state, workspace.threats, workspace.search, workspace.tree, survey)
        for index in range(int(survey["kept"])):
            self._add_candidate(node, index)
        node.expect(opinion.value, opinion.move)
        return spent + workspace.spent

    def _add_candidate(self, node: _Node, index: int) -> None:
        """Take over a candidate from the survey, with what is known of it already."""
        survey, unpadded = self._workspace.survey, self._workspace.unpadded
        move = unpadded(survey["moves"][index])
        longest = int(survey["longest"][index])
        answers = survey["answers"][index][: survey["counts"][index]]
        replies = [unpadded(at) for at in answers]
        known = node.candidates.get(move)
        if known is not None:
            # Of either list it is proven that all other replies lose.
            known.longest = max(known.longest, longest)
            known.children = {
                each: known.children[each] for each in replies if each in known.children
            }
            return
        candidate = self._candidate(move, self._game.play(node.position, move), replies, longest)
        for child in candidate.children.values():
            child.node.parents.append(node)
        node.candidates[move] = candidate

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
        node.sum_up()
        if node.proof == 0:
            best = node.best()
            assert best is not None
            self._win(node, Entry(best.move, Kind.QUIET, best.distance), True)

"""What is proved of a strategy as rows of a book.

A position of the loser's has links to the winner's positions that are stored, and of all other
replies the one that lasts longest as its rest move. A position of the winner's has his move. What
a live search finds won by threats at once is left out, with all that comes after it; only the
first plies are stored whole.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache

import numpy as np

from book.certificates.gomoku import kernels
from book.certificates.gomoku.board import Board, Cell
from book.certificates.gomoku.checker import array_of, replies_by_list
from book.certificates.gomoku.file import Entry
from book.certificates.gomoku.writer import EFFORT
from book.rows.canonical_images import smallest_images
from book.rows.encoding import Rest, Searched
from engine.game import Canonical, Key, Outcome
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.finder import StrategyFinder
from engine.position import Move, Position
from engine.values import WIN, Bound
from precompute.certificates.gomoku.adviser import position_of
from precompute.certificates.gomoku.opening import WINNER
from precompute.certificates.gomoku.part import game_of, rules_for
from precompute.certificates.gomoku.proof import Proved
from precompute.dispatch import Work

# Within so many nodes a live search finds a win by threats, in some 8 ms.
_NODES_AT_ONCE = 8_000


@dataclass(frozen=True, slots=True)
class Outlook:
    """What comes after each reply in an entry's position.

    `by_list` are the replies that lists answer, with the plies from before the reply to the
    winner's five, the longest first. Of those that moves answer, `at_once` are won by threats
    that a live search finds.
    """

    by_list: tuple[tuple[Cell, int], ...]
    at_once: frozenset[Cell]


Numbered = tuple[int, Sequence[Entry]]
"""Entries of a certificate, and the number of the first."""


class UnansweredReply(ValueError):
    """A list of an entry does not answer what it should, or nothing follows a move of the
    winner's: the certificate is wrong.
    """


@dataclass(frozen=True, slots=True)
class OutlookWork(Work[Numbered, Sequence[Outlook]]):
    """Looks at entries of one game's certificate, and checks their lists on the way."""

    game_id: str

    def prepare(self) -> None:
        _of_this_thread.looker(self.game_id)

    def do(self, task: Numbered) -> Sequence[Outlook]:
        return tuple(map(_of_this_thread.looker(self.game_id).outlook, task[1]))

    def name(self, task: Numbered) -> str:
        return f"the look at entries {task[0]} to {task[0] + len(task[1]) - 1} of {self.game_id}"


class _Looker:
    def __init__(self, game_id: str) -> None:
        game = game_of(game_id)
        self._rules = rules_for(game_id)
        self._state = kernels.new_state(self._rules.size, exact=self._rules.exact)
        self._state["effort"] = EFFORT
        self._finder = StrategyFinder(game)

    def outlook(self, entry: Entry) -> Outlook:
        board = entry.board
        kernels.set_up(self._state, array_of(board.winner), array_of(board.opponent))
        plies, unanswered = replies_by_list(self._rules, entry, self._state)
        if unanswered is not None:
            picture = self._rules.picture(board)
            raise UnansweredReply(f"no list answers {self._rules.name(unanswered)} in {picture}")
        listed = np.flatnonzero(plies)
        longest_first = listed[np.argsort(-plies[listed], kind="stable")]
        return Outlook(
            tuple((int(reply), int(plies[reply]) + 1) for reply in longest_first),
            frozenset(filter(lambda reply: self._is_won_at_once(board, reply), entry.moves)),
        )

    def _is_won_at_once(self, board: Board, reply: Cell) -> bool:
        position = position_of(board.with_opponent(reply), WINNER)
        return self._finder.move(position, nodes=_NODES_AT_ONCE) is not None


class _OfThread(threading.local):
    """A thread's own records, which are large."""

    def __init__(self) -> None:
        self.looker = cache(_Looker)


_of_this_thread = _OfThread()


class StrategyRows:
    """The rows of what is `proved`; `outlooks` are those of the entries of its certificate.

    All positions are stored that the strategy leads to within `plies` of its root. `nodes` have
    been searched for the moves in some positions of the winner's, by their keys.
    """

    def __init__(
        self,
        game: Gomoku,
        proved: Proved,
        outlooks: Sequence[Outlook],
        *,
        plies: int,
        nodes: Mapping[Key, int],
    ) -> None:
        self._game = game
        self._certificate = certificate = proved.certificate
        self._starts = proved.starts
        self._rules = certificate.rules
        self._outlooks = outlooks
        self._last_ply = certificate.start.board.stones + plies
        self._nodes = nodes
        self._numbers = {certificate.board(number): number for number in range(certificate.entries)}
        self._distances = self._distances_of_all()
        # The winner's positions that are stored, with his moves and where these lead to.
        self._won: dict[Key, _Won] = {}
        self._stored: Set[Key] = frozenset()

    @property
    def distance(self) -> int:
        """Plies within which the winner wins from the root, from where the win is proved."""
        start = self._certificate.start
        if start.move is None:
            return self._distances[self._numbers[self._rules.canonical(start.board)[0]]]
        first = self._entry_after(start.board, start.move)
        return 1 if first is None else 1 + self._distances[first]

    def rows(self) -> Iterator[Searched]:
        """The rows, those with most stones first; the same in every orientation of the strategy."""
        followed = self._follow()
        self._stored = self._won.keys() | self._keys_of(followed)
        rows = [self._lost_row(number) for number in followed]
        rows += [self._won_row(won) for won in self._won.values()]
        yield from sorted(rows, key=lambda row: (-self._game.unpack(row.stones).ply, row.key))

    def _follow(self) -> list[int]:
        """The entries that are stored; notes the winner's positions before them."""
        waiting: list[int] = []
        for start in self._starts:
            if start.move is None:
                waiting.append(self._numbers[self._rules.canonical(start.board)[0]])
            else:
                self._note(start.board, start.move, waiting)
        followed: dict[int, None] = {}
        while waiting:
            number = waiting.pop()
            if number in followed:
                continue
            followed[number] = None
            entry = self._certificate.entry(number)
            at_once = self._outlooks[number].at_once
            for reply, move in entry.moves.items():
                after = entry.board.with_opponent(reply)
                if reply not in at_once or after.stones <= self._last_ply:
                    self._note(after, move, waiting)
        return list(followed)

    def _note(self, board: Board, move: Cell, waiting: list[int]) -> None:
        """Note the winner's `move` on a board; the entry it leads to, if any, is to be stored."""
        canonical = self._game.canonical(position_of(board, WINNER))
        if canonical.key in self._won:
            return
        number = self._entry_after(board, move)
        mapped = self._game.map_move(move, canonical.symmetry)
        self._won[canonical.key] = _Won(canonical, mapped, number)
        if number is not None:
            waiting.append(number)

    def _distances_of_all(self) -> list[int]:
        """For each entry the plies to the winner's five at most; those that follow come later."""
        distances = [0] * self._certificate.entries
        for number in reversed(range(len(distances))):
            entry, outlook = self._certificate.entry(number), self._outlooks[number]
            distances[number] = max(
                [plies for _, plies in outlook.by_list[:1]]
                + [self._plies_by_move(entry, reply, distances) for reply in entry.moves]
            )
        return distances

    def _plies_by_move(self, entry: Entry, reply: Cell, distances: Sequence[int]) -> int:
        """Plies from before a reply that a move answers."""
        number = self._entry_after(entry.board.with_opponent(reply), entry.moves[reply])
        return 2 if number is None else 2 + distances[number]

    def _entry_after(self, board: Board, move: Cell) -> int | None:
        """The number of the entry after the winner's `move`; None where that makes five."""
        number = self._numbers.get(self._rules.canonical(board.with_winner(move))[0])
        if number is None:
            after = self._game.play(position_of(board, WINNER), move)
            if self._game.outcome(after) is not Outcome.won_by(WINNER):
                name, picture = self._rules.name(move), self._rules.picture(board)
                raise UnansweredReply(f"no entry follows {name} in {picture}")
        return number

    def _won_row(self, won: "_Won") -> Searched:
        distance = 1 if won.entry is None else 1 + self._distances[won.entry]
        position = won.canonical.position
        after = self._game.play(position, won.move)
        rest = Rest(
            move=won.move,
            value=WIN - distance,
            bound=Bound.EXACT if distance == 1 else Bound.LOWER,
            proven=True,
            child=None if won.entry is None else self._game.canonical(after).key,
            line=(won.move,),
        )
        return self._row(won.canonical, rest, distance, self._nodes.get(won.canonical.key, 0))

    def _lost_row(self, number: int) -> Searched:
        entry = self._certificate.entry(number)
        canonical = self._game.canonical(position_of(entry.board, WINNER))
        rest = self._hardest_other(entry, number, canonical)
        return self._row(canonical, rest, self._distances[number], 0)

    def _hardest_other(self, entry: Entry, number: int, canonical: Canonical) -> Rest | None:
        """Of the replies to positions that are not stored the one that lasts longest."""
        by_move = [
            (reply, self._plies_by_move(entry, reply, self._distances)) for reply in entry.moves
        ]
        others = sorted(
            (*self._outlooks[number].by_list, *by_move), key=lambda each: (-each[1], each[0])
        )
        for reply, plies in others:
            child = self._game.canonical(position_of(entry.board.with_opponent(reply), WINNER))
            if child.key not in self._won:
                move = self._game.map_move(reply, canonical.symmetry)
                return Rest(move, plies - WIN, Bound.UPPER, True, child.key, (move,))
        return None

    def _keys_of(self, entries: Iterable[int]) -> Set[Key]:
        boards = map(self._certificate.board, entries)
        positions = [position_of(board, WINNER) for board in boards]
        return {image.key for image in smallest_images(self._game, positions)}

    def _row(self, canonical: Canonical, rest: Rest | None, depth: int, nodes: int) -> Searched:
        return Searched(
            key=canonical.key,
            stones=canonical.stones,
            rest=rest,
            depth=depth,
            nodes=nodes,
            milliseconds=0,
            children=self._links(canonical.position),
        )

    def _links(self, position: Position) -> dict[Key, Move]:
        """The stored positions one ply on, and the smallest move to each."""
        moves = self._game.legal_moves(position)
        images = smallest_images(self._game, [self._game.play(position, move) for move in moves])
        links: dict[Key, Move] = {}
        for move, image in zip(moves, images, strict=True):
            if image.key in self._stored:
                links.setdefault(image.key, move)
        return links


@dataclass(frozen=True, slots=True)
class _Won:
    """A position of the winner's, his move there, and the entry it leads to; None where it makes
    a five."""

    canonical: Canonical
    move: Move
    entry: int | None

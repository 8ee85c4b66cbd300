"""Finding positions in which both sides have the same chances, by books and then by searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from engine.game import Game
from engine.position import Cell, Move, Position, cells_of
from engine.search import Limits
from engine.values import Value
from service.answers import Answer, win_rate
from service.inquiry import Inquiry

if TYPE_CHECKING:
    from service.answerer import Answerer

Weigh = Callable[[Sequence[Inquiry], float], list[Answer]]
"""Answers inquiries about unfinished positions, with a part, 0 to 1, of the whole effort."""

# Of those that are weighed, this part is weighed again, with as much effort in all: Successive
# halving (Karnin, Koren and Somekh, 2013) spends most on the few that matter.
_KEPT = 4
_SHORTEST = 0.001
# What weighing a position should have of the whole effort, and what drawing one and looking it up
# may have: that takes a fifth of it, or a half on a busy machine.
_SECONDS_A_CANDIDATE, _SECONDS_A_LOOK = 0.012, 0.0015
_LEAST_CANDIDATES, _MOST_CANDIDATES, _MOST_LOOKS = 4, 48, 400
# For each of those that are wanted, so many are searched as deep.
_FINALISTS = 2
# Stones that are put lie so near to a point, or to another stone, in rows and in columns.
_NEAR = 3
_MOST_TRIES = 50
# Parts of the nodes of the last search, whose values tell how far it is to be trusted.
_PARTS = (4, 2)


def unevenness(answer: Answer) -> float:
    """How far the chances in a position are from 50 %, 0 to 0.5."""
    return abs(answer.win_rate - 0.5)


@dataclass(frozen=True, slots=True)
class Effort:
    """What finding an even position may take in all: a time, by `time.monotonic`, and nodes.

    `depth`, in plies, is for each search. None: no limit; one of them is given.
    """

    deadline: float | None = None
    nodes: int | None = None
    depth: int | None = None

    @classmethod
    def within(cls, limits: Limits, inquiry: Inquiry) -> Effort:
        """What `limits` leave from now on for a turn in the position asked about."""
        allotment = limits.allotment(inquiry.position.ply, inquiry.game.cell_count)
        deadline = None if allotment is None else time.monotonic() + allotment.soft
        return cls(deadline, limits.nodes, limits.depth)

    def split(self, part: float) -> tuple[Effort, Effort]:
        """Two efforts, the first of which is this part of the whole; the second is the rest."""
        deadline = None if self.deadline is None else self.deadline - (1 - part) * self._seconds
        nodes = None if self.nodes is None else max(round(part * self.nodes), 1)
        left = None if self.nodes is None or nodes is None else max(self.nodes - nodes, 1)
        return replace(self, deadline=deadline, nodes=nodes), replace(self, nodes=left)

    def limits(self) -> Limits:
        """The limits of one search that may take all that is left."""
        movetime = None if self.deadline is None else max(self._seconds, _SHORTEST)
        return Limits(self.depth, self.nodes, movetime)

    @property
    def candidates(self) -> int:
        """How many positions it makes sense to weigh."""
        return self._times(_SECONDS_A_CANDIDATE, _MOST_CANDIDATES)

    @property
    def book_candidates(self) -> int:
        """How many positions it makes sense to look for in a book."""
        return self._times(_SECONDS_A_LOOK, _MOST_LOOKS)

    @property
    def is_by_time(self) -> bool:
        """Whether there is no other limit than the time."""
        return self.nodes is None and self.depth is None

    def _times(self, seconds: float, most: int) -> int:
        if not self.is_by_time:
            return most
        return min(max(int(self._seconds / seconds), _LEAST_CANDIDATES), most)

    @property
    def _seconds(self) -> float:
        assert self.deadline is not None
        return max(self.deadline - time.monotonic(), 0.0)


def weigher(answerer: Answerer, effort: Effort) -> Weigh:
    """Answers from the books, and else by searches, with `effort` for all that it is asked."""
    whole = effort.limits()

    def weigh(inquiries: Sequence[Inquiry], part: float) -> list[Answer]:
        if effort.is_by_time:
            return by_time(inquiries, part)
        share = part / len(inquiries)
        nodes = None if whole.nodes is None else max(round(share * whole.nodes), 1)
        return [
            answerer.answer(inquiry, replace(effort.limits(), nodes=nodes)) for inquiry in inquiries
        ]

    def by_time(inquiries: Sequence[Inquiry], part: float) -> list[Answer]:
        left = effort.limits().movetime or 0.0
        end = time.monotonic() + min(part * (whole.movetime or 0.0), left)
        answers: list[Answer] = []
        for index, inquiry in enumerate(inquiries):
            seconds = (end - time.monotonic()) / (len(inquiries) - index)
            if answers and seconds < _SHORTEST:
                # On a busy machine each of the rest would end late.
                break
            limits = Limits(movetime=max(seconds, _SHORTEST))
            answers.append(answerer.answer(inquiry, limits))
        return answers

    return weigh


def most_even(weigh: Weigh, inquiries: Sequence[Inquiry], count: int = 1) -> list[Answer]:
    """The answers about the `count` most even of the positions asked about, most even first.

    `inquiries` are one or more, about positions that are not finished.
    """
    sizes = list(_sizes(len(inquiries), count)) or [count]
    for size in sizes:
        answers = sorted(weigh(inquiries, 1 / len(sizes)), key=unevenness)[:size]
        inquiries = [Inquiry(each.game, each.played, each.position) for each in answers]
    return answers


def _sizes(candidates: int, count: int) -> Iterator[int]:
    """How many are left after each round."""
    while candidates > count:
        candidates = max(candidates // _KEPT, count)
        yield candidates


def single_moves(inquiry: Inquiry) -> list[Inquiry]:
    """The positions one move later, each once up to symmetry, in which the game goes on."""
    return [inquiry.after(child.moves[0]) for child in inquiry.game.children(inquiry.position)]


def scattered(inquiry: Inquiry, stones: int, count: int, random: Random) -> list[Inquiry]:
    """Up to `count` different positions `stones` moves later, drawn at random.

    The stones lie near those on the board, or near a point of an empty one. There are fewer where
    the board has no room.
    """
    game = inquiry.game
    anchors = cells_of(inquiry.position.dark | inquiry.position.light)
    moves = game.legal_moves(inquiry.position)
    found: dict[Position, Inquiry] = {}
    for _ in range(_MOST_TRIES * count):
        if len(found) == count:
            break
        anchor = random.choice(anchors or range(game.cell_count))
        near = [move for move in moves if _is_near(game, anchor, game.cell_of(move))]
        drawn = _played(inquiry, random.sample(near, min(stones, len(near))), stones)
        if drawn is not None:
            found.setdefault(game.canonical(drawn.position).position, drawn)
    return list(found.values())


def _played(inquiry: Inquiry, moves: Sequence[Move], stones: int) -> Inquiry | None:
    """The inquiry after `moves`; None if these are too few, not legal, or end the game."""
    game = inquiry.game
    for move in moves:
        if game.why_illegal(inquiry.position, move):
            return None
        inquiry = inquiry.after(move)
    is_over = game.outcome(inquiry.position) is not None
    return None if is_over or len(moves) < stones else inquiry


def _is_near(game: Game, anchor: Cell, cell: Cell) -> bool:
    (row, column), (other_row, other_column) = divmod(anchor, game.width), divmod(cell, game.width)
    return max(abs(row - other_row), abs(column - other_column)) <= _NEAR


@dataclass(frozen=True, slots=True)
class EvenLine:
    """Moves that lead to an even position, and what is known of it.

    `answer` is about the position after `moves`; its value is for the side to move there. The
    true value is not known to be within `low` and `high`, which are the least and the greatest
    that the book and searches of a quarter, half and all of the nodes say of it; for a proof both
    are the value.
    """

    moves: tuple[Move, ...]
    answer: Answer
    low: Value
    high: Value

    @property
    def win_rates(self) -> tuple[float, float]:
        """The chances, 0 to 1, that belong to `low` and `high`."""
        proven = self.answer.proven
        return win_rate(self.low, proven), win_rate(self.high, proven)


def even_lines(
    answerer: Answerer, inquiry: Inquiry, candidates: Sequence[Inquiry], *, nodes: int, count: int
) -> list[EvenLine]:
    """The `count` most even of `candidates`, which follow on `inquiry`; most even first.

    Twice as many are searched with `nodes` nodes each. To find these takes as much again.
    """
    finalists = _FINALISTS * count
    if len(candidates) > finalists:
        effort = Effort(nodes=nodes * finalists)
        found = most_even(weigher(answerer, effort), candidates, finalists)
        candidates = [Inquiry(each.game, each.played, each.position) for each in found]
    lines = [_judged(answerer, inquiry, each, nodes) for each in candidates]
    return sorted(lines, key=lambda line: unevenness(line.answer))[:count]


def _judged(answerer: Answerer, inquiry: Inquiry, found: Inquiry, nodes: int) -> EvenLine:
    answer = answerer.answer(found, Limits(nodes=nodes))
    values = [answer.value]
    if not answer.proven:
        # Of a book's answer the whole search is new, too.
        budgets = [nodes // part for part in _PARTS] + [nodes] * (answer.method is None)
        values += [_searched_value(answerer, answer, max(budget, 1)) for budget in budgets]
    return EvenLine(found.played[len(inquiry.played) :], answer, min(values), max(values))


def _searched_value(answerer: Answerer, answer: Answer, nodes: int) -> Value:
    return answerer.live.search(answer.game, answer.position, Limits(nodes=nodes)).value

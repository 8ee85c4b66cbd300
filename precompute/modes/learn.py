"""Growing a book by where it was wanting: games lost with it, then its misses."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from sqlalchemy import bindparam

from book.lessons import Lesson, Lessons
from book.misses import Misses
from book.rows.batches import AT_ONCE
from book.rows.encoding import AnyRow
from book.rows.known_moves import PositionRow, known_moves, with_children
from book.storage.schema import RestState, positions
from book.writer import PlannedTask, Task
from engine.game import Canonical, Key
from engine.position import Move
from engine.values import is_decisive
from precompute.modes.frontier import Bounds, GrowingFrontier, SearchMode, Site, new_task

_with_children = with_children(has_digests=True).where(positions.c.id == bindparam("id"))


@dataclass(frozen=True, slots=True)
class Learn(SearchMode):
    """The lessons of the book and its misses, until it holds `positions` positions."""

    positions: int | None = None

    def frontier(self, site: Site) -> "LearnFrontier":
        return LearnFrontier(site, self.positions)

    @property
    def bounds(self) -> Bounds:
        return Bounds(positions=self.positions)

    @property
    def decides(self) -> dict[str, object]:
        return {"mode": "learn"}


_Source = Callable[[Collection[Key], Collection[Key]], Iterable[Canonical]]


class _Learnt(NamedTuple):
    """With which of its moves a game is not lost again, and what is played instead; None: nothing
    better is found.
    """

    at: int
    instead: Move | None


class LearnFrontier(GrowingFrontier):
    """Adds what the lessons of the book ask for, then its misses, the most frequent first.

    Of a lost game the position is added in which it first went wrong. If the book would play the
    same move in it, the game is followed until it would not. If all moves lose in it by proof, the
    loser's move before is looked at. So the game is followed back and forth until the book would
    leave it, or has found nothing better.
    """

    def __init__(self, site: Site, most: int | None = None) -> None:
        super().__init__(site, most)
        self._misses = Misses(site.address)
        self._lessons = Lessons(site.address)

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        batch = self._pending_tasks(searching, self._batch_size)
        searching |= {task.key for task in batch}
        room = self._room(len(new))
        sources: tuple[_Source, ...] = (self._asked_by_lessons, self._missing)
        for wanted in sources:
            for position in wanted(new, searching):
                if room <= 0 or len(batch) >= self._batch_size:
                    return batch
                if position.key not in new:
                    batch += self._growth(new_task(position), searching)
                    new.add(position.key)
                    room -= 1
        return batch

    def _missing(self, new: Collection[Key], searching: Collection[Key]) -> list[Canonical]:
        """The misses still to be stored, in order; those stored by now leave the file."""
        while True:
            missed = self._misses.most_missed(self._game, AT_ONCE + len(new))
            stored = self._rows.find([position.key for position, _ in missed])
            if not stored:
                return [position for position, _ in missed]
            self._misses.forget(self._game, [row.stones for row in stored.values()])

    def _asked_by_lessons(
        self, new: Collection[Key], searching: Collection[Key]
    ) -> Iterator[Canonical]:
        """What the lessons want to be stored next; those that are learnt are noted as such."""
        for lesson in self._lessons.waiting(self._game, AT_ONCE):
            step = self._study(lesson, searching)
            if isinstance(step, _Learnt):
                self._lessons.learn(lesson, *step)
            elif step is not None:
                yield step

    def _study(self, lesson: Lesson, searching: Collection[Key]) -> Canonical | _Learnt | None:
        """What a lesson wants to be stored, or what was learnt from it; None: it has to wait."""
        game, count = self._game, len(lesson.moves)
        line = accumulate(lesson.moves, game.play, initial=game.initial)
        images = [game.canonical(position) for position in line]
        stored = self._rows.find([image.key for image in images[:count]])
        own = [
            at for at in range(lesson.first, count) if images[at].position.to_move is lesson.side
        ]
        at = _begins(lesson, own, [image.key in stored for image in images])
        is_back = False
        while at is not None:
            image = images[at]
            if image.key not in stored:
                return image
            row = stored[image.key]
            if row.rest_state == RestState.PENDING or image.key in searching:
                return None
            if row.proven and is_decisive(row.value) and row.value < 0:
                if at == own[0]:
                    break
                if images[at - 1].key not in stored:
                    return images[at - 1]
                at, is_back = at - 2, True
                continue
            best = self._best_move(row)
            if game.canonical(game.play(image.position, best)).key != images[at + 1].key:
                return _Learnt(at, game.map_move(best, game.inverse(image.symmetry)))
            if is_back or at + 2 >= count:
                break
            if images[at + 1].key not in stored:
                return images[at + 1]
            at += 2
        return _Learnt(own[0] if own else 0, None)

    def _best_move(self, row: AnyRow) -> Move:
        """The book's move in a stored position, in the canonical orientation."""
        found = self._rows.connection.execute(_with_children, {"id": row.id}).all()
        return known_moves(self._game, list(map(PositionRow._make, found)))[0].move


def _begins(lesson: Lesson, own: list[int], is_stored: list[bool]) -> int | None:
    """Where to look first: at the move that went wrong, or else at the first beyond the book."""
    if lesson.wrong in own:
        return lesson.wrong
    beyond = (at for at in own if not is_stored[at])
    return next(beyond, own[0] if own else None)

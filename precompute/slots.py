"""The cheapest rest slots of a book, of all or of those that are left to be done."""

import heapq
import math
from array import array
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat
from operator import attrgetter

from sqlalchemy import bindparam, func, select

from book.rows.encoding import AnyRow
from book.rows.lookup import GameRows
from book.rows.propagation import cost_of_losing, loss_cost, slot_cost, sweep_up, way_cost
from book.storage.schema import Wish, moves, positions, runs
from book.writer import PlannedTask, Task
from engine.game import Key
from engine.position import Side
from engine.values import Value, from_child

# So many positions may be looked at for one task: planning takes less time than searching.
_LOOKS_PER_TASK = 64
# More than any cost: there is no way.
_FAR = (1 << 31) - 1

_child_count = (
    select(func.count()).where(moves.c.parent == positions.c.id).scalar_subquery().label("children")
)
_position = select(positions, _child_count).where(positions.c.id == bindparam("id"))
_OF_CHILD = ("id", "stones", "value", "open_cost", "wish")
_open_children = (
    select(*(positions.c[name] for name in _OF_CHILD))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"), positions.c.open_cost.is_not(None))
)
# A row for each stored child, `value` and `wish` being the child's; one without them if none is.
_child = positions.alias("child")
_IN_SLOT = ("id", "ply", "proven", "rest_state", "rest_value", "rest_proven", "run")
_ways = select(
    *(positions.c[name] for name in _IN_SLOT),
    positions.c.value.label("own_value"),
    positions.c.wish.label("own_wish"),
    _child.c.id.label("child"),
    _child.c.value,
    _child.c.wish,
).select_from(
    positions.outerjoin(moves, moves.c.parent == positions.c.id).outerjoin(
        _child, _child.c.id == moves.c.child
    )
)
_ways_from = _ways.where(positions.c.id == bindparam("id"))
_all_ways = _ways.where(positions.c.game == bindparam("game")).order_by(
    positions.c.ply.desc(), positions.c.id
)
_searches = select(func.coalesce(func.sum(runs.c.searches), 0)).where(
    runs.c.game == bindparam("game")
)


@dataclass(frozen=True, slots=True)
class WayLimits:
    """What the moves of a way may give away, and how many there may be.

    `each` move, and all of them `together`, in winning probability from 0 to 1; None: anything. In
    a book for the side `own` its moves may give away `margin` each, and `each` is for those of the
    other. They count in the steps of the costs, which are parts of 4000. A way ends `plies` plies
    after the root; None: with the game.
    """

    each: float | None = None
    together: float | None = None
    own: Side | None = None
    margin: float = 0.0
    plies: int | None = None

    def as_dict(self) -> dict[str, object]:
        """The limits that are given, by the names under which plans and runs keep them."""
        limits: dict[str, object] = {
            "max_loss": self.each,
            "total_loss": self.together,
            "plies": self.plies,
        }
        if self.own is not None:
            limits |= {"side": self.own, "margin": self.margin}
        return {name: limit for name, limit in limits.items() if limit is not None}

    def after(self, given: int, row: AnyRow, best: Value, value: Value) -> int | None:
        """What a way has given away, in costs, after one more move of `value`, `given` before.

        None where it may not take that move from the position of `row`. `best` is the value of the
        best one.
        """
        loss = loss_cost(best, value)
        is_own = self.own is (Side.LIGHT if row.ply % 2 else Side.DARK)
        most = self.margin if is_own else self.each
        if most is not None and loss > cost_of_losing(most):
            return None
        if self.together is None:
            # Nobody asks; so the cheapest way to a position is as good as any.
            return 0
        return given + loss if given + loss <= cost_of_losing(self.together) else None


class Outlook:
    """What is known of the ways from a position on to the slots that are wanted: here, to all."""

    def wants(self, row: AnyRow) -> bool:
        """Whether a position's slot is wanted, if it is open."""
        return True

    def cost(self, row: AnyRow) -> int | None:
        """The cost of the cheapest way, None where there is none."""
        cost: int | None = row.open_cost
        return cost


class Undone(Outlook):
    """Knows the ways to open slots that were not last searched by one of the runs that are done.

    Only moves count that `limits` let each way take. The costs in the book are those of all open
    slots: they would lead to what is done again and again. The same sweep up is therefore made
    here in memory, without what is done; it keeps two numbers for each position. They follow from
    the rows alone: when these were read makes no difference.
    """

    def __init__(self, rows: GameRows, limits: WayLimits) -> None:
        self.done_count = 0
        self._rows = rows
        self._limits = limits
        self._done: Collection[int] = ()
        self._entered = Entered(rows)
        self._clear()

    def refresh(self, opened: Collection[PlannedTask], done: Collection[int]) -> None:
        """See what entered the book since the last call, `opened` being in the plan now."""
        self._done = done
        entered = self._entered.since(opened)
        if entered is None:
            self._load()
            return
        found = self._rows.find({task.key for task in entered})
        sweep_up(self._rows.connection, {row.id for row in found.values()}, self._read)

    def plan(self, batch: Iterable[Task]) -> None:
        """Be told what comes into the plan."""
        self._entered.plan(batch)

    def wants(self, row: AnyRow) -> bool:
        return row.run not in self._done

    def cost(self, row: AnyRow) -> int | None:
        cost = self._costs[row.id]
        return None if cost == _FAR else cost

    def _clear(self) -> None:
        self.done_count = 0
        # By the position's number. The states are what else the costs of its parents depend on.
        self._states: array[int] = array("i")
        self._costs: array[int] = array("i")

    def _load(self) -> None:
        self._clear()
        streamed = self._rows.connection.execute(
            _all_ways, {"game": self._rows.number}, execution_options={"stream_results": True}
        )
        for _, ways in groupby(streamed, attrgetter("id")):
            self._take_in(list(ways))

    def _read(self, id: int) -> bool:
        return self._take_in(self._rows.connection.execute(_ways_from, {"id": id}).all())

    def _take_in(self, ways: Sequence[AnyRow]) -> bool:
        """Note the cost of the position that `ways` lead from; returns whether it changed."""
        row = ways[0]
        children = [way for way in ways if way.child is not None]
        best, is_done = row.own_value, not self.wants(row)
        costs = [
            way_cost(best, child) + self._costs[child.child]
            for child in children
            if self._costs[child.child] != _FAR and self._may_take(row, from_child(child.value))
        ]
        own = slot_cost(row, best, row.proven, len(children))
        if own is not None and not is_done and self._may_take(row, row.rest_value):
            costs.append(own)
        if row.own_wish == Wish.NEVER:
            costs = []
        return self._set(row.id, 4 * best + 2 * row.proven + is_done, min(costs, default=_FAR))

    def _may_take(self, row: AnyRow, value: Value) -> bool:
        return self._limits.after(0, row, row.own_value, value) is not None

    def _set(self, id: int, state: int, cost: int) -> bool:
        for column in (self._states, self._costs):
            column.extend(repeat(_FAR, id + 1 - len(column)))
        before = self._states[id], self._costs[id]
        self.done_count += (state & 1) - (before[0] != _FAR and before[0] & 1)
        self._states[id], self._costs[id] = state, cost
        return before != (state, cost)


class CheapestSlots:
    """The positions whose rest slots are to be expanded, cheapest first, as an iterable.

    Best first from `root` (Hart, Nilsson, Raphael 1968); since each position knows the cost of
    the rest of the way, only positions on the ways to those slots are looked at. Of ways at equal
    cost the one with more of it behind comes first, then by stones.

    `outlook` tells the cost of the rest of a way. `limits` only close ways. A cost that does not
    know them is still a consistent lower bound: the order stays right, but positions may then be
    looked at in vain. `looked_at` counts all that were.
    """

    def __init__(self, rows: GameRows, root: AnyRow, limits: WayLimits, outlook: Outlook) -> None:
        self.looked_at = 0
        self._connection = rows.connection
        self._limits = limits
        # The last ply from which a way goes on.
        self._last_ply = math.inf if limits.plies is None else root.ply + limits.plies - 1
        self._outlook = outlook
        # Cost of the whole way, whether more is to come, minus the cost so far, stones, number,
        # and what the way gave away.
        self._queue: list[tuple[int, bool, int, bytes, int, int]] = []
        self._slots: dict[int, AnyRow] = {}
        self._queued: set[int] = set()
        cost = outlook.cost(root)
        if cost is not None and root.ply <= self._last_ply:
            self._queue.append((cost, True, 0, root.stones, root.id, 0))

    def __iter__(self) -> Iterator[AnyRow]:
        # The least that the ways so far gave away until each position. One that comes later costs
        # no less, but may have more left to give away.
        least: dict[int, int] = {}
        while self._queue:
            _, is_way, minus_cost, _, id, given = heapq.heappop(self._queue)
            if not is_way:
                yield self._slots.pop(id)
            elif given < least.get(id, given + 1):
                least[id] = given
                self._look_at(id, -minus_cost, given)

    def _look_at(self, id: int, cost: int, given: int) -> None:
        self.looked_at += 1
        row = self._connection.execute(_position, {"id": id}).one()
        own = slot_cost(row, row.value, row.proven, row.children)
        if own is not None and self._outlook.wants(row) and id not in self._queued:
            total = self._limits.after(given, row, row.value, row.rest_value)
            if total is not None:
                heapq.heappush(self._queue, (cost + own, False, -cost, row.stones, id, total))
                self._slots[id] = row
                self._queued.add(id)
        if row.ply == self._last_ply:
            return
        for child in self._connection.execute(_open_children, {"id": id}):
            on = self._outlook.cost(child)
            total = self._limits.after(given, row, row.value, from_child(child.value))
            if on is not None and total is not None:
                so_far = cost + way_cost(row.value, child)
                way = (so_far + on, True, -so_far, child.stones, child.id, total)
                heapq.heappush(self._queue, way)


class SlotsByTurns:
    """The cheapest slots below each of several roots, one from each in turn, as an iterable.

    The root whose turn number `turn` is begins. What lies below two roots may come twice.
    """

    def __init__(self, below: Sequence[CheapestSlots], turn: int) -> None:
        self._below = below
        self._turn = turn

    def __iter__(self) -> Iterator[AnyRow]:
        waiting = deque(map(iter, self._below))
        waiting.rotate(-self._turn)
        while waiting:
            slots = waiting.popleft()
            slot = next(slots, None)
            if slot is not None:
                waiting.append(slots)
                yield slot

    @property
    def looked_at(self) -> int:
        """How many positions were, below all roots together."""
        return sum(slots.looked_at for slots in self._below)

    def enough(self, batch_size: int) -> int:
        """How many tasks make a batch: more where many positions had to be looked at for them."""
        return max(batch_size, self.looked_at // _LOOKS_PER_TASK)


class Entered:
    """Tells what of a game's plan has entered the book from batch to batch."""

    def __init__(self, rows: GameRows) -> None:
        self._rows = rows
        self._planned: Mapping[tuple[Key, bool], Task] = {}
        self._searches = -1

    def since(self, opened: Collection[PlannedTask]) -> list[Task] | None:
        """The tasks that have, by whomever, since the last call; None if not all are known.

        `opened` are those that are in the plan now.
        """
        in_plan = {(each.task.key, each.task.new): each.task for each in opened}
        entered = [task for name, task in self._planned.items() if name not in in_plan]
        searches = self._rows.select(_searches)[0][0]
        is_all = searches == self._searches + len(entered)
        self._planned, self._searches = in_plan, searches
        return entered if is_all else None

    def plan(self, batch: Iterable[Task]) -> None:
        """Say what came into the plan after that."""
        self._planned = {**self._planned, **{(task.key, task.new): task for task in batch}}

"""The plan in a book: searches decided on, who is at them, and their results until they enter.

One builder takes the searches in their order. Of several, which a PostgreSQL book may have, each
leases those that it begins: nobody else begins a search before its lease is over, and a lease
is renewed as long as its builder lives. So what a lost builder had is taken up by another.
"""

import os
import secrets
import socket
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import timedelta

from sqlalchemy import (
    Connection,
    Interval,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from book.closing import Closing
from book.errors import BookError
from book.rows.digests import DigestChanges, digest_of
from book.rows.encoding import AnyRow, Searched, join_keys, split_keys
from book.storage.schema import tasks
from book.writer import BookWriter, PlannedTask, Task

_of_game = tasks.c.game == bindparam("in_game")
_searched = tasks.c.result.is_not(None)
_all = select(tasks).where(_of_game).order_by(tasks.c.id)
_first = select(tasks.c.batch).where(_of_game).order_by(tasks.c.id).limit(1)
_unsearched = select(tasks.c.id).where(_of_game, tasks.c.batch == bindparam("at"), ~_searched)
_of_batch = _all.where(tasks.c.batch == bindparam("at"))
_others = _all.where(~_searched, tasks.c.id.not_in(bindparam("taken", expanding=True))).limit(
    bindparam("most")
)
_batches = select(func.max(tasks.c.batch), func.count(tasks.c.batch.distinct())).where(_of_game)
_keep = (
    update(tasks)
    .where(tasks.c.id == bindparam("at"), ~_searched)
    .values(result=bindparam("found"), digest=bindparam("sum"), leased_by=None, leased_until=None)
)
_waiting = select(tasks).where(tasks.c.id == bindparam("at"), ~_searched)

_now = func.clock_timestamp()
_lease_end = _now + bindparam("time", type_=Interval)
_nobody = {"leased_by": None, "leased_until": None}
_mine = and_(_of_game, tasks.c.leased_by == bindparam("me"))
_free = (
    _all.where(
        ~_searched,
        or_(
            tasks.c.leased_by.is_(None),
            # What is over of one's own leases is renewed, not begun again.
            and_(tasks.c.leased_by != bindparam("me"), tasks.c.leased_until < _now),
        ),
    )
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_lease = (
    update(tasks)
    .where(tasks.c.id == bindparam("at"))
    .values(leased_by=bindparam("me"), leased_until=_lease_end)
)
# What is locked is being kept, or leased to another.
_renewable = select(tasks.c.id).where(_mine).with_for_update(skip_locked=True)
_renew = update(tasks).where(tasks.c.id.in_(_renewable)).values(leased_until=_lease_end)
_release = update(tasks).where(tasks.c.id.in_(_renewable)).values(_nobody)
_release_others = (
    update(tasks)
    .where(_mine, tasks.c.id.not_in(bindparam("in_flight", expanding=True)))
    .values(_nobody)
)
_release_all = update(tasks).where(_of_game).values(_nobody)


# A server that took the connection may still not answer.
_SECONDS_TO_LEAVE = 10.0


class Plan(Closing):
    """The plan for one game of a book with one builder. A context manager.

    `limits` is a text of what decides the results of searches; what was planned with another is
    dropped.
    """

    def __init__(self, writer: BookWriter, limits: str) -> None:
        self._writer = writer
        self._limits = limits
        self._game = {"in_game": writer.rows.number}
        self._taken: set[int] = set()
        writer.lasting(self._begin)

    def _begin(self, connection: Connection) -> None:
        """Take over the plan that is there."""
        if self._writer.alone:
            digests = DigestChanges(self._writer.rows)
            digests.forget_tasks(
                tasks.c.game == self._writer.rows.number, tasks.c.limits != self._limits
            )
            digests.store()

    def close(self) -> None:
        """Leave what was not searched to others."""

    def enter_alone(self, connection: Connection) -> None:
        """Have nobody else enter batches or plan, to the transaction's end."""

    def take(self, connection: Connection, most: int) -> list[PlannedTask]:
        """The next searches that nobody is at, to be begun by the caller."""
        values = self._game | {"taken": list(self._taken), "most": most}
        taken = [self._planned(row) for row in connection.execute(_others, values)]
        self._taken |= {planned.id for planned in taken}
        return taken

    def leave(self, connection: Connection, in_flight: Collection[int]) -> None:
        """Leave what was taken to others, but for the searches of these numbers."""
        self._taken = set(in_flight)

    def keep(self, connection: Connection, task_id: int, searched: Searched) -> bool:
        """Store a result with its task: it is not lost should the builder be killed.

        Returns whether the task was still waiting for one.
        """
        self._taken.discard(task_id)
        waiting = connection.execute(_waiting, {"at": task_id}).one_or_none()
        if waiting is None:
            return False
        found = searched.to_json()
        digest = digest_of(tasks, waiting._asdict() | {"result": found})
        values = {"at": task_id, "found": found, "sum": digest}
        return connection.execute(_keep, values).rowcount == 1

    def ripe(self, connection: Connection) -> bool:
        """Whether the oldest batch has all its results."""
        return self._oldest_if_ripe(connection) is not None

    def ripe_batch(self, connection: Connection) -> list[PlannedTask]:
        """The oldest batch if it has all its results, else nothing."""
        number = self._oldest_if_ripe(connection)
        if number is None:
            return []
        rows = connection.execute(_of_batch, self._game | {"at": number})
        return [self._planned(row) for row in rows]

    def opened(self, connection: Connection) -> list[PlannedTask]:
        """All searches of the plan, in order."""
        return [self._planned(row) for row in connection.execute(_all, self._game)]

    def _planned(self, row: AnyRow) -> PlannedTask:
        result = row.result
        return PlannedTask(
            row.id,
            row.batch,
            Task(row.key, row.stones, row.new, frozenset(split_keys(row.excluded))),
            None if result is None else Searched.from_json(result, self._writer.game),
        )

    def batches(self, connection: Connection) -> tuple[int, int]:
        """The number of the last batch, 0 if there is none, and how many there are."""
        last, count = connection.execute(_batches, self._game).one()
        return last or 0, count

    def add(self, connection: Connection, number: int, chosen: Sequence[Task]) -> None:
        """Put tasks into the plan as the batch of this number."""
        rows = [
            {
                "game": self._writer.rows.number,
                "batch": number,
                "key": task.key,
                "stones": task.stones,
                "new": task.new,
                "excluded": join_keys(task.excluded),
                "limits": self._limits,
            }
            for task in chosen
        ]
        connection.execute(insert(tasks), rows)
        digests = DigestChanges(self._writer.rows)
        digests.seal(tasks, tasks.c.game == self._writer.rows.number, tasks.c.batch == number)
        digests.store()

    def empty(self, connection: Connection) -> bool:
        """Whether no search is planned."""
        return connection.execute(_first, self._game).scalar() is None

    def _oldest_if_ripe(self, connection: Connection) -> int | None:
        oldest = connection.execute(_first, self._game).scalar()
        if oldest is None:
            return None
        waits = connection.execute(_unsearched.limit(1), self._game | {"at": oldest}).scalar()
        return oldest if waits is None else None


class LeasedPlan(Plan):
    """The plan for one game of a book that several builders share.

    A lease lasts `seconds` unless it is renewed, which a thread does until the plan is closed.
    """

    def __init__(self, writer: BookWriter, limits: str, seconds: float) -> None:
        super().__init__(writer, limits)
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._me = {"me": name}
        self._time = {"time": timedelta(seconds=seconds)}
        # Nobody can have what is locked by a transaction, whatever becomes of its lease.
        writer.limit_silence(seconds)
        self._closed = threading.Event()
        self._renewing = threading.Thread(
            target=self._renew_each, args=(seconds / 3,), daemon=True, name="leases"
        )
        self._renewing.start()

    def _begin(self, connection: Connection) -> None:
        super()._begin(connection)
        if self._writer.alone:
            # Whoever had them is no more.
            connection.execute(_release_all, self._game)

    def close(self) -> None:
        self._closed.set()
        # Where the server does not answer, the leases end by themselves.
        self._renewing.join(_SECONDS_TO_LEAVE)

    def leave(self, connection: Connection, in_flight: Collection[int]) -> None:
        values = self._game | self._me | {"in_flight": list(in_flight)}
        connection.execute(_release_others, values)

    def enter_alone(self, connection: Connection) -> None:
        self._writer.store.lock_for_entering(connection)

    def take(self, connection: Connection, most: int) -> list[PlannedTask]:
        rows = connection.execute(_free, self._game | self._me | {"most": most}).all()
        if rows:
            lease = self._me | self._time
            connection.execute(_lease, [lease | {"at": row.id} for row in rows])
        return [self._planned(row) for row in rows]

    def _renew_each(self, seconds: float) -> None:
        while not self._closed.wait(seconds):
            # One that could not be renewed may be so the next time, or is another's by then.
            with suppress(BookError):
                self._writer.aside(_renew, self._game | self._me | self._time)
        with suppress(BookError):
            self._writer.aside(_release, self._game | self._me)


def open_plan(writer: BookWriter, limits: str, lease: float) -> Plan:
    """The plan for the game of `writer`; where it may be shared, a lease lasts `lease` seconds."""
    if writer.store.is_shareable:
        return LeasedPlan(writer, limits, lease)
    return Plan(writer, limits)

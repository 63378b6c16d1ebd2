"""The log of one bandit in a store, and the replica that follows it."""

from __future__ import annotations

import contextlib
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lowbid._require import require_whole
from lowbid._version import __version__
from lowbid.errors import (
    FileFormatError,
    InvalidValueError,
    LowbidError,
    StoreError,
    StoreUnavailableError,
)
from lowbid.policies import Policy
from lowbid.shared._calls import Call, Reply
from lowbid.shared._clocks import Clock, ClockWatch, time_by
from lowbid.shared._events import (
    ADMINISTRATIVE,
    CORRECTING,
    LOG_FORMAT,
    Created,
    Event,
    LoggedEvent,
    event_of,
    logged,
)
from lowbid.shared._memory import OUTCOMES, REFUSED, REQUESTS, STICKY_ARMS, KeyedMemory
from lowbid.shared._propensities import DrawnChoice
from lowbid.shared._replica import DecideCommand, Replica
from lowbid.shared._snapshots import replica_of, snapshot_of
from lowbid.shared.stores import FIRST_PAUSE, LONGEST_PAUSE, Patience, Store, Transaction

# A snapshot is taken after this many events, or later if it is large: this many bytes per event.
SNAPSHOT_EVERY = 1000
_BYTES_PER_EVENT = 100
# A replica that is further behind than this many times the events between snapshots loads one.
_FAR_BEHIND = 5


# Calls give up together if they came within this many seconds.
_TOGETHER = 0.1

_Answered = tuple[Call, Any, LowbidError | None]  # a call, and its answer or its error


class _CallFailedError(Exception):
    """A call that failed while its event was applied."""

    def __init__(self, call: Call, error: Exception) -> None:
        super().__init__(str(error))
        self.call, self.error = call, error


class Compaction(NamedTuple):
    """What `compact` dropped from a log.

    Attributes
    ----------
    events : int
        Events that the snapshot covers.
    answers : int
        Request ids and outcomes that are no longer recognised when they are repeated.
    units : int
        Units that no longer keep their arm.
    """

    events: int
    answers: int
    units: int


class SharedLog:
    """One bandit's events, and this process's replica of its state.

    One thread at a time uses it. Whatever happens, the replica agrees with the log or is rebuilt
    from it.

    Parameters
    ----------
    store : Store
        Where the log is.
    bandit : int
        The bandit's key there.
    name : str
        Its name, for errors.
    policy : Policy or None
        The policy, if its code is not part of lowbid.
    clock : function or None
        What tests give in place of the store's clock.
    """

    def __init__(
        self, store: Store, bandit: int, name: str, policy: Policy | None, clock: Clock = None
    ) -> None:
        self.store, self.bandit, self.name = store, bandit, name
        self._policy, self._given_clock = policy, clock
        self._turn = threading.Lock()
        self._replica: Replica | None = None
        # The word that it was created with, once known: in a store that was replaced, another
        # bandit may have its key.
        self._origin: str | None = None
        self._snapshot_at, self._snapshot_every = 0, SNAPSHOT_EVERY
        self._process, self._commits = secrets.token_hex(8), 0
        # Called with committed choices whose propensity is still to be estimated.
        self.on_drawn: Callable[[list[DrawnChoice]], None] = lambda choices: None
        self._clock = ClockWatch()
        self._taken = 0.0  # the seconds that the last calls took, for which others waited
        # The commit in progress: its first event and its name.
        self._trying: tuple[int, str] | None = None

    def forked(self, intact: bool) -> None:
        """Continue in a process forked from the one that opened the log."""
        self._turn = threading.Lock()
        self.store.abandon()
        self._process = secrets.token_hex(8)
        if not intact:
            self._replica = None
        if self._replica is not None:
            self._replica.word = _new_word()

    def carry_out(self, calls: Sequence[Call]) -> None:
        """Answer calls, in order, in one transaction; wait for the store if it is unavailable."""
        with self._turn, self.store.one_call() as patience:
            now = time.monotonic()
            for call in calls:  # a moment in which this process did not run is not in `_taken`
                call.waited = min(now - call.since, self._taken)
            patience.change(-max((call.waited for call in calls), default=0.0))
            try:
                self._carry_out(calls, patience)
            finally:
                patience.is_over(self.store.patience)
                self._taken = patience.taken

    def _carry_out(self, calls: Sequence[Call], patience: Patience) -> None:
        pause = FIRST_PAUSE
        while calls := [call for call in calls if not call.done]:
            try:
                self._attempt(calls, patience)
            except _CallFailedError as failed:
                failed.call.fail(failed.error)
            except StoreUnavailableError as error:
                if patience.ends_after_failure(self.store.patience):
                    _fail_first(calls, error, patience)
                    continue
                time.sleep(pause)
                pause = min(2.0 * pause, LONGEST_PAUSE)
            except Exception as error:
                self._carry_out_apart(calls, patience, error)
                return

    def _carry_out_apart(self, calls: Sequence[Call], patience: Patience, error: Exception) -> None:
        """Carry out calls in two halves, as the store refused them together.

        What it refuses may be the content of a single call, which then fails alone.
        """
        if len(calls) == 1 or patience.ends_after_failure(self.store.patience):
            _fail(calls, error)
            return
        middle = len(calls) // 2
        for some in (calls[:middle], calls[middle:]):
            self._carry_out(some, patience)

    def _attempt(self, calls: Sequence[Call], patience: Patience) -> None:
        """Try to answer calls; if that fails, check whether the commit happened after all."""
        answers: list[_Answered] = []
        self._trying = None
        try:
            with self.store.transaction(write=any(call.writes for call in calls)) as transaction:
                replica = self._act(transaction, calls, answers)
            self._replica = replica  # only now does it agree with the log
            self.on_drawn(replica.drawn)
            replica.drawn = []
        except BaseException as error:
            if self._trying is None or not self._is_settled(*self._trying, patience):
                raise
            if not isinstance(error, Exception):
                _deliver(answers)
                raise
        _deliver(answers)
        self._clock.report(self.name, self.store.address)

    def _act(
        self,
        transaction: Transaction,
        calls: Sequence[Call],
        answers: list[_Answered],
    ) -> Replica:
        """Apply what others wrote, then carry out the calls; return the new replica."""
        replica, now = self._follow(transaction)
        wanted = (key for call in calls for key in call.wanted(replica))
        memory = KeyedMemory(transaction, self.bandit, wanted)
        self._commits += 1
        batch = f"{self._process}-{self._commits}"
        rows: list[LoggedEvent] = []
        first, every = replica.number + 1, self._snapshot_every
        self._clock.ahead = replica.time - now
        moment = max(now, replica.time)  # log times never decrease, even if the clock is set back
        for call in calls:
            try:
                plan = call.plan(replica, memory, moment)
            except LowbidError as error:
                answers.append((call, None, error))
                continue
            if isinstance(plan, Reply):
                answers.append((call, plan.value, None))
                continue
            number = replica.number + 1
            try:
                if isinstance(plan, DecideCommand):
                    event: Event = replica.decide(number, moment, plan)
                elif replica.must_replay(event := plan, moment):
                    rows.append(logged(number, moment, event, batch))
                    transaction.append(self.bandit, rows)
                    rows, every = [], 0  # others begin with a snapshot
                    replica = self._replayed(transaction, replica)
                    answers.append((call, call.conclude(replica, memory, event), None))
                    continue
                else:
                    replica.apply(number, moment, event)
                answers.append((call, call.conclude(replica, memory, event), None))
                rows.append(logged(number, moment, event, batch))
            except Exception as error:
                raise _CallFailedError(call, error) from error
        if replica.number >= first:
            if rows:
                transaction.append(self.bandit, rows)
            memory.write(moment)
            replica.batch = batch
            self._keep_snapshot(transaction, replica, every)
            self._trying = first, batch
        return replica

    def _replayed(self, transaction: Transaction, replica: Replica) -> Replica:
        """The replica made again from the log, whose last event corrects earlier ones."""
        made = self._from_the_start(transaction)
        if made is None:
            raise InvalidValueError(
                f"outcomes of bandit {self.name!r} cannot be corrected any more: compact() dropped "
                "events that would have to be replayed without the wrong values. Nothing has "
                "changed. Outcomes whose windows are still open can be amended."
            )
        made.word, made.drawn = replica.word, replica.drawn
        return made

    def _is_settled(self, number: int, batch: str, patience: Patience) -> bool:
        """Whether a commit that got no answer has happened, according to the log.

        It is looked up under the bandit's lock: the server may still be at work on it. That is
        tried at least once, even if the call has used up its patience.
        """
        while True:
            try:
                self.store.close()
                with self.store.transaction(write=True) as transaction:
                    transaction.lock(self.bandit)
                    found = transaction.event(self.bandit, number)
                return found is not None and found.batch == batch
            except StoreUnavailableError as error:
                if patience.ends_after_failure(self.store.patience):
                    raise StoreError(
                        f"the store {self.store.address} became unavailable during a commit, so "
                        "it is not known whether the commit happened. Repeat the call with its "
                        "request id, or report the outcome again: nothing counts twice."
                    ) from error
                time.sleep(FIRST_PAUSE)

    def opened(self) -> Replica:
        """The current replica; if it took many events to build, also store a snapshot."""
        with self.store.transaction(write=False) as transaction:
            self._replica = replica = self._follow(transaction)[0]
        if replica.number - self._snapshot_at >= self._snapshot_every:
            with contextlib.suppress(StoreError), self.store.transaction(write=True) as transaction:
                self._replica = self._follow(transaction)[0]
                self._keep_snapshot(transaction, self._replica, self._snapshot_every)
        return replica

    def _follow(self, transaction: Transaction) -> tuple[Replica, int]:
        """The replica as of the last event, and the time by the store's clock.

        The caller owns it until it is put back: whatever happens meanwhile, no replica that is
        ahead of the log or half-updated is left behind.
        """
        head = transaction.lock(self.bandit)
        if head is None:
            self._replica = None
            raise self._gone()
        if head.format > LOG_FORMAT:
            raise StoreError(
                f"the log of bandit {self.name!r} in {self.store.address} has format "
                f"{head.format}; this lowbid ({__version__}) reads up to {LOG_FORMAT}. Upgrade "
                "lowbid to use it."
            )
        replica, self._replica = self._replica, None
        if replica is not None:
            far = replica.number + _FAR_BEHIND * self._snapshot_every
            replica = self._caught_up(transaction, replica, far)
        replica = replica or self._loaded(transaction)
        self._require_own(replica.origin)
        return replica, time_by(self._given_clock, head.now)

    def _require_own(self, origin: str) -> None:
        """Refuse another bandit's log."""
        if origin != (self._origin or origin):
            raise self._gone()
        self._origin = origin

    def _gone(self) -> StoreError:
        return StoreError(
            f"bandit {self.name!r} is no longer in the store {self.store.address}: it was deleted, "
            "or the store was replaced by another. Open it again to start a new one."
        )

    def _caught_up(
        self, transaction: Transaction, replica: Replica, far: float = math.inf
    ) -> Replica | None:
        """Apply new events; None if the log does not continue from this replica.

        It does not if events in between were compacted away or correct what the replica was made
        from, if there are events after the number `far`, or if the store was replaced by an earlier
        copy or by another store.
        """
        rows = transaction.events(self.bandit, replica.number - 1)
        known = next(rows, None)
        if known is None or known.number != replica.number:
            return None
        if known.batch != (replica.batch or known.batch):
            return None
        replica.batch = known.batch
        for row in rows:
            if row.number != replica.number + 1 or row.number > far:
                return None
            event = self._event_of(row)
            if row.number > replica.corrections.last and replica.must_replay(event, row.time):
                return None
            replica.apply(row.number, row.time, event)
            replica.batch = row.batch
        return replica

    def _event_of(self, row: LoggedEvent) -> Event:
        """An event of the log, or an error that says where it is and what to do."""
        try:
            return event_of(row)
        except FileFormatError as error:
            raise FileFormatError(
                f"the log of bandit {self.name!r} in {self.store.address} cannot be read: {error} "
                f"If a newer lowbid than {__version__} wrote it, upgrade; otherwise restore the "
                "store from a copy."
            ) from error

    def _loaded(self, transaction: Transaction) -> Replica:
        """The replica from the snapshot and the events after it, or from all events."""
        snapshot = transaction.snapshot(self.bandit)
        replica = None if snapshot is None else replica_of(snapshot, self._policy)
        if replica is not None:
            self._note_snapshot(replica, snapshot or b"")
            replica = self._continued(transaction, replica)
        if replica is None:
            self._snapshot_at = 0
            replica = self._from_the_start(transaction)
        if replica is None:
            raise FileFormatError(
                f"the log of bandit {self.name!r} in {self.store.address} is incomplete, and there "
                "is no snapshot that this lowbid can read to start from. Restore the store from a "
                "copy, or use the lowbid that compacted it."
            )
        # Of decisions that this process made before, some may be missing in the log: a standby was
        # promoted that did not have them yet, or an earlier copy was restored.
        replica.word = _new_word()
        return replica

    def _continued(self, transaction: Transaction, replica: Replica) -> Replica | None:
        """A replica from a snapshot, with the events since; None if they do not fit."""
        try:
            return self._caught_up(transaction, replica)
        except (LookupError, TypeError, ValueError):  # if it was not the snapshot's fault, again
            return None

    def _from_the_start(self, transaction: Transaction) -> Replica | None:
        """The replica from all events; None if some are missing."""
        rows = transaction.events(self.bandit, 0)
        first = next(rows, None)
        created = None if first is None else self._event_of(first)
        if first is None or not isinstance(created, Created):
            return None
        replica = Replica(created, first.number, first.time, self._policy)
        for row in rows:
            if row.name in CORRECTING:
                replica.correct(row.number, self._event_of(row))
        return self._caught_up(transaction, replica)

    def _keep_snapshot(self, transaction: Transaction, replica: Replica, every: int) -> None:
        if replica.number - self._snapshot_at >= every:
            snapshot = snapshot_of(replica)
            transaction.keep_snapshot(self.bandit, snapshot)
            self._note_snapshot(replica, snapshot)

    def _note_snapshot(self, replica: Replica, snapshot: bytes) -> None:
        self._snapshot_at = replica.number
        self._snapshot_every = max(SNAPSHOT_EVERY, len(snapshot) // _BYTES_PER_EVENT)

    def read(self, after: int) -> Iterator[LoggedEvent]:
        """The events of the log after a number, in order, on a separate connection."""
        after = require_whole("after", after, at_least=0)
        store = self.store.apart()
        try:
            with store.transaction(write=False) as transaction:
                first = transaction.event(self.bandit, 1)
                created = None if first is None else self._event_of(first)
                if isinstance(created, Created):
                    self._require_own(created.word)
                yield from transaction.events(self.bandit, after)
        finally:
            store.close()

    def compact(self, keep_events: int, keep_answers: int) -> Compaction:
        """Drop events and answers older than this, in microseconds, that are no longer needed."""
        with self._turn:
            with self.store.one_call(), self.store.transaction(write=True) as transaction:
                dropped = self._compacted(transaction, keep_events, keep_answers)
            with contextlib.suppress(StoreError):  # the next time, then
                self.store.give_back()
        return dropped

    def _compacted(
        self, transaction: Transaction, keep_events: int, keep_answers: int
    ) -> Compaction:
        replica, now = self._follow(transaction)
        self._replica = replica
        snapshot = snapshot_of(replica)
        read_back = replica_of(snapshot, self._policy)
        if read_back is None or read_back.to_data() != replica.to_data():
            raise StoreError("a snapshot of this bandit cannot be read; nothing was dropped.")
        transaction.keep_snapshot(self.bandit, snapshot)
        self._note_snapshot(replica, snapshot)
        # Ages are by the log's time: the clock here may be ahead of those of the processes that
        # write, which look for commits whose answer was lost, and for the arms of units.
        latest = min(now, replica.time + 1)
        # The newest event stays: a process that has not read it notices that events are
        # missing.
        events = transaction.drop_events(
            self.bandit, replica.number - 1, latest - keep_events, ADMINISTRATIVE
        )
        sticky, answers = replica.settings.sticky, 0
        for space in (REQUESTS, OUTCOMES, REFUSED):
            answers += transaction.forget(self.bandit, space, latest - keep_answers)
        units = 0
        if sticky is not True:
            units = transaction.forget(self.bandit, STICKY_ARMS, latest - int(sticky))
        return Compaction(events, answers, units)

    def close(self) -> None:
        """Release the store until the next call."""
        with self._turn:
            self.store.close()


def _new_word() -> str:
    return secrets.token_hex(6)


def _deliver(answers: list[_Answered]) -> None:
    for call, value, error in answers:
        if error is None:
            call.succeed(value)
        else:
            call.fail(error)


def _fail_first(calls: Sequence[Call], error: Exception, patience: Patience) -> None:
    """Fail those calls that have waited longest, whose patience is over; the others go on."""
    longest = max(call.waited for call in calls)
    _fail([call for call in calls if longest - call.waited <= _TOGETHER], error)
    left = [call.waited for call in calls if not call.done]
    patience.change(longest - max(left, default=longest))


def _fail(calls: Sequence[Call], error: Exception) -> None:
    for call in calls:
        call.fail(error)

"""A bandit that many processes play without asking each other before each decision."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, overload

from lowbid._compile import When
from lowbid.errors import InvalidValueError, LowbidError, UnknownNameError
from lowbid.online import (
    MANY,
    ONE,
    Arm,
    BanditViews,
    Core,
    Decision,
    Rejection,
    Seen,
    described,
    read_kind,
    read_list,
    read_number_of_decisions,
)
from lowbid.policies import Policy
from lowbid.shared._forks import continue_in_children
from lowbid.shared._lift import Lift
from lowbid.shared.fleet._exchange import Exchange
from lowbid.shared.fleet._journal import Journal
from lowbid.shared.fleet._member import Member, new_process
from lowbid.shared.fleet._settings import FleetSettings, read_fleet, write_fleet
from lowbid.shared.fleet._totals import read_row
from lowbid.shared.stores import Store

_OPEN: weakref.WeakSet[FleetBandit] = weakref.WeakSet()


class FleetStatus(NamedTuple):
    """How well a process is connected to its fleet.

    Attributes
    ----------
    process : str
        The id of this process's row.
    processes : int
        How many rows there were at the last exchange, this one's included.
    age : float
        How many seconds ago this process last read what the others know.
    unsent : int
        How many outcomes are not known to be in the store.
    weight : int
        How many decisions the fleet makes while this process makes one.
    error : str
        Why the last exchange failed; empty if it did not.
    """

    process: str
    processes: int
    age: float
    unsent: int
    weight: int
    error: str


class FleetBandit(BanditViews):
    """A bandit of many processes that exchange totals occasionally; see `lowbid.open`.

    Each process decides in memory, by what all of them had learned at the last exchange and by what
    it has learned itself since. No decision waits for the store.
    """

    _exchange: Exchange

    def __init__(
        self,
        store: Store,
        fleet: int,
        name: str,
        settings: FleetSettings,
        policy: Policy,
        journal: str | os.PathLike[str] | None = None,
        compiled: When | None = None,
    ) -> None:
        self.name, self._store, self._fleet = name, store, fleet
        self._policy, self._compiled = policy, compiled
        self._interval = settings.exchange / 1e6
        self._journal = None if journal is None else Journal(journal, f"{store.address} {name}")
        self._member = Member(settings, policy, new_process(), compiled)
        self._begin()
        if self._journal is not None:
            self._recover(self._journal)
        self.exchange()
        self._start()
        continue_in_children(self)
        _OPEN.add(self)

    # Choose, and learn

    @overload
    def decide(self, *, unit: str | None = ...) -> Decision: ...
    @overload
    def decide(self, n: int, *, unit: str | None = ...) -> list[Decision]: ...
    def decide(self, n: int | None = None, *, unit: str | None = None) -> Decision | list[Decision]:
        """Choose an arm, and record that its outcome is pending in this process.

        Parameters
        ----------
        n : int, optional
            Return a list of this many decisions, all made before any of their outcomes; at most
            100,000.
        unit : str, optional
            The customer, device or other unit that the decision is for. With a ``holdout``, a unit
            is always in it or never, in all processes.
        """
        many = read_number_of_decisions(n)
        if unit is not None and not isinstance(unit, str):
            raise InvalidValueError(f"unit is {unit!r}; give a text.")
        with self._lock:
            self._require_open()
            member = self._member
            return (
                member.decide(unit) if many is None else [member.decide(unit) for _ in range(many)]
            )

    def update(
        self,
        what: Arm | Decision,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
    ) -> Rejection | None:
        """Report the outcome of an arm, or of a decision of this process.

        Parameters
        ----------
        what : str, int or Decision
            The name of an arm, or a decision that `decide` returned in this process.
        loss, reward : float
            One of the two, and always the same one.

        Returns
        -------
        None, "closed" or "removed"
            None if it was recorded. Otherwise nothing has changed: the decision was answered or
            forgotten before, or its arm was removed.
        """
        kind = read_kind(ONE, bare, loss, reward)
        value = loss if kind == "loss" else reward
        with self._lock:
            self._require_open()
            return self._take_in([(what, self._read(kind, value))])[0]

    def update_many(
        self,
        what: Iterable[Arm | Decision],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> list[Rejection | None]:
        """Report the outcomes of many arms or decisions: all are recorded, or none if one is wrong.

        Returns
        -------
        list
            What `update` would return for each.
        """
        kind = read_kind(MANY, bare, losses, rewards)
        values = read_list("the list of values", losses if kind == "loss" else rewards)
        items = read_list("the list of arms or decisions", what)
        if len(items) != len(values):
            raise InvalidValueError(
                f"there are {len(items)} arms or decisions, but {len(values)} values; give one "
                "for each."
            )
        with self._lock:
            self._require_open()
            given = [
                (item, self._read(kind, value)) for item, value in zip(items, values, strict=True)
            ]
            for item in items:
                self._status(item)
            return self._take_in(given)

    def forget(self, decision: Decision) -> Rejection | None:
        """Discard a pending decision; returns the same values as `update`."""
        if not isinstance(decision, Decision):
            raise InvalidValueError(f"{decision!r} is not a decision; give one made by decide().")
        with self._lock:
            self._require_open()
            self._status(decision)
            return self._member.forget(decision)

    def pending(self) -> list[Decision]:
        """The decisions of this process whose outcomes are pending, oldest first; holdouts last."""
        with self._lock:
            own, held = self._member.own.decisions, self._member.holdout.decisions
            return [*own.pending(), *held.pending()]

    def _read(self, kind: Any, value: Any) -> float:
        own = self._member.own
        return own.read(value, own.feedback_of(kind))

    def _status(self, what: Arm | Decision) -> Rejection | None:
        try:
            return self._member.status(what)
        except UnknownNameError as error:
            if not isinstance(what, Decision):
                raise
            raise UnknownNameError(
                f"decision {what.id!r} was not made by this process, or before it was restarted: "
                "report its outcome there, or count it without its decision, by its arm: "
                f"update({what.arm!r}, ...)."
            ) from error

    def _take_in(self, given: list[tuple[Arm | Decision, float]]) -> list[Rejection | None]:
        answers = []
        for what, value in given:
            rejection, since = self._status(what), self._member.since
            if rejection is None:
                self._member.take_in(what, value)
                if self._journal is not None:
                    self._journal.add(since[-1])
            answers.append(rejection)
        return answers

    # Arms come and go

    def add_arm(self, arm: Arm) -> None:
        """Add an arm about which nothing is known; the others follow at their next exchange."""
        self._change(lambda settings: settings.with_arm(arm))

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm for good; the others follow at their next exchange."""
        self._change(lambda settings: settings.without(arm), arm)

    def pause_arm(self, arm: Arm) -> None:
        """Stop choosing an arm until `resume_arm`; the others follow at their next exchange."""
        self._change(lambda settings: settings.with_paused(arm), arm)

    def resume_arm(self, arm: Arm) -> None:
        """Let a paused arm be chosen again; the others follow at their next exchange."""
        self._change(lambda settings: settings.with_resumed(arm), arm)

    def _change(
        self, change: Callable[[FleetSettings], FleetSettings], arm: Arm | None = None
    ) -> None:
        """Change the settings of the whole fleet."""
        self._require_open()
        self.exchange()
        if arm is not None and self._view(lambda core: core.roster.status(arm)) == "removed":
            raise UnknownNameError(f"arm {arm!r} was removed.")
        with self._exchanging:
            with self._store.transaction(write=True) as transaction:
                transaction.lock(self._fleet)
                write_fleet(transaction, self._fleet, change(read_fleet(transaction, self._fleet)))
            self._exchange.run()

    # Exchange

    def exchange(self) -> None:
        """Exchange now, rather than when it is time; an error if that is not possible."""
        with self._exchanging:
            try:
                self._exchange.run()
            except LowbidError as error:
                self._error = str(error)
                raise
            self._error = ""

    def status(self) -> FleetStatus:
        """How well this process is connected to its fleet."""
        with self._lock:
            member, exchange = self._member, self._exchange
            counts = len(member.since), member.weight
            return FleetStatus(
                member.process, exchange.processes, exchange.age, *counts, self._error
            )

    def lift(self, confidence: float = 0.95) -> Lift:
        """The units that the policy decides for, compared with those that are held out."""
        with self._lock:
            return self._member.groups.lift(self._member.feedback, confidence)

    def close(self) -> None:
        """Exchange a last time, and release the store; other processes go on."""
        if self._closed.is_set():
            return
        try:
            self.exchange()
        finally:
            self._closed.set()
            _OPEN.discard(self)
            self._store.close()
            if self._journal is not None:
                self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return self._view(lambda core: described(core, f"FleetBandit {self.name!r}"))

    def _view(self, look: Callable[[Core], Seen]) -> Seen:
        with self._lock:
            return look(self._member.lead)

    def _require_open(self) -> None:
        if self._closed.is_set():
            raise InvalidValueError(f"fleet {self.name!r} is closed; open it again.")

    def _begin(self) -> None:
        """Set up what a process does not share with its parent."""
        self._lock, self._exchanging = threading.Lock(), threading.Lock()
        self._closed, self._error = threading.Event(), ""
        lock = self._lock
        self._exchange = Exchange(
            self._store, self._fleet, self._member, lambda: lock, self._journal
        )

    def _start(self) -> None:
        """Exchange from now on in the background."""
        threading.Thread(
            target=_keep_exchanging,
            args=(weakref.ref(self), self._closed, self._interval),
            name=f"lowbid-fleet-{self.name}",
            daemon=True,
        ).start()

    def _recover(self, journal: Journal) -> None:
        """Continue what an earlier process left in the journal."""
        left, member = journal.left, self._member
        if left is not None:
            with self._store.transaction(write=False) as transaction:
                rows = {row.process: row for row in transaction.rows(self._fleet)}
                bodies = transaction.row_bodies(self._fleet, [left.process])
            row = rows.get(left.process)
            version = left.version if row is None else row.version
            outcomes = left.missing_from(version)
            if bodies:
                body, where = bodies[left.process], f"the row of process {left.process}"
                member.process = left.process
                learned = read_row(body, member.settings, self._policy, where)
                member.continue_row(learned, body, outcomes)
                self._exchange.continue_row(version)
            else:
                member.replay(outcomes)
        journal.begin(member.process, self._exchange.version, member.since)

    def continue_after_fork(self) -> None:
        """Continue in a forked process, as a new member that knows what its parent knew."""
        member = self._member
        self._store.abandon()
        self._journal = None  # it is the parent's
        self._member = member.child()
        self._begin()
        self._start()


def _keep_exchanging(
    bandit: weakref.ref[FleetBandit], closed: threading.Event, interval: float
) -> None:
    """Exchange at every interval, as long as the bandit is in use."""
    jitter = random.Random()  # the module's own numbers belong to the caller
    while not closed.wait(interval * jitter.uniform(0.9, 1.1)):
        found = bandit()
        if found is None:
            return
        with contextlib.suppress(LowbidError):  # it is in the status, and tried again
            found.exchange()
        del found


@atexit.register
def _exchange_a_last_time() -> None:
    for bandit in list(_OPEN):
        with contextlib.suppress(LowbidError):
            bandit.close()

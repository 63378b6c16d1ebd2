"""Calls on a shared bandit: what each looks up, which event it becomes, and what it answers.

A call is a command, and changes nothing by itself. It plans against the current state: an event,
which is applied to the replica as every other process will apply it, or choices, which the replica
makes and turns into an event. Then the call concludes.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

from lowbid.online import Decision, Rejection
from lowbid.shared._events import Elapsed, Event, Forgotten
from lowbid.shared._group import Queued
from lowbid.shared._memory import GIVEN_UP, OUTCOMES, Key, KeyedMemory
from lowbid.shared._replica import DecideCommand, Replica


class Reply(NamedTuple):
    """The answer of a call that has nothing to write."""

    value: Any


# What a call has to do, as far as it can be said before it is done.
Plan = Event | DecideCommand | Reply


class Call(Queued, ABC):
    """One call: what it looks up, and which event it becomes.

    Attributes
    ----------
    writes : bool
        Whether it may become an event.
    """

    writes: ClassVar[bool] = True

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The keys it looks up."""
        return ()

    @abstractmethod
    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """The event to write at this time, the choices to make, or the answer; changes nothing."""

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Any) -> Any:
        """The answer, now that the event has been applied; may store something in the memory."""
        return None


class Forget(Call):
    """Discard a pending decision, which may be given by its id alone."""

    def __init__(self, what: Decision | str) -> None:
        super().__init__()
        self.what = what
        self._identity = what.id if isinstance(what, Decision) else what
        self._rejection: Rejection | None = None

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """Its outcome, if it has one."""
        if replica.is_known(self._identity) and not replica.is_unanswered(self._identity):
            yield OUTCOMES, self._identity

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """Close the decision if it is open."""
        identity, decision = self._identity, self.what
        if not replica.is_known(identity):
            return Reply("unknown")
        if not isinstance(decision, Decision):
            arm = replica.arm_of(identity)
            decision = Decision("" if arm is None else arm, identity)
        self._rejection = replica.status(decision, time)
        if self._rejection != "closed":
            return Forgotten([identity])
        found = memory.get(OUTCOMES, identity)
        return Reply("late" if found is None else "repeated" if found == GIVEN_UP else "conflict")

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Forgotten) -> Any:
        """None, or "removed" if the arm was removed."""
        memory.put(OUTCOMES, self._identity, GIVEN_UP)
        return self._rejection


class Change(Call):
    """Change the bandit itself: its arms, its settings."""

    def __init__(self, make: Callable[[Replica], Event]) -> None:
        super().__init__()
        self._make = make

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """Try the change on a copy, so that a failure does no harm."""
        event = self._make(replica)
        trial = copy.deepcopy(replica)
        trial.apply(replica.number + 1, time, copy.deepcopy(event))
        return event


class Note(Call):
    """Write an event that does not affect choices."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self._event = event

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """The event."""
        return self._event


class Look(Call):
    """Look at the bandit."""

    writes = False

    def __init__(self, look: Callable[[Replica, int], Any]) -> None:
        super().__init__()
        self._look = look

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """The view, and whether windows have expired that the log has not closed yet."""
        return Reply((self._look(replica, time), replica.windows.due(time)))


class LetTimePass(Call):
    """Close the windows that have expired."""

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """An event, if windows have expired."""
        return Elapsed() if replica.windows.due(time) else Reply(None)

"""Calls on a shared bandit: what each looks up, which event it becomes, and what it answers.

A call is a command, and changes nothing by itself. It plans against the current state: an event,
which is applied to the replica as every other process will apply it, or choices, which the replica
makes and turns into an event. Then the call concludes.
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from lowbid.errors import InvalidValueError
from lowbid.online import Arm, Decision, Feedback, Kind, Rejection, is_name, plain_name, read_value
from lowbid.shared._decision import LoggedDecision
from lowbid.shared._events import (
    BY_POLICY,
    HELD_OUT,
    STICKY,
    Decided,
    Elapsed,
    Event,
    Forgotten,
    Reported,
)
from lowbid.shared._holdout import is_held_out
from lowbid.shared._memory import OUTCOMES, REQUESTS, UNITS, Key, Memory
from lowbid.shared._repeats import digest_of, require_same, reused
from lowbid.shared._replica import Choices, Replica

# The possible answers to a reported outcome.
Answer = Literal["taken", "repeated", "closed", "removed", "unknown"]


class Reply(NamedTuple):
    """The answer of a call that has nothing to write."""

    value: Any


# What a call has to do, as far as it can be said before it is done.
Plan = Event | Choices | Reply


class Call(ABC):
    """One call by one thread.

    Attributes
    ----------
    writes : bool
        Whether it may become an event.
    done : bool
        Whether it has been answered.
    left : bool
        Whether its thread no longer waits for the answer.
    """

    writes: ClassVar[bool] = True

    def __init__(self) -> None:
        self.wake = threading.Lock()
        self.wake.acquire()
        self.done = self.left = False
        self.value: Any = None
        self.error: BaseException | None = None

    def succeed(self, value: Any) -> None:
        """Answer with a value."""
        self.value, self.done = value, True

    def fail(self, error: BaseException) -> None:
        """Answer with an error."""
        self.error, self.done = error, True

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The keys it looks up."""
        return ()

    @abstractmethod
    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The event to write at this time, the choices to make, or the answer; changes nothing."""

    def conclude(self, replica: Replica, memory: Memory, event: Any) -> Any:
        """The answer, now that the event has been applied; may store something in the memory."""
        return None


class Decide(Call):
    """Make decisions for a unit, once per request id."""

    def __init__(self, n: int | None, unit: str | None, request_id: str | None) -> None:
        super().__init__()
        self.n, self.unit, self.request_id = n, unit, request_id

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The request, and the arm of the unit."""
        if self.request_id is not None:
            yield REQUESTS, self.request_id
        if self.unit is not None:
            yield UNITS, self.unit

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The decisions made earlier for this request, or new ones."""
        if self.request_id is not None:
            found = memory.get(REQUESTS, self.request_id)
            if found is not None:
                return Reply(self._again(self.request_id, found))
        if replica.archived:
            raise InvalidValueError("this bandit is archived; it makes no more decisions.")
        count = 1 if self.n is None else self.n
        if count == 0:
            return Reply([])
        ways, arm = self._ways(replica, memory, time, count)
        return Choices(ways, self.request_id, self.unit, arm)

    def _ways(
        self, replica: Replica, memory: Memory, time: int, count: int
    ) -> tuple[str, Arm | None]:
        """How each arm is to be chosen, and the arm that the unit already has, if any."""
        settings, unit = replica.settings, self.unit
        ways = BY_POLICY * count
        if settings.holdout > 0.0:
            made = replica.timeline.decisions + replica.holdout.made
            names = [unit] * count if unit is not None else [f"#{made + i}" for i in range(count)]
            held = [is_held_out(name, settings.seed, settings.holdout) for name in names]
            ways = "".join(HELD_OUT if each else BY_POLICY for each in held)
        if unit is None or not settings.sticky or ways[0] == HELD_OUT:
            return ways, None
        found = memory.get(UNITS, unit)
        if found is not None:
            arm, since = found
            lasting = settings.sticky is True or time - since < settings.sticky
            if lasting and arm in replica.core.roster.number:
                return STICKY * count, arm
        return BY_POLICY + STICKY * (count - 1), None

    def conclude(self, replica: Replica, memory: Memory, event: Decided) -> Any:
        """The decisions, remembered by their request and by their unit."""
        version = replica.number - 1
        rows = zip(event.arms, event.ids, event.chances, event.ways, strict=True)
        decisions = [
            LoggedDecision(arm, identity, chance, version, way)
            for arm, identity, chance, way in rows
        ]
        if self.request_id is not None:
            kept = [
                [each.arm, each.id, each.propensity, version, way]
                for each, way in zip(decisions, event.ways, strict=True)
            ]
            memory.put(REQUESTS, self.request_id, {"decisions": kept, "call": self._digest()})
        if self.unit is not None and replica.settings.sticky and event.ways[0] == BY_POLICY:
            memory.put(UNITS, self.unit, [event.arms[0], replica.time])
        return decisions[0] if self.n is None else decisions

    def _again(self, request_id: str, found: Any) -> Any:
        kept = found.get("decisions", ())
        if len(kept) != (1 if self.n is None else self.n):
            raise reused(request_id)
        require_same(request_id, found, self._digest())
        decisions = [LoggedDecision(*each) for each in kept]
        return decisions[0] if self.n is None else decisions

    def _digest(self) -> str:
        return digest_of(self.unit, 1 if self.n is None else self.n)


class GivenOutcome(NamedTuple):
    """The outcome of a decision or of an arm; of a decision by its id alone if `by_id`."""

    what: Arm | Decision
    value: Any
    by_id: bool = False


class InvalidOutcomeError(InvalidValueError):
    """A value that cannot be recorded.

    Attributes
    ----------
    number : int
        Which of the outcomes of the call it is, from 0.
    """

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


class Report(Call):
    """Report outcomes: each gets an answer, and those that are valid are recorded."""

    def __init__(
        self, kind: Kind, outcomes: Sequence[GivenOutcome], request_id: str | None
    ) -> None:
        super().__init__()
        self.kind, self.outcomes, self.request_id = kind, outcomes, request_id
        self._answers: list[Answer] = []
        self._digest = ""

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The request, and the outcomes recorded earlier for decisions that are answered."""
        if self.request_id is not None:
            yield REQUESTS, self.request_id
        for each in self.outcomes:
            identity = _identity(each)
            # An id that cannot be one of ours may be text that a database refuses.
            if replica.is_known(identity) and not replica.is_unanswered(identity):
                yield OUTCOMES, identity

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """Check all outcomes, then record the valid ones."""
        found = None if self.request_id is None else memory.get(REQUESTS, self.request_id)
        if found is not None and "answers" not in found:
            raise reused(self.request_id)
        feedback = replica.core.feedback_of(self.kind)
        values = _read_values(self.outcomes, feedback)
        if self.request_id is not None:
            rows = zip(self.outcomes, values, strict=True)
            self._digest = digest_of(self.kind, [(_target(each), value) for each, value in rows])
        if found is not None:
            return Reply(self._again(found))
        self._answers, taken = [], []
        here: dict[str, float] = {}
        for outcome, value in zip(self.outcomes, values, strict=True):
            answer, identity, arm = self._answer(replica, memory, time, outcome, value, here)
            self._answers.append(answer)
            if answer == "taken" or (answer == "removed" and identity is not None):
                taken.append((identity, arm, value))
                if identity is not None:
                    here[identity] = value
        return Reported(self.kind, taken, self.request_id) if taken else Reply(self._answers)

    def _answer(
        self,
        replica: Replica,
        memory: Memory,
        time: int,
        outcome: GivenOutcome,
        value: float,
        here: dict[str, float],
    ) -> tuple[Answer, str | None, Arm]:
        """The answer to an outcome, its decision if it has one, and its arm."""
        what = outcome.what
        if isinstance(what, Decision) and replica.awaits(what) and what.id not in here:
            return "taken", what.id, what.arm  # the usual case
        if not isinstance(what, Decision) and not outcome.by_id:
            rejection = replica.core.roster.status(what)
            return ("taken" if rejection is None else "removed"), None, plain_name(what)
        identity: Any = _identity(outcome)
        if not replica.is_known(identity):
            return "unknown", identity, ""
        arm = replica.arm_of(identity)
        if arm is None:  # it was removed, or the decision is closed
            arm = plain_name(what.arm) if isinstance(what, Decision) and is_name(what.arm) else ""
        if identity in here:
            return ("repeated" if here[identity] == value else "closed"), identity, arm
        named = what if isinstance(what, Decision) else Decision(arm, identity)
        rejection = replica.status(named, time)
        if rejection == "closed":
            same = memory.get(OUTCOMES, identity) == value
            return ("repeated" if same else "closed"), identity, arm
        return ("taken" if rejection is None else "removed"), identity, arm

    def conclude(self, replica: Replica, memory: Memory, event: Reported) -> list[Answer]:
        """The answers; recorded outcomes are remembered, so that repeats are recognised."""
        for identity, _, value in event.outcomes:
            if identity is not None:
                memory.put(OUTCOMES, identity, value)
        if self.request_id is not None:
            kept = {"answers": self._answers, "call": self._digest}
            memory.put(REQUESTS, self.request_id, kept)
        return self._answers

    def _again(self, found: dict[str, Any]) -> list[Answer]:
        """The answers of the first call with this request id."""
        answers: list[Answer] = found["answers"]
        if len(answers) != len(self.outcomes):
            raise reused(self.request_id)
        require_same(self.request_id, found, self._digest)
        return answers


class ReportKnown(Report):
    """Report outcomes: all get an answer, or none if one names an unknown decision."""

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The same, after a check for decisions that were never made."""
        for each in self.outcomes:
            if isinstance(each.what, Decision) and not replica.is_known(each.what.id):
                replica.core.decisions.status(each.what)  # raises an error that says so
        return super().plan(replica, memory, time)


class Forget(Call):
    """Give up on a decision."""

    def __init__(self, decision: Decision) -> None:
        super().__init__()
        self.decision = decision
        self._rejection: Rejection | None = None

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """Close the decision if it is open."""
        self._rejection = rejection = replica.status(self.decision, time)
        return Reply(rejection) if rejection == "closed" else Forgotten([self.decision.id])

    def conclude(self, replica: Replica, memory: Memory, event: Forgotten) -> Any:
        """None, or "removed" if the arm was removed."""
        return self._rejection


class Change(Call):
    """Change the bandit itself: its arms, its settings."""

    def __init__(self, make: Callable[[Replica], Event]) -> None:
        super().__init__()
        self._make = make

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
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

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The event."""
        return self._event


class Look(Call):
    """Look at the bandit."""

    writes = False

    def __init__(self, look: Callable[[Replica, int], Any]) -> None:
        super().__init__()
        self._look = look

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The view, and whether windows have expired that the log has not closed yet."""
        return Reply((self._look(replica, time), replica.windows.due(time)))


class LetTimePass(Call):
    """Close the windows that have expired."""

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """An event, if windows have expired."""
        return Elapsed() if replica.windows.due(time) else Reply(None)


def _read_values(outcomes: Sequence[GivenOutcome], feedback: Feedback) -> list[float]:
    """The values of outcomes, or an error that says which one is wrong."""
    values = []
    for number, each in enumerate(outcomes):
        try:
            values.append(read_value(each.value, feedback))
        except InvalidValueError as error:
            which = f"outcome {number}: " if len(outcomes) > 1 else ""
            raise InvalidOutcomeError(f"{which}{error}", number) from None
    return values


def _identity(outcome: GivenOutcome) -> Any:
    """The decision that an outcome belongs to; None if it belongs to an arm."""
    if isinstance(outcome.what, Decision):
        return outcome.what.id
    return outcome.what if outcome.by_id else None


def _target(outcome: GivenOutcome) -> tuple[str, Any]:
    """The decision or the arm that an outcome belongs to, the same for every way to write it."""
    identity, arm = _identity(outcome), outcome.what
    if isinstance(arm, Decision) or identity is not None:
        return "decision", identity
    return "arm", plain_name(arm) if is_name(arm) else arm

"""The call that reports outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from lowbid.errors import InvalidValueError
from lowbid.online import (
    Arm,
    Decision,
    Feedback,
    Kind,
    is_name,
    plain_name,
    read_kind,
    read_list,
    read_value,
)
from lowbid.shared._calls import Call, Plan, Reply
from lowbid.shared._events import Reported
from lowbid.shared._idempotency import digest_of, require_same, reused
from lowbid.shared._identifiers import read_key
from lowbid.shared._memory import GIVEN_UP, OUTCOMES, REFUSED, REQUESTS, Key, KeyedMemory
from lowbid.shared._replica import Replica

# The possible answers to a reported outcome; None if it was recorded.
Answer = Literal["repeated", "late", "removed", "conflict", "unknown"] | None
# The two ways to report outcomes by the ids of decisions.
ANSWER = ("answer(ids, losses={})", "answer(ids, rewards={})")


class GivenOutcome(NamedTuple):
    """The outcome of a decision or of an arm; of a decision by its id alone if `by_id`."""

    what: Arm | Decision
    value: Any
    by_id: bool = False

    @property
    def decision_id(self) -> Any:
        """The decision that it belongs to; None if it belongs to an arm."""
        if isinstance(self.what, Decision):
            return self.what.id
        return self.what if self.by_id else None


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
        self, kind: Kind, outcomes: Sequence[GivenOutcome], request_id: str | None = None
    ) -> None:
        super().__init__()
        self.kind, self.outcomes = kind, outcomes
        self.request_id = read_key("request_id", request_id)
        self._answers: list[Answer] = []
        self._digest = ""

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The request, and the outcomes recorded earlier for decisions that are answered."""
        if self.request_id is not None:
            yield REQUESTS, self.request_id
        for each in self.outcomes:
            identity = each.decision_id
            # An id that cannot be one of ours may be text that a database refuses.
            if replica.is_known(identity) and not replica.is_unanswered(identity):
                yield OUTCOMES, identity
                yield REFUSED, identity

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """Check all outcomes, then record the valid ones."""
        found = None if self.request_id is None else memory.get(REQUESTS, self.request_id)
        if found is not None and "answers" not in found:
            raise reused(self.request_id)
        feedback = replica.core.feedback_of(self.kind)
        values = read_values(self.outcomes, feedback)
        if self.request_id is not None:
            rows = zip(self.outcomes, values, strict=True)
            self._digest = digest_of(self.kind, [(_target(each), value) for each, value in rows])
        if found is not None:
            return Reply(self._again(found))
        self._answers = []
        event, here = Reported(self.kind, [], self.request_id), dict[str, float]()
        for outcome, value in zip(self.outcomes, values, strict=True):
            answer, identity, arm = self._answer(replica, memory, time, outcome, value, here)
            self._answers.append(answer)
            if answer is None or (answer == "removed" and identity is not None):
                event.outcomes.append((identity, arm, value))
                if identity is not None:
                    here[identity] = value
            elif identity is not None and answer in ("late", "conflict"):
                refused = (identity, value, answer)
                # One that is reported again and again is logged once.
                if memory.get(REFUSED, identity) != value and refused not in event.refused:
                    event.refused.append(refused)
        return event if event.outcomes or event.refused else Reply(self._answers)

    def _answer(
        self,
        replica: Replica,
        memory: KeyedMemory,
        time: int,
        outcome: GivenOutcome,
        value: float,
        here: dict[str, float],
    ) -> tuple[Answer, str | None, Arm]:
        """The answer to an outcome, its decision if it has one, and its arm."""
        what = outcome.what
        if isinstance(what, Decision) and replica.awaits(what) and what.id not in here:
            return None, what.id, what.arm  # the usual case
        if not isinstance(what, Decision) and not outcome.by_id:
            rejection = replica.core.status(what)
            return (None if rejection is None else "removed"), None, plain_name(what)
        identity: Any = outcome.decision_id
        if not replica.is_known(identity):
            return "unknown", identity, ""
        arm = replica.arm_of(identity)
        if arm is None:  # it was removed, or the decision is closed
            arm = plain_name(what.arm) if isinstance(what, Decision) and is_name(what.arm) else ""
        if identity in here:
            return ("repeated" if here[identity] == value else "conflict"), identity, arm
        named = what if isinstance(what, Decision) else Decision(arm, identity)
        rejection = replica.status(named, time)
        if rejection == "closed":
            recorded = memory.get(OUTCOMES, identity)
            if recorded in (None, GIVEN_UP):
                return "late", identity, arm
            return ("repeated" if recorded == value else "conflict"), identity, arm
        return (None if rejection is None else "removed"), identity, arm

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Reported) -> list[Answer]:
        """The answers; recorded outcomes are remembered, so that repeats are recognised."""
        for identity, _, value in event.outcomes:
            if identity is not None:
                memory.put(OUTCOMES, identity, value)
        for identity, value, _ in event.refused:
            memory.put(REFUSED, identity, value)
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


def answering(
    ids: Iterable[str],
    *bare: Any,
    losses: Sequence[float] | None = None,
    rewards: Sequence[float] | None = None,
) -> Report:
    """The call behind `SharedBandit.answer`."""
    kind = read_kind(ANSWER, bare, losses, rewards)
    return Report(kind, given_outcomes(kind, ids, losses, rewards, by_id=True))


def given_outcomes(
    kind: Kind, what: Iterable[Any], losses: Any, rewards: Any, by_id: bool
) -> list[GivenOutcome]:
    """A value for each arm or decision, or a clear error."""
    values = read_list("the list of values", losses if kind == "loss" else rewards)
    items = read_list("the list of arms or decisions", what)
    if len(items) != len(values):
        plural = "losses" if kind == "loss" else "rewards"
        raise InvalidValueError(
            f"there are {len(items)} arms or decisions, but {len(values)} {plural}; give one for "
            "each."
        )
    return [GivenOutcome(*pair, by_id) for pair in zip(items, values, strict=True)]


def read_values(outcomes: Sequence[GivenOutcome], feedback: Feedback) -> list[float]:
    """The values of outcomes, or an error that says which one is wrong."""
    values = []
    for number, each in enumerate(outcomes):
        try:
            values.append(read_value(each.value, feedback))
        except InvalidValueError as error:
            which = f"outcome {number}: " if len(outcomes) > 1 else ""
            raise InvalidOutcomeError(f"{which}{error}", number) from None
    return values


def _target(outcome: GivenOutcome) -> tuple[str, Any]:
    """The decision or the arm that an outcome belongs to, the same for every way to write it."""
    identity, arm = outcome.decision_id, outcome.what
    if isinstance(arm, Decision) or identity is not None:
        return "decision", identity
    return "arm", plain_name(arm) if is_name(arm) else arm

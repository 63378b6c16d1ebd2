"""The calls that correct outcomes: give some another value, or let those of a time not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.online import Decision, Kind
from lowbid.shared._calls import Call, Plan, Reply
from lowbid.shared._durations import utc
from lowbid.shared._events import Amended, Voided
from lowbid.shared._identifiers import read_key
from lowbid.shared._memory import GIVEN_UP, OUTCOMES, Key, KeyedMemory
from lowbid.shared._replica import Replica
from lowbid.shared._reporting import Answer, GivenOutcome, read_values

# The two ways to amend one outcome, and many.
AMEND = ("amend(decision, loss={})", "amend(decision, reward={})")
AMEND_MANY = ("amend_many(decisions, losses={})", "amend_many(decisions, rewards={})")


class Amend(Call):
    """Give the outcomes of decisions other values, whatever was reported before."""

    def __init__(
        self,
        kind: Kind,
        outcomes: Sequence[GivenOutcome],
        reason: str | None = None,
        actor: str | None = None,
    ) -> None:
        super().__init__()
        self.kind, self.outcomes = kind, outcomes
        self.reason, self.actor = read_key("reason", reason), read_key("actor", actor)
        self._answers: list[Answer] = []

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The outcomes recorded earlier."""
        for each in self.outcomes:
            if replica.is_known(each.decision_id) and not replica.is_unanswered(each.decision_id):
                yield OUTCOMES, each.decision_id

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """Amend the outcomes of decisions that were made, and whose arms are there."""
        values = read_values(self.outcomes, replica.core.feedback_of(self.kind))
        event = Amended(self.kind, [], self.reason, self.actor)
        self._answers = []
        for each, value in zip(self.outcomes, values, strict=True):
            answer = self._answer(replica, memory, each, time)
            self._answers.append(answer)
            if answer is None:
                event.outcomes.append((each.decision_id, value))
        return event if event.outcomes else Reply(self._answers)

    def _answer(
        self, replica: Replica, memory: KeyedMemory, outcome: GivenOutcome, time: int
    ) -> Answer:
        identity = outcome.decision_id
        if not replica.is_known(identity):
            return "unknown"
        arm = replica.arm_of(identity)
        named = outcome.what
        if arm is None or not isinstance(named, Decision):
            named = Decision("" if arm is None else arm, identity)
        status = replica.status(named, time)
        if status == "removed":
            return "removed"
        # A decision that expired has no place in the log where its outcome would have come.
        expired = status == "closed" and memory.get(OUTCOMES, identity) is None
        return "late" if expired and replica.settings.expiry is not None else None

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Amended) -> list[Answer]:
        """The answers; the new values are remembered, so that repeats are recognised."""
        for identity, value in event.outcomes:
            memory.put(OUTCOMES, identity, value)
        return self._answers


class Void(Call):
    """Let outcomes not count: of decisions made, and of arms reported, in a span of time."""

    def __init__(
        self, since: int, until: int | None, reason: str | None = None, actor: str | None = None
    ) -> None:
        super().__init__()
        self._since, self._until = since, until
        self.reason, self.actor = read_key("reason", reason), read_key("actor", actor)

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
        """The event, for a span that has begun."""
        until = time + 1 if self._until is None else self._until
        if not self._since < until:
            raise InvalidValueError(
                f"since is {utc(self._since)}, and until is {utc(until)}; give an earlier time "
                "first."
            )
        return Voided(self._since, until, self.reason, self.actor)

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Voided) -> Any:
        """How many decisions, and outcomes of arms, do not count."""
        for identity in replica.corrections.voided_by(replica.number):
            memory.put(OUTCOMES, identity, GIVEN_UP)
        return replica.corrections.count(replica.number)

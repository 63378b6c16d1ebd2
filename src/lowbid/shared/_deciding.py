"""The call that makes decisions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.online import Arm, read_number_of_decisions
from lowbid.shared._calls import Call, Plan, Reply
from lowbid.shared._decision import LoggedDecision
from lowbid.shared._events import BY_POLICY, HELD_OUT, STICKY, Decided
from lowbid.shared._holdout import is_held_out
from lowbid.shared._idempotency import digest_of, require_same, reused
from lowbid.shared._identifiers import read_key
from lowbid.shared._memory import REQUESTS, STICKY_ARMS, Key, KeyedMemory
from lowbid.shared._replica import DecideCommand, Replica
from lowbid.shared._sticky import keep_sticky, sticky_arm


class TooManyPendingError(InvalidValueError):
    """More decisions are waiting for their outcomes than the caller allows."""


class Decide(Call):
    """Make decisions for a unit, once per request id.

    Parameters
    ----------
    n, unit, request_id
        As for `SharedBandit.decide`.
    most_pending : float
        No decisions are made while this many wait for their outcomes.
    """

    def __init__(
        self,
        n: int | None = None,
        unit: str | None = None,
        request_id: str | None = None,
        most_pending: float = math.inf,
    ) -> None:
        super().__init__()
        self.n = read_number_of_decisions(n)
        self.unit, self.request_id = read_key("unit", unit), read_key("request_id", request_id)
        self.most_pending = most_pending

    def wanted(self, replica: Replica) -> Iterable[Key]:
        """The request, and the arm of the unit."""
        if self.request_id is not None:
            yield REQUESTS, self.request_id
        if self.unit is not None:
            yield STICKY_ARMS, self.unit

    def plan(self, replica: Replica, memory: KeyedMemory, time: int) -> Plan:
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
        self._require_room(replica)
        ways, arm = self._ways(replica, memory, time, count)
        return DecideCommand(ways, self.request_id, self.unit, arm)

    def _require_room(self, replica: Replica) -> None:
        """Refuse to make decisions while too many wait for their outcomes."""
        pending = len(replica.core.decisions.open) + len(replica.holdout.decisions.open)
        if pending >= self.most_pending:
            raise TooManyPendingError(
                f"{pending:,} decisions are waiting for their outcomes, and at most "
                f"{self.most_pending:,} may; report outcomes, or give the experiment a window, "
                "after which they are given up."
            )

    def _ways(
        self, replica: Replica, memory: KeyedMemory, time: int, count: int
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
        arm = sticky_arm(unit, replica, memory, time)
        return (BY_POLICY if arm is None else STICKY) + STICKY * (count - 1), arm

    def conclude(self, replica: Replica, memory: KeyedMemory, event: Decided) -> Any:
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
            keep_sticky(self.unit, event.arms[0], replica, memory)
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

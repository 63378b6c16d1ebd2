"""What the log says later about outcomes that it has recorded."""

from __future__ import annotations

import math


class Corrections:
    """Outcomes with another value, and spans of time whose outcomes do not count.

    Of several corrections of one outcome, the last one counts.

    Attributes
    ----------
    last : int
        The number of the last event that corrects something; 0 if there is none.
    """

    def __init__(self) -> None:
        self.last = 0
        self._values: dict[str, tuple[int, float]] = {}  # by decision: the event, and the value
        self._spans: list[tuple[int, int, int]] = []  # the event; since, until
        self._void: dict[str, int] = {}  # by decision: the last event that voids it
        self._arms = 0  # outcomes of arms that do not count, for the last event

    def amend(self, number: int, identity: str, value: float) -> None:
        """Give the outcome of a decision another value."""
        self.last = number
        self._values[identity] = number, value

    def void(self, number: int, since: int, until: int) -> None:
        """Let the outcomes of decisions made in a span of time not count."""
        self.last = number
        self._spans.append((number, since, until))

    def note(self, identity: str, time: int) -> None:
        """Note when a decision was made."""
        if self._spans and (by := self._voided_by(time)):
            self._void[identity] = by

    def of(self, identity: str, value: float | None) -> float | None:
        """The value of a decision's outcome, given the recorded one; None if it does not count."""
        if not self.last:
            return value
        amended, amended_value = self._values.get(identity, (0, math.nan))
        void = self._void.get(identity, 0)
        return amended_value if amended > void else None if void else value

    def is_void(self, identity: str) -> bool:
        """Whether a decision does not count."""
        return identity in self._void and self.of(identity, math.nan) is None

    def counts(self, time: int) -> bool:
        """Whether an outcome of an arm counts that was reported at a time."""
        by = self._voided_by(time) if self._spans else 0
        self._arms += by != 0 and by == self.last
        return not by

    def voided_by(self, number: int) -> list[str]:
        """The decisions that an event voided."""
        return [identity for identity, by in self._void.items() if by == number]

    def count(self, number: int) -> int:
        """How many decisions, and outcomes of arms, the last event voided."""
        return len(self.voided_by(number)) + self._arms

    def _voided_by(self, time: int) -> int:
        """The last event that voids a time; 0 if there is none."""
        return max((n for n, since, until in self._spans if since <= time < until), default=0)

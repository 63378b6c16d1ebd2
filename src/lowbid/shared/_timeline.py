"""How decisions were shared among the arms over time, in bounded memory."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from lowbid.online import Arm

_DAY = 86_400_000_000  # microseconds
# Each span is a multiple of the one before; when there are too many of one, the next is used.
_SPANS = [s * 1_000_000 for s in (60, 300, 900, 3600, 10800, 43200, 86400, 604800, 4838400)]
_MOST = 200


class ArmShares(NamedTuple):
    """How many decisions each arm got in a span of time.

    Attributes
    ----------
    start, end : int
        The span, in microseconds since 1970.
    counts : dict
        The decisions of each arm, not counting units that were held out.
    """

    start: int
    end: int
    counts: dict[Arm, int]


class Timeline:
    """Decisions by arm and span of time; spans grow with the age of the bandit."""

    def __init__(self) -> None:
        self._level = 0
        self._counts: dict[int, dict[Arm, int]] = {}  # start of a span: decisions by arm
        self._day, self._today = 0, 0
        self.decisions = 0

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        counts = [[start, list(arms.items())] for start, arms in self._counts.items()]
        numbers = {"day": self._day, "today": self._today, "decisions": self.decisions}
        return {"level": self._level, "counts": counts, **numbers}

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore a timeline from the data that `to_data` returned."""
        timeline = cls()
        timeline._level = saved["level"]
        timeline._counts = {start: dict(arms) for start, arms in saved["counts"]}
        timeline._day, timeline._today = saved["day"], saved["today"]
        timeline.decisions = saved["decisions"]
        return timeline

    def add(self, arm: Arm, time: int) -> None:
        """Count a decision."""
        self.decisions += 1
        day = time // _DAY
        if day != self._day:
            self._day, self._today = day, 0
        self._today += 1
        start = time - time % _SPANS[self._level]
        counts = self._counts.get(start)
        if counts is None:
            counts = self._counts[start] = {}
            if len(self._counts) > _MOST and self._level + 1 < len(_SPANS):
                counts[arm] = 1
                self._widen()
                return
        counts[arm] = counts.get(arm, 0) + 1

    def today(self, time: int) -> int:
        """The number of decisions made so far on the day (UTC) of this time."""
        return self._today if time // _DAY == self._day else 0

    def shares(self) -> list[ArmShares]:
        """All spans with decisions, oldest first."""
        span = _SPANS[self._level]
        return [ArmShares(start, start + span, dict(arms)) for start, arms in self._counts.items()]

    def _widen(self) -> None:
        """Merge spans into longer ones."""
        self._level += 1
        span, before = _SPANS[self._level], self._counts
        self._counts = {}
        for start, arms in before.items():
            into = self._counts.setdefault(start - start % span, {})
            for arm, count in arms.items():
                into[arm] = into.get(arm, 0) + count

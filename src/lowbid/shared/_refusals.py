"""Outcomes that were not recorded: how many, and the last of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

# So many of them can be looked at without reading the log.
_AT_HAND = 20


class Refusal(NamedTuple):
    """An outcome that was not recorded.

    Attributes
    ----------
    time : int
        When it was reported, in microseconds since 1970.
    decision : str
        The id of its decision.
    value : float
        The loss or reward.
    answer : {"late", "conflict"}
        What it was answered with.
    """

    time: int
    decision: str
    value: float
    answer: str


class Refusals:
    """The outcomes of a bandit that came too late or contradict an earlier one.

    Attributes
    ----------
    late, conflicts : int
        How many there were.
    last : list of Refusal
        The last of them, oldest first.
    """

    def __init__(self) -> None:
        self.late = self.conflicts = 0
        self.last: list[Refusal] = []

    def add(self, time: int, refused: Iterable[tuple[str, float, str]]) -> None:
        """Note outcomes that were refused in one call."""
        for decision, value, answer in refused:
            self.late += answer == "late"
            self.conflicts += answer == "conflict"
            self.last = [*self.last, Refusal(time, decision, value, answer)][-_AT_HAND:]

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "late": self.late,
            "conflicts": self.conflicts,
            "last": [list(each) for each in self.last],
        }

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore what `to_data` returned."""
        refusals = cls()
        refusals.late, refusals.conflicts = saved["late"], saved["conflicts"]
        refusals.last = [Refusal(*each) for each in saved["last"]]
        return refusals

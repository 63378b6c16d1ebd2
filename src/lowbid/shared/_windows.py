"""Outcomes that are held back until the window of their decision is over."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, Self


class Windows:
    """The decisions whose windows are still open, and their outcomes so far.

    Attributes
    ----------
    held : dict
        The outcome of each such decision, None until it is reported.
    """

    def __init__(self) -> None:
        self.held: dict[str, float | None] = {}
        self._ends: dict[str, int] = {}
        self._queue: list[tuple[int, int, str]] = []  # end, order of opening, decision
        self._opened = 0

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        waiting = [[end, identity, self.held[identity]] for end, _, identity in self._in_order()]
        return {"waiting": waiting}

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore windows from the data that `to_data` returned."""
        windows = cls()
        for end, identity, value in saved["waiting"]:
            windows.open(identity, end)
            windows.held[identity] = value
        return windows

    def open(self, identity: str, end: int) -> None:
        """Wait for a decision's outcome until this time."""
        self._opened += 1
        heapq.heappush(self._queue, (end, self._opened, identity))
        self._ends[identity], self.held[identity] = end, None

    def is_over(self, identity: str, time: int) -> bool:
        """Whether a decision's window will have closed by this time."""
        return identity in self._ends and self._ends[identity] <= time

    def hold(self, identity: str, value: float) -> None:
        """Keep an outcome until its window is over."""
        self.held[identity] = value

    def discard(self, identity: str) -> None:
        """Stop waiting for a decision."""
        self.held.pop(identity, None)
        self._ends.pop(identity, None)

    def due(self, time: int) -> bool:
        """Whether a window closes by this time."""
        return bool(self._queue) and self._queue[0][0] <= time

    def close(self, time: int) -> Iterator[tuple[str, float | None]]:
        """Close the windows that end by this time; return their decisions and outcomes."""
        while self.due(time):
            _, _, identity = heapq.heappop(self._queue)
            if identity in self.held:
                value = self.held[identity]
                self.discard(identity)
                yield identity, value

    def unanswered(self) -> int:
        """The number of decisions in open windows without an outcome yet."""
        return sum(value is None for value in self.held.values())

    def _in_order(self) -> list[tuple[int, int, str]]:
        return sorted(entry for entry in self._queue if entry[2] in self.held)

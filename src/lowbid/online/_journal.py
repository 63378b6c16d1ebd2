"""New events of a bandit, recorded so that others can apply each of them once.

An event is one of these lists:

``["decided", id, arm]``
    A decision was made; its outcome is pending.
``["outcome", id, arm, value]``
    The outcome of a decision.
``["measured", arm, value]``
    The outcome of an arm, without a decision.
``["forgotten", id, arm]``
    A decision was given up.

The events of an origin (one bandit object, named by the word of its decisions) are numbered 1, 2,
... A bandit can therefore tell whether an event is already counted, and whether some are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

from lowbid.errors import InvalidValueError
from lowbid.online._feedback import Kind

Event = list[Any]

_FORMAT = "lowbid-changes"
_FORMAT_VERSION = 1
_LENGTHS = {"decided": 3, "outcome": 4, "measured": 3, "forgotten": 3}


class Part(NamedTuple):
    """Consecutive events of one origin; the first has this number."""

    origin: str
    first: int
    events: list[Event]


class Journal:
    """Which events a bandit has counted, and which of them it has yet to hand over.

    Attributes
    ----------
    keeps : bool
        Whether events are recorded to be handed over.
    counted : dict
        The number of events of each origin counted in this bandit, including its own.
    waiting : list of Part
        Events that have not been handed over yet.
    """

    def __init__(self, keeps: bool) -> None:
        self.keeps = keeps
        self.counted: dict[str, int] = {}
        self.waiting: list[Part] = []

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        waiting = [part._asdict() for part in self.waiting]
        return {"keeps": self.keeps, "counted": self.counted, "waiting": waiting}

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore what `to_data` returned."""
        journal = cls(bool(saved["keeps"]))
        journal.counted = dict(saved["counted"])
        journal.waiting = [Part(**part) for part in saved["waiting"]]
        return journal

    def note(self, origin: str, event: Event) -> None:
        """Record an event that has just happened here."""
        number = self.counted[origin] = self.counted.get(origin, 0) + 1
        if not self.waiting or self.waiting[-1].origin != origin:
            self.waiting.append(Part(origin, number, []))
        self.waiting[-1].events.append(event)

    def hand_over(self, kind: str | None) -> dict[str, Any]:
        """Return everything that is waiting, as plain data, and clear it."""
        if not self.keeps:
            raise InvalidValueError(
                "this bandit does not keep its changes; create it with keep_changes=True, or load "
                "it with Bandit.load(path, keep_changes=True)."
            )
        parts, self.waiting = [part._asdict() for part in self.waiting], []
        return {"format": _FORMAT, "format_version": _FORMAT_VERSION, "kind": kind, "parts": parts}

    def new_events(self, parts: list[Part]) -> list[Event]:
        """The events that are not counted yet, or an error if some before them are missing."""
        counted, found = dict(self.counted), []
        for part in parts:
            known = counted.get(part.origin, 0)
            if part.first > known + 1:
                raise InvalidValueError(
                    f"changes {known + 1} to {part.first - 1} of {part.origin!r} were not applied "
                    "yet; apply the results of its changes() in order. Applying twice does no harm."
                )
            found += part.events[known + 1 - part.first :]
            counted[part.origin] = max(known, part.first + len(part.events) - 1)
        return found

    def count(self, parts: list[Part]) -> None:
        """Record that these events are now counted."""
        for part in parts:
            last = part.first + len(part.events) - 1
            self.counted[part.origin] = max(self.counted.get(part.origin, 0), last)

    def merge(self, other: Journal) -> None:
        """Count what another bandit counts, after merging with it."""
        self.counted |= other.counted


def read_changes(changes: Any) -> tuple[Kind | None, list[Part]]:
    """The kind of feedback and the events in a result of `hand_over`, or a clear error."""
    try:
        if changes["format"] != _FORMAT or changes["format_version"] != _FORMAT_VERSION:
            raise _not_changes(changes)
        parts = [
            Part(str(p["origin"]), int(p["first"]), list(p["events"])) for p in changes["parts"]
        ]
        kind = changes["kind"]
        well_formed = kind in ("loss", "reward", None) and all(map(_is_event, _events(parts)))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _not_changes(changes) from error
    if not well_formed or any(part.first < 1 for part in parts):
        raise _not_changes(changes)
    return kind, parts


def _events(parts: list[Part]) -> Iterator[Event]:
    return (event for part in parts for event in part.events)


def _is_event(event: Event) -> bool:
    """Whether an event has the right length, and its decision a well-formed id."""
    what = event[0]
    if len(event) != _LENGTHS.get(what):
        return False
    if what == "measured":
        return True
    word, _, number = event[1].partition("-")
    return bool(word) and number.isascii() and number.isdigit() and len(number) < 19


def _not_changes(changes: Any) -> InvalidValueError:
    return InvalidValueError(
        f"{str(changes)[:60]!r} are not changes that this lowbid can read; give a result of "
        "bandit.changes()."
    )

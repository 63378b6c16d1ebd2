"""The events in the log of a shared bandit, each defined here once.

A call is a command; an event is the fact that it left behind. Every call that changes something is
one event. The log numbers the events of a bandit 1, 2, ... and
gives each a time that never runs backwards; a bandit's state is a function of its events.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Any, ClassVar, NamedTuple

from lowbid.errors import FileFormatError
from lowbid.online import Arm, Kind

# The version of the events below. A log with a later version is refused.
LOG_FORMAT = 1

# Like `json.dumps`, but faster: it does not look for cycles, which events do not have.
_ENCODER = json.JSONEncoder(check_circular=False)

# How the arm of a decision was chosen.
BY_POLICY, STICKY, HELD_OUT = "p", "s", "h"


@dataclass(slots=True)
class Created:
    """The first event: a bandit with these settings, and a word that no other bandit has."""

    name: ClassVar[str] = "created"
    settings: dict[str, Any]
    word: str
    actor: str | None = None


@dataclass(slots=True)
class Decided:
    """Decisions made in one call.

    Attributes
    ----------
    ways : str
        One letter per decision: chosen by the policy, the arm the unit already has, or held out.
    ids, arms, chances : list
        The decisions, their arms, and the propensity of each choice if the policy can compute it.
    request_id, unit : str, optional
        As given by the caller.
    """

    name: ClassVar[str] = "decided"
    ways: str
    ids: list[str]
    arms: list[Arm]
    chances: list[float | None]
    request_id: str | None = None
    unit: str | None = None


@dataclass(slots=True)
class Reported:
    """Outcomes reported in one call.

    Attributes
    ----------
    outcomes : list
        Those that were recorded: the decision, or None if it is an arm's; the arm; the value.
    refused : list
        Those that were not, because they came too late or contradict an earlier one: the decision,
        the value, and the answer.
    """

    name: ClassVar[str] = "reported"
    kind: Kind
    outcomes: list[tuple[str | None, Arm, float]]
    request_id: str | None = None
    refused: list[tuple[str, float, str]] = field(default_factory=list)


@dataclass(slots=True)
class Forgotten:
    """Decisions that were given up."""

    name: ClassVar[str] = "forgotten"
    ids: list[str]


@dataclass(slots=True)
class ArmChanged:
    """An arm that was added, paused, resumed or removed."""

    name: ClassVar[str] = "arm changed"
    change: str
    arm: Arm
    actor: str | None = None


@dataclass(slots=True)
class SettingsChanged:
    """Settings that have a new value from now on."""

    name: ClassVar[str] = "settings changed"
    settings: dict[str, Any]
    actor: str | None = None


@dataclass(slots=True)
class Archived:
    """The bandit stops making decisions, or starts again."""

    name: ClassVar[str] = "archived"
    archived: bool
    actor: str | None = None


@dataclass(slots=True)
class PropensitiesEstimated:
    """Propensities of earlier choices that were estimated later, each from this many draws."""

    name: ClassVar[str] = "estimated"
    chances: dict[str, float]
    draws: int


@dataclass(slots=True)
class Amended:
    """The right values of decisions' outcomes, whatever was reported before."""

    name: ClassVar[str] = "amended"
    kind: Kind
    outcomes: list[tuple[str, float]]
    reason: str | None = None
    actor: str | None = None


@dataclass(slots=True)
class Voided:
    """Outcomes that do not count: of decisions made, and of arms reported, in a span of time."""

    name: ClassVar[str] = "voided"
    since: int
    until: int
    reason: str | None = None
    actor: str | None = None


@dataclass(slots=True)
class Elapsed:
    """Only time has passed: windows that have expired by then are closed."""

    name: ClassVar[str] = "elapsed"


Event = (
    Created
    | Decided
    | Reported
    | Forgotten
    | ArmChanged
    | SettingsChanged
    | Archived
    | PropensitiesEstimated
    | Amended
    | Voided
    | Elapsed
)
_TYPES: dict[str, type[Any]] = {
    kind.name: kind
    for kind in (
        Created,
        Decided,
        Reported,
        Forgotten,
        ArmChanged,
        SettingsChanged,
        Archived,
        PropensitiesEstimated,
        Amended,
        Voided,
        Elapsed,
    )
}
# Administrative changes, as opposed to traffic. They are kept when a log is compacted.
ADMINISTRATIVE = ("created", "arm changed", "settings changed", "archived", "voided")
# Events that say something else about outcomes that are already recorded.
CORRECTING = ("amended", "voided")


class LoggedEvent(NamedTuple):
    """An event as a store keeps it.

    Attributes
    ----------
    number : int
        Its place in the log, from 1.
    time : int
        Microseconds since 1970; never less than that of the event before.
    name : str
        The kind of event.
    batch : str
        The commit that it was written with.
    body : str
        The rest, as JSON.
    """

    number: int
    time: int
    name: str
    batch: str
    body: str


def logged(number: int, time: int, event: Event, batch: str) -> LoggedEvent:
    """An event, ready to be stored."""
    body = _WRITERS.get(type(event), _body)(event)
    return LoggedEvent(number, time, event.name, batch, body)


def _body(event: Event) -> str:
    """The fields of an event as JSON."""
    return _ENCODER.encode(fields_of_event(event))


# The same text for the two events that come with every decision, in a third of the time.


def _body_of_decided(event: Decided) -> str:
    ids = '", "'.join(event.ids)
    arms = ", ".join([_name_text(arm) for arm in event.arms])
    chances = ", ".join(["null" if c is None else repr(float(c)) for c in event.chances])
    text = f'{{"ways": "{event.ways}", "ids": ["{ids}"], "arms": [{arms}], "chances": [{chances}]'
    if event.request_id is not None:
        text += f', "request_id": {_ENCODER.encode(event.request_id)}'
    if event.unit is not None:
        text += f', "unit": {_ENCODER.encode(event.unit)}'
    return f"{text}}}"


def _body_of_reported(event: Reported) -> str:
    outcomes = ", ".join(
        [f"[{_name_text(id)}, {_name_text(arm)}, {value!r}]" for id, arm, value in event.outcomes]
    )
    text = f'{{"kind": "{event.kind}", "outcomes": [{outcomes}]'
    if event.request_id is not None:
        text += f', "request_id": {_ENCODER.encode(event.request_id)}'
    if event.refused:
        text += f', "refused": {_ENCODER.encode(event.refused)}'
    return f"{text}}}"


def _name_text(name: Arm | None) -> str:
    """The name of an arm or of a decision."""
    if type(name) is str:
        return encode_basestring_ascii(name)
    return "null" if name is None else int.__repr__(name)


_WRITERS: dict[type, Callable[[Any], str]] = {
    Decided: _body_of_decided,
    Reported: _body_of_reported,
}


def fields_of_event(event: Event) -> dict[str, Any]:
    """The fields of an event that differ from their defaults."""
    return {
        each.name: value
        for each in dataclasses.fields(event)
        if (value := getattr(event, each.name)) is not None
        and (value != [] or each.default_factory is dataclasses.MISSING)
    }


def event_of(row: LoggedEvent) -> Event:
    """The event in a row of the store, or a clear error."""
    kind = _TYPES.get(row.name)
    if kind is None:
        raise FileFormatError(f"event {row.number} is {row.name!r}, which this lowbid cannot read.")
    try:
        return kind(**json.loads(row.body))
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"event {row.number} ({row.name}) is damaged: {error}.") from error


def is_administrative(event: Event) -> bool:
    """Whether the event is an administrative change."""
    return event.name in ADMINISTRATIVE


def replaced(event: Event, **changes: Any) -> Event:
    """A copy of an event with some fields changed."""
    return dataclasses.replace(event, **changes)

"""A shared bandit at a glance."""

from __future__ import annotations

from typing import NamedTuple

from lowbid.shared._replica import Replica


class BanditSummary(NamedTuple):
    """A shared bandit at a glance.

    Attributes
    ----------
    name : str
        Its name in the store.
    created, time : int
        When it was created and when it last changed, in microseconds since 1970.
    events : int
        The number of the last event.
    decisions, today : int
        Decisions made by the policy: in total, and today (UTC).
    held_out : int
        Decisions made for units that are held out.
    pending : int
        Decisions whose outcomes have not been reported.
    late, conflicts : int
        Outcomes that were not recorded, since they came too late or contradict an earlier one.
    archived : bool
        Whether it has stopped making decisions.
    """

    name: str
    created: int
    time: int
    events: int
    decisions: int
    today: int
    held_out: int
    pending: int
    late: int
    conflicts: int
    archived: bool


def summary_of(name: str, replica: Replica, time: int) -> BanditSummary:
    """A bandit at a glance, at this time."""
    return BanditSummary(
        name=name,
        created=replica.created,
        time=replica.time,
        events=replica.number,
        decisions=replica.timeline.decisions,
        today=replica.timeline.today(time),
        held_out=replica.holdout.made,
        pending=len(replica.pending),
        late=replica.refusals.late,
        conflicts=replica.refusals.conflicts,
        archived=replica.archived,
    )

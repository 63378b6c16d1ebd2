"""Views of an experiment at one moment, as plain data that JSON can hold."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from lowbid.online import arm_intervals, explained, recommended
from lowbid.shared import SharedBandit
from lowbid.shared._replica import Replica

Data = dict[str, Any]

# The page shows this many of the last administrative changes.
_CHANGES_SHOWN = 200


def finite(value: Any) -> Any:
    """The same data with None for numbers that JSON does not have: NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return value


def listed(bandit: SharedBandit) -> Data:
    """An experiment as one row of the list."""
    return _seen(bandit, lambda replica, time: _line(bandit.name, replica, time))


def described(bandit: SharedBandit) -> Data:
    """An experiment with its settings."""
    return _seen(bandit, lambda replica, time: _description(bandit.name, replica, time))


def explanation(bandit: SharedBandit) -> Data:
    """Why the next arm would be chosen."""
    return _seen(bandit, lambda replica, _: _explanation(replica))


def recommendation(bandit: SharedBandit, confidence: float) -> Data:
    """The arm to keep if the experiment ended now."""
    return _seen(bandit, lambda replica, _: _recommendation(replica, confidence))


def lift(bandit: SharedBandit, confidence: float) -> Data:
    """The policy's choices compared with the holdout."""
    return _seen(bandit, lambda replica, _: _lift(replica, confidence))


def overview(bandit: SharedBandit, confidence: float) -> Data:
    """Everything the page shows about an experiment."""

    def look(replica: Replica, time: int) -> Data:
        has_holdout = replica.settings.holdout > 0.0 or replica.holdout.made > 0
        return {
            **_description(bandit.name, replica, time),
            "confidence": confidence,
            "explanation": _explanation(replica),
            "intervals": [
                {"arm": arm, **interval._asdict()}
                for arm, interval in arm_intervals(replica.core, confidence).items()
            ],
            "lift": _lift(replica, confidence) if has_holdout else None,
            "shares": [
                {"start": each.start, "end": each.end, "counts": list(each.counts.items())}
                for each in replica.timeline.shares()
            ],
            "refused": [each._asdict() for each in replica.refusals.last],
            "history": [dict(change) for change in replica.changes[-_CHANGES_SHOWN:]],
        }

    return _seen(bandit, look)


def _seen(bandit: SharedBandit, look: Callable[[Replica, int], Data]) -> Data:
    return finite(bandit.look(look))


def _line(name: str, replica: Replica, time: int) -> Data:
    core = replica.core
    outcomes = int(sum(row[0] for row in core.roster.rows.values()))
    best = recommended(core, 0.95)
    return {
        "name": name,
        "created": replica.created,
        "changed": replica.time,
        "now": time,
        "version": replica.number,
        "archived": replica.archived,
        "decisions": replica.timeline.decisions,
        "today": replica.timeline.today(time),
        "held_out": replica.holdout.made,
        "outcomes": outcomes,
        "pending": len(replica.pending),
        "late": replica.refusals.late,
        "conflicts": replica.refusals.conflicts,
        "leader": best.arm if outcomes else None,
        "sure": best.sure,
    }


def _description(name: str, replica: Replica, time: int) -> Data:
    roster = replica.core.roster
    settings = {**replica.settings.to_data(), "policy": replica.core.policy.name}
    return {
        **_line(name, replica, time),
        "arms": list(roster.names),
        "paused": list(roster.paused),
        "settings": settings,
    }


def _explanation(replica: Replica) -> Data:
    found = explained(replica.core)
    return {**dataclasses.asdict(found), "winners": found.winners}


def _recommendation(replica: Replica, confidence: float) -> Data:
    found = recommended(replica.core, confidence)
    differences = [{"arm": arm, **each._asdict()} for arm, each in found.differences.items()]
    return {**found._asdict(), "differences": differences}


def _lift(replica: Replica, confidence: float) -> Data:
    return replica.holdout.lift(replica.core.feedback, confidence)._asdict()

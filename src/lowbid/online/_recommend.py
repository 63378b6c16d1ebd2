"""Which arm to keep."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._require import require_confidence
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._gains import Difference, Gains
from lowbid.online._ledger import COUNT, MEAN, mean_of_row
from lowbid.online._sequences import intervals
from lowbid.online._verdict import limit_of, require_tolerance


class Recommendation(NamedTuple):
    """The arm to keep if you stop now.

    Attributes
    ----------
    arm : str or int
        The arm.
    mean : float
        Its mean outcome so far.
    low, high : float
        The interval that its true mean lies in; infinite while too little is known.
    sure : bool
        Whether it is known to be the best arm, up to the tolerance. Always False with a single arm.
    confidence : float
        The probability that no such verdict is ever wrong, and that all `differences` hold at all
        times; and the same for all arms' intervals. It is a proven bound if the range of outcomes
        was declared; otherwise it is supported by measurements, see docs/may-i-stop-now.md. It
        applies to arms that were there from the start.
    tolerance : float
        The arm is known to be the best, or less than this worse than the best one.
    shortfall : float
        Keeping the arm costs at most this much per decision.
    differences : dict
        For each other arm, its mean minus that of the recommended one, as a `Difference`: the
        interval says what `sure` says, which overlapping intervals of single arms do not.
    waits_for : str, int or None
        The arm that is the hardest to tell from the recommended one; None if it is sure.
    since : int or None
        The step at which the verdict was given that is kept; None if there is none.
    assumes : str
        "still": that each arm's mean does not change.
    withdrawn : str
        Why the last verdict does not stand; empty if there was none, or it stands.
    """

    arm: Arm
    mean: float
    low: float
    high: float
    sure: bool
    confidence: float
    tolerance: float
    shortfall: float
    differences: dict[Arm, Difference]
    waits_for: Arm | None
    since: int | None
    assumes: str
    withdrawn: str

    def __str__(self) -> str:
        """What to tell people."""
        error = 1.0 - self.confidence
        once = f"a verdict like this is wrong at most once in {1.0 / error:.3g}"
        within = f", within the tolerance of {self.tolerance:g}" if self.tolerance > 0.0 else ""
        if self.sure:
            since = "" if self.since is None else f" since decision {self.since}"
            return f"{self.arm} is the best arm{within}{since and ',' + since}; {once}."
        if not self.differences:
            return f"There is no other arm than {self.arm}."
        text = f"Not sure yet. {self.arm} looks best"
        if math.isfinite(self.shortfall):
            text += f"; another arm may be better by up to {self.shortfall:.3g}"
        text += f". It waits for {self.waits_for}."
        return f"{text} ({self.withdrawn})" if self.withdrawn else text


class ArmInterval(NamedTuple):
    """The interval that an arm's true mean lies in; infinite while too little is known."""

    low: float
    high: float


def arm_intervals(core: Core, confidence: float) -> dict[Arm, ArmInterval]:
    """An interval for each arm's mean, including paused arms; all hold together, at all times."""
    require_confidence(confidence)
    rows, feedback = core.roster.rows, core.feedback
    declared = None if feedback is None else feedback.declared
    bounds = intervals(np.array(list(rows.values())), declared, (1.0 - confidence) / len(rows))
    return {arm: ArmInterval(*map(float, ends)) for arm, ends in zip(rows, bounds, strict=True)}


def recommended(
    core: Core, confidence: float | None = None, tolerance: float | None = None
) -> Recommendation:
    """The arm to keep, and what is known about it; by default as the bandit is asked to be sure."""
    verdicts, feedback = core.verdicts, core.feedback
    confidence = verdicts.confidence if confidence is None else confidence
    tolerance = verdicts.tolerance if tolerance is None else tolerance
    require_confidence(confidence)
    require_tolerance(tolerance, feedback)
    gains = Gains.of(core)
    limit = limit_of(len(gains.place), confidence)
    stands = verdicts.stands_for(confidence, tolerance)
    arm, sure = _best(core, gains, confidence, tolerance)
    sure = sure or stands
    error = math.exp(-limit)
    others = [other for other in gains.place if other != arm]
    # A kept verdict was an interval that ended at its tolerance, and intervals hold at all times.
    known = verdicts.tolerance if verdicts.kept is not None else math.inf
    most = known if verdicts.confidence >= confidence else math.inf
    differences = {other: gains.in_units(other, arm, error, most) for other in others}
    ahead = (-each.low if gains.unit < 0.0 else each.high for each in differences.values())
    row = core.roster.rows[arm]
    low, high = arm_intervals(core, confidence)[arm]
    return Recommendation(
        arm=arm,
        mean=mean_of_row(row),
        low=low,
        high=high,
        sure=sure,
        confidence=float(confidence),
        tolerance=float(tolerance),
        shortfall=max(0.0, *ahead) if others else 0.0,
        differences=differences,
        waits_for=None if sure else _hardest(gains, arm, others, tolerance),
        since=verdicts.kept.since if verdicts.kept is not None and stands else None,
        assumes="still",
        withdrawn=verdicts.withdrawn if verdicts.kept is None else "",
    )


def _best(core: Core, gains: Gains, confidence: float, tolerance: float) -> tuple[Arm, bool]:
    """The arm of the verdict; else the best mean if it is sure; else the best pessimistic end."""
    kept, names = core.verdicts.kept, core.roster.names
    leader = gains.leader() if kept is None else kept.arm
    limit = limit_of(len(gains.place), confidence)
    sure = leader in core.roster.number and gains.is_best(leader, tolerance, limit)
    if sure or kept is not None:
        return leader, sure  # type: ignore[return-value]
    bounds = arm_intervals(core, confidence)
    sign = 1.0 if gains.unit < 0.0 else -1.0

    def badness(arm: Arm) -> tuple[float, float, float]:
        row = core.roster.rows[arm]
        return max(sign * end for end in bounds[arm]), -row[COUNT], sign * row[MEAN]

    return min(names, key=badness), False


def _hardest(gains: Gains, arm: Arm, others: list[Arm], tolerance: float) -> Arm | None:
    """The arm with the least evidence against it; the one with the best mean if there is none."""
    if not others:
        return None

    def order(other: Arm) -> tuple[float, float]:
        ahead = gains.ahead(arm, other)
        return gains.evidence(arm, other, -tolerance), ahead if ahead == ahead else -math.inf

    return min(others, key=order)

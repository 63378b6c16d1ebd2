"""Which arm to keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._require import require_confidence
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._ledger import COUNT, MEAN, mean_of_row
from lowbid.online._sequences import intervals


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
        Whether it is known to be the best arm: no other arm's interval overlaps its own. Always
        False with a single arm.
    confidence : float
        The probability that all arms' intervals hold at all times. It is a proven bound if the
        range of outcomes was declared; otherwise it is supported by measurements, see
        docs/how-to/see-inside.md. It applies to arms that were there from the start.
    """

    arm: Arm
    mean: float
    low: float
    high: float
    sure: bool
    confidence: float


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


def recommended(core: Core, confidence: float) -> Recommendation:
    """The arm whose pessimistic bound is best; the one seen most if there are no bounds yet."""
    require_confidence(confidence)
    names, ledger, feedback = core.roster.names, core.roster.ledger, core.feedback
    declared = None if feedback is None else feedback.declared
    bounds = intervals(ledger, declared, (1.0 - confidence) / len(names))
    sign = -1.0 if feedback is not None and feedback.rewards else 1.0
    ends = np.sort(sign * bounds, axis=1)  # as losses: (optimistic, pessimistic)
    order = np.lexsort((sign * ledger[:, MEAN], -ledger[:, COUNT], ends[:, 1]))
    best = int(order[0])
    others = np.delete(ends[:, 0], best)
    return Recommendation(
        arm=names[best],
        mean=mean_of_row(ledger[best]),
        low=float(bounds[best, 0]),
        high=float(bounds[best, 1]),
        sure=len(others) > 0 and bool((others > ends[best, 1]).all()),
        confidence=float(confidence),
    )

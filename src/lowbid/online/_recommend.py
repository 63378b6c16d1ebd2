"""Which arm to keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid.online._decisions import Arm
from lowbid.online._feedback import Feedback
from lowbid.online._ledger import COUNT, MEAN, Ledger, intervals


class Recommendation(NamedTuple):
    """The arm to keep if you stop now.

    Attributes
    ----------
    arm : str or int
        The arm.
    mean : float
        Its mean outcome so far.
    low, high : float
        Between these its true mean lies.
    sure : bool
        Whether it is the best of all arms: no other arm's interval reaches into its own.
    confidence : float
        The chance that all arms' intervals, at all times, hold. It is a proven bound if the range
        of outcomes was declared; else it is approached as the counts grow. It is meant for arms
        that were there from the start.
    """

    arm: Arm
    mean: float
    low: float
    high: float
    sure: bool
    confidence: float


def recommended(
    names: list[Arm], ledger: Ledger, feedback: Feedback | None, confidence: float
) -> Recommendation:
    """The arm whose pessimistic bound is best; the one seen most if there are no bounds yet."""
    declared = None if feedback is None else feedback.declared
    bounds = intervals(ledger, declared, (1.0 - confidence) / len(names))
    sign = -1.0 if feedback is not None and feedback.kind == "reward" else 1.0
    ends = np.sort(sign * bounds, axis=1)  # as losses: (optimistic, pessimistic)
    order = np.lexsort((sign * ledger[:, MEAN], -ledger[:, COUNT], ends[:, 1]))
    best = int(order[0])
    others = np.delete(ends[:, 0], best)
    return Recommendation(
        arm=names[best],
        mean=float(ledger[best, MEAN]) if ledger[best, COUNT] > 0 else float("nan"),
        low=float(bounds[best, 0]),
        high=float(bounds[best, 1]),
        sure=bool((others > ends[best, 1]).all()),
        confidence=confidence,
    )

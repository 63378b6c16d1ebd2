"""Intervals for estimates from a log; infinite where the log has too little information.

They rely on the central limit theorem, which converges slowly where few lines have much weight, or
few values are large. Student's interval is therefore widened in the same way as the intervals of
`recommend`: on each side by Lyapunov's ratio, the sum of the absolute cubed errors divided by the
power 3/2 of the sum of their squares. While there are few lines, or the ratio is large, the
interval is infinite. The limits were chosen by measurement on five of the seven kinds of values in
``python -m benchmarks.offline_coverage``, which shows how often the intervals cover the truth on
all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid.online import widened
from lowbid.simulation import student_quantile

_FEWEST = 50
_LARGEST_RATIO = 0.4


class Interval(NamedTuple):
    """An interval around an estimate: its standard error, and the distances to its ends."""

    se: float
    below: float
    above: float


def interval_of(errors: Floats, used: int, confidence: float) -> Interval:
    """How far below and above an estimate the truth may lie.

    Parameters
    ----------
    errors : array
        Numbers whose mean is the error of the estimate.
    used : int
        The number of lines that have any weight in it.
    confidence : float
        The desired coverage probability.
    """
    n = len(errors)
    centred = errors - errors.mean()
    squares = float((centred**2).sum())
    if used < _FEWEST or squares == 0.0:
        return Interval(math.nan, math.inf, math.inf)
    se = math.sqrt(squares / (n - 1.0) / n)
    cubes = np.abs(centred) ** 3
    # Rare values far above the mean may be missing from the log; the truth is then above.
    sides = np.array([cubes[centred < 0.0].sum(), cubes[centred > 0.0].sum()]) / squares**1.5
    if sides.sum() > _LARGEST_RATIO:
        return Interval(se, math.inf, math.inf)
    below, above = se * widened(student_quantile((1.0 + confidence) / 2.0, n - 1), sides)
    return Interval(se, float(below), float(above))

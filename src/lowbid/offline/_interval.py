"""Intervals for estimates from a log; infinite where the log says too little for one.

They rest on the central limit theorem, which takes its time where few lines have much weight, or
few values are large. So Student's interval is widened as the intervals of `recommend` are: on each
side by Lyapunov's ratio, the sum of the absolute cubed errors over the power 3/2 of the sum of
their squares. While there are few lines, or the ratio is large, nothing is said. The limits were
chosen by measurement on five of the seven kinds of values of ``python -m
benchmarks.offline_coverage``, which shows how often the intervals cover the truth on all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid.online._sequences import widened
from lowbid.simulation._statistics import student_quantile

_FEWEST = 50
_LARGEST_RATIO = 0.4


class Interval(NamedTuple):
    """An interval about an estimate: its standard error, and how far its ends are."""

    se: float
    below: float
    above: float


def interval_of(errors: Floats, used: int, confidence: float) -> Interval:
    """How far the truth may be below and above an estimate.

    Parameters
    ----------
    errors : array
        Numbers whose mean is the error of the estimate.
    used : int
        The number of lines that have any weight in it.
    confidence : float
        The chance that the truth is to be inside with.
    """
    n = len(errors)
    centred = errors - errors.mean()
    squares = float((centred**2).sum())
    if used < _FEWEST or squares == 0.0:
        return Interval(math.nan, math.inf, math.inf)
    se = math.sqrt(squares / (n - 1.0) / n)
    cubes = np.abs(centred) ** 3
    # What is far above the mean and rare may be missing from the log: then the truth is above.
    sides = np.array([cubes[centred < 0.0].sum(), cubes[centred > 0.0].sum()]) / squares**1.5
    if sides.sum() > _LARGEST_RATIO:
        return Interval(se, math.inf, math.inf)
    below, above = se * widened(student_quantile((1.0 + confidence) / 2.0, n - 1), sides)
    return Interval(se, float(below), float(above))

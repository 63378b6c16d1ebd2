"""Mean regret over time, with its uncertainty."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid.simulation._result import Result
from lowbid.simulation._statistics import Floats, student_quantile


class Curve(NamedTuple):
    """The mean regret of one policy at every checkpoint, with Student's 95% interval."""

    mean: Floats
    low: Floats
    high: Floats


def mean_curves(result: Result) -> dict[str, Curve]:
    """The curve of every policy, by name; with one run only, the band is as thin as the curve."""
    runs = result.regret.shape[1]
    mean = result.regret.mean(axis=1)
    half = np.zeros_like(mean)
    if runs > 1:
        sd = result.regret.std(axis=1, ddof=1)
        half = student_quantile(0.975, runs - 1) * sd / math.sqrt(runs)
    return {
        name: Curve(mean[i], mean[i] - half[i], mean[i] + half[i])
        for i, name in enumerate(result.policies)
    }

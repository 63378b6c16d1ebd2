"""Means with honest error bars."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._random import normal_quantile

Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean over runs, with its uncertainty.

    Attributes
    ----------
    mean : float
        The mean over runs.
    sd : float
        The standard deviation between runs.
    se : float
        The standard error of the mean.
    low, high : float
        Student's 95% interval for the mean; not a number if there is one run only.
    """

    mean: float
    sd: float
    se: float
    low: float
    high: float


def estimate(samples: Floats, confidence: float = 0.95) -> Estimate:
    """The mean of independent samples, with Student's interval of this confidence."""
    n = len(samples)
    mean = float(samples.mean())
    if n < 2:
        return Estimate(mean, math.nan, math.nan, math.nan, math.nan)
    sd = float(samples.std(ddof=1))
    se = sd / math.sqrt(n)
    half = student_quantile((1.0 + confidence) / 2.0, n - 1) * se
    return Estimate(mean, sd, se, mean - half, mean + half)


def student_quantile(p: float, df: int) -> float:
    """The quantile of Student's t for p above 1/2, to about six digits.

    References
    ----------
    .. [1] G. W. Hill (1970). Algorithm 396: Student's t-quantiles. Communications of the ACM 13.
    """
    tails = 2.0 * (1.0 - p)
    if df == 1:
        return 1.0 / math.tan(tails * math.pi / 2.0)
    if df == 2:
        return math.sqrt(2.0 / (tails * (2.0 - tails)) - 2.0)
    a = 1.0 / (df - 0.5)
    b = 48.0 / (a * a)
    c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36
    d = ((94.5 / (b + c) - 3.0) / b + 1.0) * math.sqrt(a * math.pi / 2.0) * df
    y = (d * tails) ** (2.0 / df)
    if y > 0.05 + a:
        x = normal_quantile.function(tails / 2.0)
        y = x * x
        if df < 5:
            c += 0.3 * (df - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x
        y = math.expm1(a * y * y)
    else:
        y = (
            (
                1.0 / (((df + 6.0) / (df * y) - 0.089 * d - 0.822) * (df + 2.0) * 3.0)
                + 0.5 / (df + 4.0)
            )
            * y
            - 1.0
        ) * (df + 1.0) / (df + 2.0) + 1.0 / y
    return math.sqrt(df * y)

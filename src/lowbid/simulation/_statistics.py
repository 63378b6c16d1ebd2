"""Means over runs, and intervals that hold for skewed data: one formula for all of lowbid.

Regret is skewed to the right: most runs are good, a few are bad. Student's interval then misses
the mean too often, nearly always because it ends too early on the side of the long tail. Hall's
transformation [1]_ makes the studentized mean T = (x - μ) / s symmetric,

    g(T) = T + γ T² / 3 + γ² T³ / 27 + γ / (6 n),

where γ is the skewness; √n g(T) is compared with Student's quantiles, and the result is converted
back into an interval for μ. On each side, the wider of Student's interval and Hall's is taken: the
transformation also shortens the interval on the side of the short tail, which skewness estimated
from few runs does not justify. How often the result covers the mean is measured by
`benchmarks/coverage.py`, and shown in docs/intervals.md.

References
----------
.. [1] P. Hall (1992). On the removal of skewness by transformation. Journal of the Royal
   Statistical Society B 54.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._random import normal_quantile

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
# With fewer runs, intervals of very skewed regret miss the mean too often: see docs/intervals.md.
ENOUGH_RUNS = 20
# Where the transformation is this close to linear, a series is more accurate than the cube root.
_NEARLY_STRAIGHT = 1e-4


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
        The 95% interval for the mean, which allows for skewness and therefore need not be
        symmetric; NaN for a single run. See docs/intervals.md.
    """

    mean: float
    sd: float
    se: float
    low: float
    high: float

    def __str__(self) -> str:
        """The mean and its interval, rounded."""
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


class Estimates(NamedTuple):
    """Many estimates at once: arrays of the fields of `Estimate`."""

    mean: Floats
    sd: Floats
    se: Floats
    low: Floats
    high: Floats


def caution(runs: int) -> str:
    """The caution to show with intervals from this many runs; empty if they are enough."""
    if runs >= ENOUGH_RUNS:
        return ""
    return (
        f"With fewer than {ENOUGH_RUNS} runs, the {CONFIDENCE:.0%} intervals of very skewed regret "
        "are too narrow."
    )


def estimate(
    samples: Floats, confidence: float = CONFIDENCE, at_least: float = -math.inf
) -> Estimate:
    """The mean of independent samples, with an interval of this confidence.

    Parameters
    ----------
    samples : array
        One number per run.
    confidence : float
        The desired coverage probability.
    at_least : float
        A lower bound on the mean: 0 for a regret.
    """
    return Estimate(*(float(part) for part in estimates(samples, confidence, at_least)))


def estimates(
    samples: Floats, confidence: float = CONFIDENCE, at_least: float = -math.inf
) -> Estimates:
    """The same for every column; the first axis of `samples` is the runs."""
    n = len(samples)
    mean = samples.mean(axis=0)
    if n < 2:
        unknown = np.full_like(mean, math.nan)
        return Estimates(mean, unknown, unknown, unknown, unknown)
    sd = samples.std(axis=0, ddof=1)
    half = student_quantile((1.0 + confidence) / 2.0, n - 1) / math.sqrt(n)
    bend = _skewness(samples - mean, sd) / 3.0
    # The ends in standard deviations from the mean, Student's and Hall's.
    below = np.maximum(half, _straightened(half - bend / (2.0 * n), bend))
    above = np.maximum(half, -_straightened(-half - bend / (2.0 * n), bend))
    low = np.maximum(mean - sd * below, at_least)
    return Estimates(mean, sd, sd / math.sqrt(n), low, mean + sd * above)


def _skewness(centred: Floats, sd: Floats) -> Floats:
    """The skewness of every column of centred samples; 0 where it is undefined."""
    n = len(centred)
    if n < 3:
        return np.zeros_like(sd)
    standard = np.divide(centred, sd, out=np.zeros_like(centred), where=sd > 0.0)
    # The estimate that is unbiased for normal samples, from the sd that is.
    return (standard**3).sum(axis=0) * n / ((n - 1) * (n - 2))


def _straightened(y: Floats, bend: Floats) -> Floats:
    """The T with T + a T² + a² T³ / 3 = y, where a is the bend."""
    flat = np.abs(bend * y) < _NEARLY_STRAIGHT
    safe = np.where(flat, 1.0, bend)
    curved = (np.cbrt(1.0 + 3.0 * safe * y) - 1.0) / safe
    return np.where(flat, y - bend * y**2 + 5.0 / 3.0 * bend**2 * y**3, curved)


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
        x = normal_quantile.uncompiled(tails / 2.0)
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

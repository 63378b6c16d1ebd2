"""Confidence sequences: intervals for each arm's mean that hold at all times simultaneously.

They hold however the arms were chosen and whenever you look:

- with a declared range, the empirical Bernstein sequence with predictable plug-in weights [1]_,
  which holds at every sample size;
- without, the asymptotic sequence [2]_, the time-uniform form of the interval from the central
  limit theorem, widened for skewed values.

The central limit theorem converges slowly for values such as dollars per visitor, most of which are
0 and a few of which are large: before the first large order, both the mean and the spread of an arm
look too small. How far it can be trusted is measured by Lyapunov's ratio, the sum of the absolute
cubed deviations divided by the power 3/2 of the sum of squared ones: 1 if a single value dominates,
and c / sqrt(n) for n values of one distribution. While it is large, the interval is infinite. After
that, the number of standard errors z at each end becomes z + 4 r (1 + 2 z^2) / 6, where r is the
ratio's part on that side of the mean. With 1 instead of 4 and the true skewness, this is the first
term of the Edgeworth expansion [3]_; the factor allows for skewness that a sample does not show
yet. The factor and the limit were chosen by measurement: ``python -m
benchmarks.recommend_coverage``.

References
----------
.. [1] I. Waudby-Smith, A. Ramdas (2024). Estimating means of bounded random variables by betting.
   Journal of the Royal Statistical Society B 86. Theorem 2.
.. [2] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024). Time-uniform central
   limit theory and asymptotic confidence sequences. Annals of Statistics 52. Theorem 2.2.
.. [3] P. Hall (1992). On the removal of skewness by transformation. Journal of the Royal
   Statistical Society B 54.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid.online._feedback import Range
from lowbid.online._ledger import (
    ABOVE,
    BELOW,
    COUNT,
    MEAN,
    SPREAD,
    SQUARES,
    WEIGHT,
    WEIGHTED,
    Ledger,
)

# The asymptotic sequence is narrowest at about this many values. It is infinite for the first few,
# and while all are the same: fifty visits without an order do not show that there never will be
# one.
_NARROWEST_AT = 1000
_FEW = 50
# Intervals are infinite while Lyapunov's ratio is above this; below, its part on each side widens
# them.
_LARGEST_RATIO = 0.25
_WIDENING = 4.0


def intervals(ledger: Ledger, declared: Range | None, error: float) -> Ledger:
    """An interval (low, high) per arm; each ever misses its mean with at most this probability."""
    if declared is None:
        return asymptotic_sequence(ledger, error)
    return empirical_bernstein_sequence(ledger, declared, error)


def empirical_bernstein_sequence(ledger: Ledger, declared: Range, error: float) -> Ledger:
    """The predictable plug-in empirical Bernstein confidence sequence."""
    low, high = declared
    seen = ledger[:, COUNT] > 0
    weight = np.where(seen, ledger[:, WEIGHT], 1.0)
    centre = np.where(seen, ledger[:, WEIGHTED] / weight, 0.5)
    half = np.where(seen, (math.log(2.0 / error) + ledger[:, SPREAD]) / weight, 1.0)
    ends = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return low + (high - low) * ends


def asymptotic_sequence(ledger: Ledger, error: float) -> Ledger:
    """The asymptotic confidence sequence from Robbins' normal mixture, widened for skewness."""
    count, squares = np.maximum(ledger[:, COUNT], 1.0), ledger[:, SQUARES]
    error = min(error, 1.0 - 1e-12)  # at 1 the mixture has no width
    rho2 = (-2.0 * math.log(error) + math.log(1.0 - 2.0 * math.log(error))) / _NARROWEST_AT
    known = count * rho2 + 1.0
    z = np.sqrt(2.0 * known / (count * rho2) * np.log(np.sqrt(known) / error))
    cubes = np.where(squares > 0.0, squares, 1.0) ** 1.5
    ratios = ledger[:, [BELOW, ABOVE]] / cubes[:, np.newaxis]
    unknown = (count < _FEW) | (squares == 0.0) | (ratios.sum(axis=1) > _LARGEST_RATIO)
    errors = widened(z[:, np.newaxis], ratios)
    half = errors * (np.sqrt(squares) / count)[:, np.newaxis]
    half[unknown] = np.inf
    return ledger[:, [MEAN]] + half * [-1.0, 1.0]


def widened(z: Ledger | float, ratios: Ledger) -> Ledger:
    """A number of standard errors, increased for skewed values: see above.

    Parameters
    ----------
    z : float or array
        The number for values that are not skewed.
    ratios : array
        The part of Lyapunov's ratio on the side of the mean in question.
    """
    return z + _WIDENING * ratios * (1.0 + 2.0 * z**2) / 6.0

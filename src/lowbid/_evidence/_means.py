"""Evidence that an arm's mean is above or below a number.

With a declared range let S be the sum of n values in [0, 1], and V the sum of their squared
differences from guesses made before each. For every rate r in [0, 1), the process

    exp(r (S - n m) + (r + log(1 - r)) V)

is a nonnegative supermartingale that starts at 1 or below if the mean is m or less [1]_. So is the
average over the 13 rates 3/4, 3/8, ..., 3/8192 and 0. Rate 0 keeps the evidence of an arm with
very many outcomes from falling without bound where an arm with few needs another m.

Without a range, the normal mixture of the central limit theorem takes its place, with the number of
standard errors reduced for skewness as `lowbid.online` widens its intervals. That is supported by
measurements, not by a proof.

References
----------
.. [1] S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021). Time-uniform, nonparametric,
   nonasymptotic confidence sequences. Annals of Statistics 49. Theorem 4; section 3 on mixtures.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._evidence._sums import ABOVE, BELOW, COUNT, MEAN, SQUARES, SURPRISE

PARTS = 13  # of the mixture; the last has rate 0
_LOG_PARTS = math.log(13.0)
# Without a range: see `lowbid.online._sequences`.
_FEW = 50.0
_LARGEST_RATIO = 0.25
_WIDENING = 4.0


@kernel
def set_costs(costs: Floats, row: Floats, bounded: bool) -> None:
    """The parts of a row's mixture that do not depend on the mean in question."""
    rate = first_rate(bounded)
    for part in range(PARTS - 1):
        if bounded:
            costs[part] = (math.log1p(-rate) + rate) * row[SURPRISE] - _LOG_PARTS
        else:
            costs[part] = -0.5 * rate * rate * row[COUNT] - _LOG_PARTS
        rate *= 0.5
    costs[PARTS - 1] = -_LOG_PARTS


@kernel
def first_rate(bounded: bool) -> float:
    """The largest rate of the mixture; each further one is half of the one before."""
    return 0.75 if bounded else 1.0


@kernel
def mixture(costs: Floats, rate: float, x: float) -> tuple[float, float]:
    """The logarithm of the mixture at x, and its derivative."""
    largest = costs[PARTS - 1]
    step = rate
    for part in range(PARTS - 1):
        largest = max(largest, costs[part] + step * x)
        step *= 0.5
    total = math.exp(costs[PARTS - 1] - largest)
    slope = 0.0
    step = rate
    for part in range(PARTS - 1):
        weight = math.exp(costs[part] + step * x - largest)
        total += weight
        slope += weight * step
        step *= 0.5
    return largest + math.log(total), slope / total


@kernel
def excess(row: Floats, mean: float, side: float, bounded: bool) -> float:
    """How far a row's sum is on a side (1 or -1) of what a mean implies, as mixtures measure it."""
    count = row[COUNT]
    if bounded:
        return side * (row[MEAN] - mean) * count
    errors = side * (row[MEAN] - mean) * count / math.sqrt(row[SQUARES])
    if errors > 0.0:
        away = row[BELOW] if side > 0.0 else row[ABOVE]
        errors = less_skewed(errors, away / (row[SQUARES] * math.sqrt(row[SQUARES])))
    return math.sqrt(count) * errors


@kernel
def less_skewed(errors: float, ratio: float) -> float:
    """The number of standard errors that is widened to this one: see `lowbid.online._sequences`."""
    quadratic = _WIDENING * ratio / 3.0
    constant = errors - _WIDENING * ratio / 6.0
    if constant <= 0.0:
        return 0.0
    if quadratic < 1e-12:
        return constant
    return (math.sqrt(1.0 + 4.0 * quadratic * constant) - 1.0) / (2.0 * quadratic)


@kernel
def says_something(row: Floats, bounded: bool) -> bool:
    """Whether a row has enough values for evidence."""
    if bounded:
        return row[COUNT] > 0.0
    if row[COUNT] < _FEW or row[SQUARES] <= 0.0:
        return False
    return row[ABOVE] + row[BELOW] <= _LARGEST_RATIO * row[SQUARES] * math.sqrt(row[SQUARES])


def evidence_above(row: Floats, mean: float, *, bounded: bool) -> float:
    """Evidence that an arm's mean is above a number."""
    return _evidence(row, mean, 1.0, bounded)


def evidence_below(row: Floats, mean: float, *, bounded: bool) -> float:
    """Evidence that an arm's mean is below a number."""
    return _evidence(row, mean, -1.0, bounded)


def _evidence(row: Floats, mean: float, side: float, bounded: bool) -> float:
    if not says_something(row, bounded):
        return 0.0
    costs = np.empty(PARTS)
    set_costs(costs, row, bounded)
    return mixture(costs, first_rate(bounded), excess(row, mean, side, bounded))[0]

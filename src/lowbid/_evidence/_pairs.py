"""Evidence that one arm is better than another, and the interval of their difference.

The evidence that arm a is better than b by more than `by` is the least, over all m, of the evidence
that a is above m + by plus the evidence that b is below m. If the claim is false, take the mean of
b for m: each outcome multiplies one of two supermartingales, so their product is one, however the
arms were chosen, and the minimum is below it.

Declared ranges make the sum convex in m, so its minimum is found by halving. Any other m than the
minimiser would overstate the evidence: what is returned is a lower bound of the minimum.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._evidence._means import (
    PARTS,
    excess,
    first_rate,
    mixture,
    says_something,
    set_costs,
)
from lowbid._evidence._sums import COUNT, MEAN, SQUARES

_HALVINGS = 45
_BEYOND = 0.001  # the minimum is looked for in [0, 1] and this far outside
_PRECISION = (1.0 + 2.0 * _BEYOND) * 0.5**_HALVINGS  # of the place of the minimum
_POINTS = 33  # looked at first, if no range was declared
_GOLDEN_STEPS = 30
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_END_STEPS = 50  # of the search for an end of an interval
_MOST_DOUBLINGS = 200


def costs_of_pair() -> Floats:
    """A scratch array for `pair_evidence`."""
    return np.zeros((2, PARTS))


@kernel
def both(
    one: Floats, other: Floats, by: float, mean: float, bounded: bool, costs: Floats
) -> tuple[float, float]:
    """The evidence that an arm is above mean + by and another below mean, and its derivative."""
    rate = first_rate(bounded)
    up, up_slope = mixture(costs[0], rate, excess(one, mean + by, 1.0, bounded))
    down, down_slope = mixture(costs[1], rate, excess(other, mean, -1.0, bounded))
    return up + down, down_slope * other[COUNT] - up_slope * one[COUNT]


@kernel
def pair_evidence(one: Floats, other: Floats, by: float, bounded: bool, costs: Floats) -> float:
    """Evidence that an arm is better than another by more than `by`; 0 if there is none.

    `costs` is scratch memory, from `costs_of_pair`.
    """
    if not (says_something(one, bounded) and says_something(other, bounded)):
        return 0.0
    if one[MEAN] - by <= other[MEAN]:
        return 0.0
    set_costs(costs[0], one, bounded)
    set_costs(costs[1], other, bounded)
    if bounded:
        return max(least_by_halving(one, other, by, costs), 0.0)
    return max(least_by_search(one, other, by, costs), 0.0)


@kernel
def minimiser(one: Floats, other: Floats, by: float, costs: Floats) -> float:
    """Where a convex sum is least, up to 2 ** -45."""
    low, high = -_BEYOND, 1.0 + _BEYOND
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        _, slope = both(one, other, by, middle, True, costs)
        if slope < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def least_by_halving(one: Floats, other: Floats, by: float, costs: Floats) -> float:
    """The least of a convex sum, or slightly less."""
    total, slope = both(one, other, by, minimiser(one, other, by, costs), True, costs)
    return total - math.fabs(slope) * _PRECISION


@kernel
def least_by_search(one: Floats, other: Floats, by: float, costs: Floats) -> float:
    """The least of a sum that may have several minima: a scan, then golden sections."""
    wide = one[MEAN] - by - other[MEAN]
    start = other[MEAN] - wide
    step = 3.0 * wide / (_POINTS - 1.0)
    lowest, place = math.inf, 0
    for point in range(_POINTS):
        total, _ = both(one, other, by, start + point * step, False, costs)
        if total < lowest:
            lowest, place = total, point
    low = start + max(place - 1, 0) * step
    high = start + min(place + 1, _POINTS - 1) * step
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, _ = both(one, other, by, left, False, costs)
    at_right, _ = both(one, other, by, right, False, costs)
    for _ in range(_GOLDEN_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left, _ = both(one, other, by, left, False, costs)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right, _ = both(one, other, by, right, False, costs)
    return min(lowest, min(at_left, at_right))


@kernel
def pair_bound(one: Floats, other: Floats, by: float, bounded: bool, costs: Floats) -> float:
    """A number that `pair_evidence` does not exceed, at a fraction of its cost."""
    if not (says_something(one, bounded) and says_something(other, bounded)):
        return 0.0
    if one[MEAN] - by <= other[MEAN]:
        return 0.0
    set_costs(costs[0], one, bounded)
    set_costs(costs[1], other, bounded)
    counts = one[COUNT] + other[COUNT]
    middle = (one[COUNT] * (one[MEAN] - by) + other[COUNT] * other[MEAN]) / counts
    if bounded:
        middle = min(max(middle, -_BEYOND), 1.0 + _BEYOND)
    total, _ = both(one, other, by, middle, bounded, costs)
    return max(total, 0.0)


@kernel
def least_difference(
    one: Floats, other: Floats, limit: float, bounded: bool, costs: Floats
) -> float:
    """The largest `by` for which `pair_evidence` reaches a limit: the low end of an interval.

    -1 with a declared range, and minus infinity without, if there is none.
    """
    if bounded:
        return end_by_newton(one, other, limit, costs)
    if not (says_something(one, bounded) and says_something(other, bounded)):
        return -math.inf
    return end_by_halving(one, other, limit, costs)


@kernel
def end_by_newton(one: Floats, other: Floats, limit: float, costs: Floats) -> float:
    """The evidence is convex in the margin, so that Newton's steps from below stay below."""
    low = -1.0
    for _ in range(_END_STEPS):
        found = pair_evidence(one, other, low, True, costs)
        if found < limit:  # by rounding, or there is no such margin
            break
        slope = slope_in_margin(one, other, low, costs)
        step = (found - limit) / slope if slope > 0.0 else 0.0
        if step <= 1e-13:
            break
        low += step
    back = 1e-12
    while low > -1.0 and pair_evidence(one, other, low, True, costs) < limit:
        low, back = max(low - back, -1.0), 2.0 * back
    return low


@kernel
def slope_in_margin(one: Floats, other: Floats, by: float, costs: Floats) -> float:
    """How fast the evidence falls in the margin, where `pair_evidence` has set the costs."""
    mean = minimiser(one, other, by, costs)
    rate = first_rate(True)
    _, slope = mixture(costs[0], rate, excess(one, mean + by, 1.0, True))
    return slope * one[COUNT]


@kernel
def end_by_halving(one: Floats, other: Floats, limit: float, costs: Floats) -> float:
    """The end of the interval without a range, as far down as it takes."""
    high = one[MEAN] - other[MEAN]
    step = math.sqrt(one[SQUARES]) / one[COUNT] + math.sqrt(other[SQUARES]) / other[COUNT]
    low = high - step
    for _ in range(_MOST_DOUBLINGS):
        if pair_evidence(one, other, low, False, costs) >= limit:
            break
        step *= 2.0
        high, low = low, low - step
    if pair_evidence(one, other, low, False, costs) < limit:
        return -math.inf
    for _ in range(_END_STEPS):
        middle = 0.5 * (low + high)
        if pair_evidence(one, other, middle, False, costs) >= limit:
            low = middle
        else:
            high = middle
    return low

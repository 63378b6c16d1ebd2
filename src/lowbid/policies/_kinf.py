"""Kinf: the evidence that losses of 0 or more give against a mean, without any family.

For n losses X of an arm, and a mean q below theirs, it is the least divergence of their empirical
distribution from any distribution on [0, infinity) whose mean is at most q:

    Kinf(q) = max over s in [0, 1] of  mean log(1 - s + s X / q).

It is convex in q and in log q, with the derivatives -s / q and -s at the best s, the *tilt*. It
does not depend on how large losses can be. It takes O(n) time in general, but O(1) in two cases:

- q is at most the losses' harmonic mean. Then s = 1, and Kinf is mean log X - log q.
- The losses are 0 or one other number b. Then Kinf is the divergence of Bernoulli distributions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._base import Floats
from lowbid.policies._divergences import bernoulli_divergence, bernoulli_lowest_mean
from lowbid.policies._history import History, append_loss, history_of
from lowbid.policies._limits import Limits, Sizes, real
from lowbid.policies._moments import Moments, add_loss, moments_of

_SEVERAL = -1.0
_STEPS = 60
# Newton's error after a step is about the square of its length.
_SMALL = 1e-7
_EXACT = 1e-15


class Sample(NamedTuple):
    """All losses of every arm, measured from the lowest possible one."""

    moments: Moments
    history: History
    log_sums: Floats  # minus infinity once a loss is 0
    inverse_sums: Floats  # infinite once a loss is 0
    atoms: Floats  # the only loss above 0; 0 if there is none yet, -1 if there are several
    tilts: Floats  # the last best s, from which the next one is sought
    bounds: Floats  # the last lowest mean, likewise

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "history.pool", real(0.0)
        yield "tilts", real(0.0, 1.0)


@allocating_kernel
def sample_of(n_arms: int, capacity: int, lowest: float) -> Sample:
    """Before the first loss."""
    sample = Sample(
        moments=moments_of(n_arms),
        history=history_of(n_arms, capacity),
        log_sums=np.zeros(n_arms),
        inverse_sums=np.zeros(n_arms),
        atoms=np.zeros(n_arms),
        tilts=np.full(n_arms, 0.5),
        bounds=np.zeros(n_arms),
    )
    sample.history.origin[0] = lowest
    return sample


@kernel
def add_to_sample(sample: Sample, arm: int, loss: float) -> None:
    """Record a loss of an arm."""
    loss = append_loss(sample.history, arm, loss)
    add_loss(sample.moments, arm, loss)
    if loss <= 0.0:
        sample.log_sums[arm] = -math.inf
        sample.inverse_sums[arm] = math.inf
        return
    sample.log_sums[arm] += math.log(loss)
    sample.inverse_sums[arm] += 1.0 / max(loss, 1e-300)
    if sample.atoms[arm] == 0.0:
        sample.atoms[arm] = loss
    elif sample.atoms[arm] != loss:
        sample.atoms[arm] = _SEVERAL


@kernel
def kinf(sample: Sample, arm: int, q: float, budget: float) -> tuple[float, float]:
    """Kinf of an arm's losses and a mean q, and the tilt; q is less than the losses' mean.

    The result is compared with a budget: far from it, it is not computed to full precision, unless
    the budget is NaN.
    """
    count, atom = sample.moments.counts[arm], sample.atoms[arm]
    if q <= 0.0:
        return math.inf, 1.0
    if q * sample.inverse_sums[arm] <= count:
        return sample.log_sums[arm] / count - math.log(q), 1.0
    if atom > 0.0:
        x, y = sample.moments.means[arm] / atom, q / atom
        return bernoulli_divergence(x, y, 1.0), (x - y) / (1.0 - y)
    low, high, tilt = 0.0, 1.0, sample.tilts[arm]
    value = 0.0
    for _ in range(_STEPS):
        value, slope, curvature = tilted(sample, arm, q, tilt)
        if slope > 0.0:
            low = tilt
        else:
            high = tilt
        step = slope / curvature
        value += 0.5 * slope * step  # where a parabola would have its peak
        if not low < tilt + step < high:
            tilt = 0.5 * (low + high)
            continue
        tilt += step
        error = slope * step
        if error <= _EXACT or error <= 0.01 * abs(value - budget):
            break
    sample.tilts[arm] = tilt
    return max(value, 0.0), tilt


@kernel
def tilted(sample: Sample, arm: int, q: float, tilt: float) -> tuple[float, float, float]:
    """The mean of log(1 - s + s X / q), its derivative in s, and minus its second derivative."""
    start, count = sample.history.start[arm], sample.history.counts[arm]
    logs, product, slope, curvature = 0.0, 1.0, 0.0, 0.0
    for i in range(start, start + count):
        excess = (sample.history.pool[i] - q) / q
        term = 1.0 + tilt * excess
        ratio = excess / term
        slope += ratio
        curvature += ratio * ratio
        product *= term
        if not 1e-100 < product < 1e100:  # one logarithm of many factors
            logs += math.log(product)
            product = 1.0
    return (logs + math.log(product)) / count, slope / count, curvature / count


@kernel
def lowest_mean(sample: Sample, arm: int, budget: float) -> tuple[float, float]:
    """The lowest mean q with Kinf(q) <= budget, and the tilt there.

    Newton's method on log q, starting from the last answer. Kinf is convex, so only the first step
    can overshoot.
    """
    mean, count, atom = sample.moments.means[arm], sample.moments.counts[arm], sample.atoms[arm]
    if mean <= 0.0:
        return 0.0, 0.0
    if sample.inverse_sums[arm] < math.inf:
        q = math.exp(sample.log_sums[arm] / count - budget)
        if q * sample.inverse_sums[arm] <= count:
            return q, 1.0
    if atom > 0.0:
        q = atom * bernoulli_lowest_mean(mean / atom, budget, 1.0)
        return q, (mean - q) / (atom - q)
    q = sample.bounds[arm]
    if not 0.0 < q < mean:
        q = 0.5 * mean
    log_q, tilt = math.log(q), 0.0
    for _ in range(_STEPS):
        value, tilt = kinf(sample, arm, q, budget)
        step = (value - budget) / tilt
        log_q += max(step, -5.0)
        q = min(math.exp(log_q), mean)
        if abs(step) <= _SMALL or q >= mean:
            break
    sample.bounds[arm] = q
    return q, tilt

"""Arms to try bounds on, and what proofs need, written out."""

import math

import numpy as np

import lowbid

TEST1 = lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3])
EASY = lowbid.Bernoulli([0.1, 0.9])
SCALED = lowbid.ScaledBernoulli(mean=[1.0, 2.0, 0.9], scale=[50.0, 4.0, 1.0])


def sums(means, scales=1.0):
    """(gap, variance, scale) of each suboptimal arm, written out."""
    means = np.asarray(means)
    scales = np.broadcast_to(scales, means.shape)
    best = means.min()
    return [(m - best, m * (b - m), b) for m, b in zip(means, scales, strict=True) if m > best]


def largest_batch(gap, linear, root):
    """The largest m with gap <= linear / m + root / sqrt(m), by bisection."""
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        inside = gap <= linear / middle + root / math.sqrt(middle)
        low, high = (middle, high) if inside else (low, middle)
    return low

"""Counts, means and squared deviations of every arm's losses."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._base import Floats
from lowbid.policies._limits import Limits, Sizes, real, sums, whole


class Moments(NamedTuple):
    """The statistics of each arm.

    Means come from sums, which are exact for losses of 0 and 1: arms with equal records then have
    equal means, and tie exactly.
    """

    counts: Floats
    sums: Floats
    means: Floats
    deviations: Floats  # the sum of squared deviations from the mean

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)
        yield "sums", sums()
        yield "means", sums()
        yield "deviations", real(0.0)

    def merged(self, other: Moments) -> Moments:
        """The statistics of each arm after the losses of both."""
        counts, sums = self.counts + other.counts, self.sums + other.sums
        apart = self.means - other.means
        between = apart * apart * self.counts * other.counts / np.maximum(counts, 1.0)
        return Moments(
            counts=counts,
            sums=sums,
            means=sums / np.maximum(counts, 1.0),
            deviations=self.deviations + other.deviations + between,
        )


@allocating_kernel
def moments_of(n_arms: int) -> Moments:
    """Before the first loss."""
    return Moments(
        counts=np.zeros(n_arms),
        sums=np.zeros(n_arms),
        means=np.zeros(n_arms),
        deviations=np.zeros(n_arms),
    )


@kernel
def add_loss(moments: Moments, arm: int, loss: float) -> None:
    """Record a loss of an arm.

    Squared deviations are added up one by one (Welford), not computed from the sum of squares,
    which would cancel for losses far from 0.
    """
    count = moments.counts[arm] + 1.0
    moments.counts[arm] = count
    moments.sums[arm] += loss
    mean = moments.sums[arm] / count
    if count > 1.0:
        moments.deviations[arm] += max((loss - moments.means[arm]) * (loss - mean), 0.0)
    moments.means[arm] = mean


@kernel
def variance_of(moments: Moments, arm: int) -> float:
    """The mean squared deviation from the mean, of an arm that was played."""
    return moments.deviations[arm] / moments.counts[arm]


def lowest_mean_of_played(moments: Moments) -> float:
    """The lowest mean of the arms that were played; infinite if none was."""
    return float(np.min(moments.means[moments.counts > 0.0], initial=math.inf))


@kernel
def lowest_mean_of(moments: Moments) -> float:
    """The lowest mean of all arms, if all were played."""
    lowest = moments.means[0]
    for arm in range(1, len(moments.means)):
        lowest = min(lowest, moments.means[arm])
    return lowest

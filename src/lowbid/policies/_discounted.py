"""Losses discounted with age."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._require import require_value
from lowbid.policies._arms import Start
from lowbid.policies._base import Floats, Ints, require_finite
from lowbid.policies._forgetting import ForgettingPolicy
from lowbid.policies._limits import Limits, Sizes, real, sums, whole


class Discounted(NamedTuple):
    """Discounted losses of each arm: the latest of all counts 1, the one before γ, then γ², ...

    Attributes
    ----------
    counts, sums
        The discounted number and sum of each arm's losses.
    seen
        The number of losses so far.
    """

    counts: Floats  # (arm,)
    sums: Floats  # (arm,)
    seen: Ints  # (1,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", real(0.0, sizes.steps)
        yield "sums", sums()
        yield "seen", whole(0, sizes.steps)


class DiscountedState(NamedTuple):
    """Discounted losses, and room for the arms' indices."""

    discounted: Discounted
    indices: Floats


@allocating_kernel
def init(parameters: DiscountPolicy, n_arms: int, capacity: int) -> DiscountedState:
    """Start with no losses."""
    discounted = Discounted(np.zeros(n_arms), np.zeros(n_arms), np.zeros(1, np.int64))
    return DiscountedState(discounted, np.zeros(n_arms))


@kernel
def discount_and_add(discounted: Discounted, discount: float, arm: int, loss: float) -> None:
    """Discount all earlier losses, and record a new one."""
    for other in range(len(discounted.counts)):
        discounted.counts[other] *= discount
        discounted.sums[other] *= discount
    discounted.counts[arm] += 1.0
    discounted.sums[arm] += loss
    discounted.seen[0] += 1


@dataclass(frozen=True)
class DiscountPolicy(ForgettingPolicy):
    """Base class of policies that multiply all earlier losses by `discount` at each new one.

    Parameters
    ----------
    discount : float
        The factor, above 0 and at most 1.
    """

    discount: float = 0.998

    def __post_init__(self) -> None:
        require_finite("discount", self.discount, above=0.0)
        require_value(
            "discount", self.discount, self.discount <= 1.0, "give a number above 0 and at most 1."
        )

    def join(
        self,
        first: DiscountedState,
        second: DiscountedState,
        sizes: tuple[int, int],
        start: Start,
    ) -> DiscountedState:
        """See `Policy.join`; an arm that comes back is discounted for the time it was away."""
        target: DiscountedState = super().join(first, second, sizes, start)
        missed = int(first.discounted.seen[0] - second.discounted.seen[0])
        factor = float(self.discount) ** max(missed, 0)
        target.discounted.counts[sizes[0] :] *= factor
        target.discounted.sums[sizes[0] :] *= factor
        return target

"""Thompson sampling with a Gaussian posterior of discounted losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid.policies._base import About, Kernels
from lowbid.policies._discounted import DiscountedState, DiscountPolicy, discount_and_add, init
from lowbid.policies._scan import argmin
from lowbid.policies._spread import DeviationPolicy


@kernel
def select(parameters: Any, state: DiscountedState, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    discounted = state.discounted
    for arm in range(len(state.indices)):
        count = discounted.counts[arm]
        if count > 0.0:
            error = parameters.sd / math.sqrt(count)
            state.indices[arm] = discounted.sums[arm] / count + error * normal(stream)
        else:
            state.indices[arm] = -math.inf
    return argmin(state.indices, True, stream)


@kernel
def update(
    parameters: Any,
    state: DiscountedState,
    arm: int,
    loss: float,
    step: int,
    stream: Stream,
) -> None:
    """Discount old losses, and record the new one."""
    discount_and_add(state.discounted, parameters.discount, arm, loss)


@dataclass(frozen=True)
class DiscountedGaussianThompson(DiscountPolicy, DeviationPolicy):
    r"""Discounted Thompson sampling for Gaussian arms that change, in loss form.

    A loss of any arm multiplies the weight of all losses before it by γ. With weights of sum n for
    arm a, and a weighted mean m, draw

    .. math:: \theta_a \sim N(m, \sigma^2 / n)

    and play the arm with the lowest draw; arms not yet played come first. This is the rule of [2]_,
    with the posterior of Gaussian losses without a prior in place of that of Bernoulli losses;
    [1]_ study a relative of it, whose standard deviations are bounded.

    Parameters
    ----------
    discount : float
        γ, above 0 and at most 1.
    sd : float, optional
        Sigma: the losses' standard deviation; by default half the width of the declared range,
        which is the largest possible one there, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Gaussian([0.0, 0.5]), lowbid.Gaussian([0.5, 0.0])],
    ...                         after=[1000])
    >>> policy = lowbid.DiscountedGaussianThompson(discount=0.995)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 123

    References
    ----------
    .. [1] H. Qi, Y. Wang, L. Zhu (2023). Discounted Thompson sampling for non-stationary bandit
       problems. arXiv 2305.10718.
    .. [2] V. Raj, S. Kalyani (2017). Taming non-stationary bandits: a Bayesian approach. arXiv
       1707.09727.
    """

    sd: float | None = None

    about = About(
        family="forgetting",
        needs="the losses' standard deviation, and how often the arms change",
        time="K",
        memory="K",
        guarantee="none known to us; a relative of it is within logarithms of sqrt(Υ T)",
        cite="raj2017taming,qi2023discounted",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        DeviationPolicy.__post_init__(self)

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all draws alike."""
        return True

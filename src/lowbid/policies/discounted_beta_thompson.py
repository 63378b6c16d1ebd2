"""Thompson sampling with a Beta posterior of discounted losses."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream, beta, coin
from lowbid.policies._base import About, Kernels, require_finite
from lowbid.policies._discounted import DiscountedState, DiscountPolicy, discount_and_add, init
from lowbid.policies._scan import argmin


@kernel
def select(
    parameters: DiscountedBetaThompson, state: DiscountedState, step: int, stream: Stream
) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    discounted = state.discounted
    for arm in range(len(state.indices)):
        bad = discounted.sums[arm]
        good = max(discounted.counts[arm] - bad, 0.0)  # exact up to rounding
        state.indices[arm] = beta(stream, parameters.prior_bad + bad, parameters.prior_good + good)
    return argmin(state.indices, True, stream)


@kernel
def update(
    parameters: DiscountedBetaThompson,
    state: DiscountedState,
    arm: int,
    loss: float,
    step: int,
    stream: Stream,
) -> None:
    """Discount all counts, then count a loss of 0 or 1; flip a coin for anything between."""
    flip = coin(stream, loss) if 0.0 < loss < 1.0 else loss
    discount_and_add(state.discounted, parameters.discount, arm, flip)


@dataclass(frozen=True)
class DiscountedBetaThompson(DiscountPolicy):
    r"""Discounted Thompson sampling for Bernoulli arms that change, in loss form.

    A loss of any arm multiplies the weight of all losses before it by γ. With weights of sum n for
    arm a, of which S belong to losses of 1, draw

    .. math:: \theta_a \sim \mathrm{Beta}(\alpha + S, \beta + n - S)

    and play the arm with the lowest draw; for an arm that was not played for a long time, that is a
    draw from the prior. A loss strictly between 0 and 1 is replaced by a coin flip of that
    probability, which keeps its mean.

    Parameters
    ----------
    discount : float
        γ, above 0 and at most 1.
    prior_bad, prior_good : float
        Alpha and beta: the imagined numbers of losses of 1 and of 0 of each arm. They are not
        discounted.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
    ...                         after=[1000])
    >>> policy = lowbid.DiscountedBetaThompson(discount=0.99)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 44

    References
    ----------
    .. [1] V. Raj, S. Kalyani (2017). Taming non-stationary bandits: a Bayesian approach. arXiv
       1707.09727.
    """

    prior_bad: float = 1.0
    prior_good: float = 1.0

    about = About(
        family="forgetting",
        needs="losses in [0, 1], and how often the arms change",
        time="K",
        memory="K",
        guarantee="none in the reference",
        cite="raj2017taming",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("prior_bad", self.prior_bad, above=0.0)
        require_finite("prior_good", self.prior_good, above=0.0)

    @property
    def loss_range(self) -> tuple[float, float]:
        """Losses are probabilities of a coin."""
        return 0.0, 1.0

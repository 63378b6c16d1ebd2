"""D-UCB: a confidence bound from discounted losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, require_finite
from lowbid.policies._discounted import DiscountedState, DiscountPolicy, discount_and_add, init
from lowbid.policies._scan import arm_of_lowest_index
from lowbid.policies._ucb import UCBPolicy


@kernel
def index(state: DiscountedState, arm: int, factor: float) -> float:
    """An arm's confidence bound; lower than all if nothing is left of its losses."""
    count = state.discounted.counts[arm]
    if count == 0.0:
        return -math.inf
    return state.discounted.sums[arm] / count - factor / math.sqrt(count)


lowest_arm = specialise(arm_of_lowest_index, index=index)


@kernel
def select(parameters: Any, state: DiscountedState, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    total = 0.0
    for arm in range(len(state.discounted.counts)):
        total += state.discounted.counts[arm]
    # The last loss counts 1 in full, so that only before the first one there is less.
    exploration = parameters.xi * math.log(max(total, 1.0))
    return lowest_arm(state, 2.0 * parameters.scale * math.sqrt(exploration), stream)


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
class DiscountedUCB(DiscountPolicy, UCBPolicy):
    r"""D-UCB, for arms that change, in loss form.

    A loss of any arm multiplies the weight of all losses before it by γ. With weights of sum n for
    arm a, a weighted mean m, and weights of sum N for all arms, its index is

    .. math:: m - 2 B \sqrt{\xi \log N / n}

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    discount : float
        γ, above 0 and at most 1. For T steps with Υ changes the paper uses
        1 - sqrt(Υ / T) / (4 B): see `lowbid.policies.tuned_discount`.
    xi : float
        ξ: how much to explore. The paper's bound is for more than 1/2.
    scale : float, optional
        B: the width of the losses' range; by default the width of the declared range, or 1 without
        one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
    ...                         after=[1000])
    >>> policy = lowbid.DiscountedUCB(discount=0.99)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 157

    References
    ----------
    .. [1] A. Garivier, E. Moulines (2011). On upper-confidence bound policies for switching bandit
       problems. ALT.
    """

    xi: float = 0.6
    scale: float | None = None

    about = About(
        family="forgetting",
        needs="the width of the losses' range, and how often the arms change",
        time="K",
        memory="K",
        guarantee="sqrt(Υ T) log T dynamic regret, up to factors of the gaps",
        cite="garivier2011upper",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        UCBPolicy.__post_init__(self)
        require_finite("xi", self.xi, above=0.0)

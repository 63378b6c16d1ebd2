"""PHE: the mean of an arm's losses and of fresh coin flips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, binomial
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels, Policy
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._scan import argmin

# Coins for each loss: they are counted, in whole numbers of 64 bits.
_MOST_COINS = 1e6
# 1.1 * 50 is a little more than 55 in floating point, and yet 55 coins are meant.
_ROUNDING = 1e-12


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    counts: Floats
    sums: Floats
    indices: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)


@allocating_kernel
def init(parameters: PHE, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(counts=np.zeros(n_arms), sums=np.zeros(n_arms), indices=np.zeros(n_arms))


@kernel
def select(parameters: PHE, state: State, step: int, stream: Stream) -> int:
    """Flip coins for every arm, and play the lowest mean."""
    for arm in range(len(state.indices)):
        count = state.counts[arm]
        coins = math.ceil(parameters.a * count * (1.0 - _ROUNDING))
        state.indices[arm] = -math.inf
        if count > 0.0:
            heads = binomial(stream, int(coins), 0.5)
            state.indices[arm] = (state.sums[arm] + heads) / (count + coins)
    return argmin(state.indices, True, stream)


@kernel
def update(parameters: PHE, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Count the loss."""
    state.counts[arm] += 1.0
    state.sums[arm] += loss


@dataclass(frozen=True)
class PHE(Policy):
    r"""Perturbed-history exploration, in loss form.

    With n losses of arm a, of sum S, flip :math:`\lceil a n \rceil` new fair coins at each step;
    with U heads among them, the arm's index is

    .. math:: \frac{S + U}{n + \lceil a n \rceil},

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    a : float
        The number of coins per loss: above 2 in the analysis; 1.1 in experiments.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.PHE(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.2

    References
    ----------
    .. [1] B. Kveton, C. Szepesvári, M. Ghavamzadeh, C. Boutilier (2019). Perturbed-history
       exploration in stochastic multi-armed bandits. IJCAI.
    """

    a: float = 1.1

    about = About(
        family="resampling",
        needs="losses in [0, 1]",
        time="K",
        memory="K",
        guarantee="sum over arms of log T / gap, for a > 2",
        cite="kveton2019perturbed",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    def __post_init__(self) -> None:
        require_finite("a", self.a, above=0.0, at_most=_MOST_COINS)

    @property
    def loss_range(self) -> tuple[float, float]:
        """Coins show 0 or 1."""
        return 0.0, 1.0

"""UCB-Tuned: UCB1 with the width that an arm's variance suggests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of, variance_of
from lowbid.policies._scan import argmin
from lowbid.policies._ucb import UCBPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    moments: Moments
    indices: Floats

    def merged(self, other: State) -> State:
        """The state after the losses of both."""
        moments = self.moments.merged(other.moments)
        return State(moments=moments, indices=np.full(len(self.indices), -math.inf))


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(moments=moments_of(n_arms), indices=np.full(n_arms, -math.inf))


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    log = math.log(step)
    square = parameters.scale * parameters.scale
    for arm in range(len(state.indices)):
        count = state.moments.counts[arm]
        if count > 0.0:
            share = log / count
            variance = variance_of(state.moments, arm) / square + math.sqrt(2.0 * share)
            width = parameters.scale * math.sqrt(share * min(0.25, variance))
            state.indices[arm] = state.moments.means[arm] - width
    return argmin(state.indices, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean and variance."""
    add_loss(state.moments, arm, loss)


@dataclass(frozen=True)
class UCBTuned(UCBPolicy):
    r"""UCB-Tuned, in loss form.

    With n losses of arm a, of mean m and (biased) variance V, its index at step t is

    .. math:: m - b \sqrt{\frac{\log t}{n}
              \min\left(\frac14, \frac{V}{b^2} + \sqrt{\frac{2 \log t}{n}}\right)}

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    scale : float, optional
        b: the width of the losses' range; by default that of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.UCBTuned(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    5.3

    References
    ----------
    .. [1] P. Auer, N. Cesa-Bianchi, P. Fischer (2002). Finite-time analysis of the multiarmed
       bandit problem. Machine Learning 47.
    """

    scale: float | None = None

    about = About(
        family="index",
        needs="the width of the losses' range",
        time="K",
        memory="K",
        guarantee="none by its authors",
        cite="auer2002finite",
    )
    kernels = Kernels(init, select, update)

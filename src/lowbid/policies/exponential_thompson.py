"""Thompson sampling for exponentially distributed losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, gamma
from lowbid.policies._base import About, Floats, Kernels, Policy
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin


class State(NamedTuple):
    """The statistics of each arm, and room for the draws."""

    moments: Moments
    draws: Floats

    def merged(self, other: State) -> State:
        """The statistics after the losses of both; what was drawn does not matter."""
        return State(self.moments.merged(other.moments), np.full_like(self.draws, -math.inf))


@allocating_kernel
def init(parameters: ExponentialThompson, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's draw is minus infinity."""
    return State(moments=moments_of(n_arms), draws=np.full(n_arms, -math.inf))


@kernel
def select(parameters: ExponentialThompson, state: State, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    for arm in range(len(state.draws)):
        count = state.moments.counts[arm]
        if count > 0.0:
            state.draws[arm] = state.moments.sums[arm] / gamma(stream, count)
    return argmin(state.draws, True, stream)


@kernel
def update(
    parameters: ExponentialThompson, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Add the loss to the arm's sum."""
    add_loss(state.moments, arm, loss)


@dataclass(frozen=True)
class ExponentialThompson(Policy):
    r"""Thompson sampling for exponential arms, in loss form.

    With n losses of arm a, of sum S, and Jeffreys' prior for its mean, draw

    .. math:: \theta_a = S / G, \qquad G \sim \mathrm{Gamma}(n, 1)

    and play the arm with the lowest draw; arms not yet played come first.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.ExponentialByMean([0.1, 0.5, 0.9])
    >>> policy = lowbid.ExponentialThompson()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    3.0

    References
    ----------
    .. [1] N. Korda, E. Kaufmann, R. Munos (2013). Thompson sampling for 1-dimensional exponential
       family bandits. NeurIPS.
    """

    about = About(
        family="posterior sampling",
        needs="exponentially distributed losses",
        time="K",
        memory="K",
        guarantee="asymptotically optimal for exponential losses",
        cite="korda2013thompson",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    @property
    def scale_free(self) -> bool:
        """Draws scale with the losses."""
        return True

    @property
    def loss_range(self) -> tuple[float, float]:
        """Losses are not negative."""
        return 0.0, math.inf

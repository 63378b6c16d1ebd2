"""Thompson sampling with a Gaussian posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, normal
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin
from lowbid.policies._spread import DeviationPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the draws."""

    moments: Moments
    draws: Floats

    def merged(self, other: State) -> State:
        """The statistics after the losses of both; what was drawn does not matter."""
        return State(self.moments.merged(other.moments), np.full_like(self.draws, -math.inf))


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's draw is minus infinity."""
    return State(moments=moments_of(n_arms), draws=np.full(n_arms, -math.inf))


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    for arm in range(len(state.draws)):
        count = state.moments.counts[arm]
        if count > 0.0:
            error = parameters.sd / math.sqrt(count)
            state.draws[arm] = state.moments.means[arm] + error * normal(stream)
    return argmin(state.draws, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)


@dataclass(frozen=True)
class GaussianThompson(DeviationPolicy):
    r"""Thompson sampling for Gaussian arms of known standard deviation, in loss form.

    With n losses of arm a, of mean m, and no prior knowledge of its mean, draw

    .. math:: \theta_a \sim N(m, \sigma^2 / n)

    and play the arm with the lowest draw; arms not yet played come first.

    Parameters
    ----------
    sd : float, optional
        Sigma: the losses' standard deviation; by default half the width of the declared range,
        which is the largest possible one there, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.GaussianThompson(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    29.5

    References
    ----------
    .. [1] W. R. Thompson (1933). On the likelihood that one unknown probability exceeds another
       in view of the evidence of two samples. Biometrika 25.
    .. [2] N. Korda, E. Kaufmann, R. Munos (2013). Thompson sampling for 1-dimensional exponential
       family bandits. NeurIPS.
    """

    sd: float | None = None

    about = About(
        family="posterior sampling",
        needs="the losses' standard deviation",
        time="K",
        memory="K",
        guarantee="asymptotically optimal for Gaussian losses",
        cite="korda2013thompson",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all draws alike."""
        return True

"""ReBoot: the mean, with residuals added under random weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin
from lowbid.policies._spread import DeviationPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the draws."""

    moments: Moments
    widths: Floats  # the standard deviation of the draw, infinite before the first loss
    draws: Floats


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(
        moments=moments_of(n_arms), widths=np.full(n_arms, math.inf), draws=np.zeros(n_arms)
    )


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    for arm in range(len(state.draws)):
        state.draws[arm] = -math.inf
        if state.widths[arm] < math.inf:
            state.draws[arm] = state.moments.means[arm] + state.widths[arm] * normal(stream)
    return argmin(state.draws, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean and residuals, and with them the width of its draws."""
    add_loss(state.moments, arm, loss)
    size = state.moments.counts[arm] + 2.0
    inflation = parameters.inflation * parameters.sd
    squares = state.moments.deviations[arm] + 2.0 * size * inflation * inflation
    state.widths[arm] = math.sqrt(squares) / size


@dataclass(frozen=True)
class ReBoot(DeviationPolicy):
    r"""Residual bootstrap exploration with Gaussian weights, in loss form.

    With n losses of arm a, of mean m, take their residuals :math:`e_i = X_i - m` and two made-up
    ones, :math:`\pm\sqrt{n + 2}\, r \sigma`. Under independent standard normal weights w, the
    arm's index

    .. math:: m + \frac{1}{n + 2} \sum_{i=1}^{n+2} w_i e_i

    is normally distributed with mean m, and it is drawn as such. The arm with the lowest index is
    played; arms not yet played come first.

    Parameters
    ----------
    sd : float, optional
        Sigma: the losses' standard deviation, or a guess of it; by default half the width of the
        declared range, which is the largest possible one there, or 1 without one.
    inflation : float
        r: how much wider the made-up residuals are; the authors recommend 1.5.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9], sd=1.0)
    >>> result = lowbid.simulate(lowbid.ReBoot(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    77.4

    References
    ----------
    .. [1] C.-H. Wang, Y. Yu, B. Hao, G. Cheng (2020). Residual bootstrap exploration for bandit
       algorithms. arXiv:2002.08436.
    """

    sd: float | None = None
    inflation: float = 1.5

    about = About(
        family="resampling",
        needs="the losses' standard deviation",
        time="K",
        memory="K",
        guarantee="log T for Gaussian losses, with enough inflation",
        cite="wang2020residual",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("inflation", self.inflation, above=0.0)

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all draws alike."""
        return True

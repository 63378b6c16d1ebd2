"""Anytime MOSS: the step in place of the horizon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin
from lowbid.policies._ucb import UCBPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    moments: Moments
    log_counts: Floats  # log n
    indices: Floats

    def merged(self, other: State) -> State:
        """The state after the losses of both."""
        moments = self.moments.merged(other.moments)
        return State(
            moments=moments,
            log_counts=np.log(np.maximum(moments.counts, 1.0)),
            indices=np.full(len(self.indices), -math.inf),
        )


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(
        moments=moments_of(n_arms),
        log_counts=np.zeros(n_arms),
        indices=np.full(n_arms, -math.inf),
    )


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    log = math.log(step) - math.log(len(state.indices))
    factor = 0.5 * (1.0 + parameters.alpha)
    for arm in range(len(state.indices)):
        count = state.moments.counts[arm]
        if count > 0.0:
            budget = factor * max(log - state.log_counts[arm], 0.0) / count
            state.indices[arm] = state.moments.means[arm] - parameters.scale * math.sqrt(budget)
    return argmin(state.indices, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)
    state.log_counts[arm] = math.log(state.moments.counts[arm])


@dataclass(frozen=True)
class AnytimeMOSS(UCBPolicy):
    r"""Anytime MOSS, in loss form.

    With n losses of arm a, of mean m, its index at step t is

    .. math:: m - b \sqrt{\frac{1 + \alpha}{2 n} \log^+ \frac{t}{K n}}

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    alpha : float
        How much wider than `MOSS` the index is, for not knowing the horizon.
    scale : float, optional
        b: the width of the losses' range, or twice their standard deviation if they are
        Gaussian; by default the width of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.AnytimeMOSS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    13.9

    References
    ----------
    .. [1] R. Degenne, V. Perchet (2016). Anytime optimal algorithms in stochastic multi-armed
       bandits. ICML.
    """

    alpha: float = 1.35
    scale: float | None = None

    about = About(
        family="index",
        needs="the width of the losses' range",
        time="K",
        memory="K",
        guarantee="b sqrt(K t) at every step t, whatever the gaps",
        cite="degenne2016anytime",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_finite("alpha", self.alpha, above=0.0)
        super().__post_init__()

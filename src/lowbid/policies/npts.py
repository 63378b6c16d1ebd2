"""NPTS: Thompson sampling without a model, by random weights on an arm's own losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels, Policy
from lowbid.policies._dirichlet import weighted_mean
from lowbid.policies._history import (
    History,
    TwoValues,
    append_loss,
    count_value,
    history_of,
    two_values_of,
)
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._scan import argmin


class State(NamedTuple):
    """All losses, measured from the best possible one, and room for the draws."""

    history: History
    values: TwoValues
    draws: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "values.counts", whole(0, self.history.counts)


@allocating_kernel
def init(parameters: NPTS, n_arms: int, capacity: int) -> State:
    """Start with only the imagined loss."""
    state = State(
        history=history_of(n_arms, capacity),
        values=two_values_of(n_arms),
        draws=np.zeros(n_arms),
    )
    state.history.origin[0] = parameters.best
    return state


@kernel
def select(parameters: NPTS, state: State, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    for arm in range(len(state.draws)):
        state.draws[arm] = weighted_mean(state.history, state.values, arm, 0.0, stream)
    return argmin(state.draws, True, stream)


@kernel
def update(
    parameters: NPTS, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Store the loss."""
    count_value(state.values, arm, append_loss(state.history, arm, loss))


@dataclass(frozen=True)
class NPTS(Policy):
    r"""Non-parametric Thompson sampling, in loss form.

    Imagine that each arm has shown the best possible loss once. With its n losses X and random
    weights :math:`(w_0, \ldots, w_n) \sim \mathrm{Dirichlet}(1, \ldots, 1)`, its index is

    .. math:: w_0 b + \sum_{i=1}^{n} w_i X_i,

    and the arm with the lowest index is played; ties are broken uniformly at random. For losses of
    0 and 1 the index is a draw from Beta(S, n + 1 - S), with S the number of ones, which takes
    constant time; otherwise a step takes time that grows with the number of steps so far.

    Parameters
    ----------
    best : float
        b: the best possible loss. The worst need not be known.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.NPTS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.7

    References
    ----------
    .. [1] C. Riou, J. Honda (2020). Bandit algorithms based on Thompson sampling for bounded
       reward distributions. ALT.
    """

    best: float = 0.0

    about = About(
        family="posterior sampling",
        needs="the best possible loss",
        time="t; K with losses of two values, one of them the best",
        memory="t",
        guarantee="asymptotically optimal for bounded losses",
        cite="riou2020bandit",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_finite("best", self.best, above=-math.inf)

    @property
    def scale_free(self) -> bool:
        """Weighted means scale with the losses, if the best one does."""
        return self.best == 0.0

    @property
    def loss_range(self) -> tuple[float, float]:
        """No loss is better than the best."""
        return self.best, math.inf

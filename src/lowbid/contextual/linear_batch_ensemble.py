"""Batch Ensemble with features: the most optimistic of regressions that each miss one batch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_whole
from lowbid.contextual._ridge import Ridge, RidgePolicy, ridge_of
from lowbid.contextual._triangle import add_multiple, add_square, dot, times
from lowbid.policies import About, Kernels, Policy, argmin

_MOST_BATCHES = 100


class State(NamedTuple):
    """A regression for each arm and batch, on the losses outside the batch."""

    ridge: Ridge  # its regressions are those on all losses
    inverse: Floats  # (arm, batch, packed triangle)
    weights: Floats  # (arm, batch, column)


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    ridge = ridge_of(n_arms, parameters.columns, parameters.penalty)
    inverse = np.zeros((n_arms, parameters.batches, ridge.inverse.shape[1]))
    for arm in range(n_arms):
        for batch in range(parameters.batches):
            for j in range(ridge.inverse.shape[1]):
                inverse[arm, batch, j] = ridge.inverse[arm, j]
    weights = np.zeros((n_arms, parameters.batches, parameters.columns + 1))
    return State(ridge=ridge, inverse=inverse, weights=weights)


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm whose lowest estimate is the lowest."""
    ridge = state.ridge
    for arm in range(len(ridge.indices)):
        members = state.weights[arm]
        lowest = -math.inf
        if ridge.counts[arm] > 0.0:
            lowest = dot(members[0], ridge.columns.x)
            for batch in range(1, members.shape[0]):
                lowest = min(lowest, dot(members[batch], ridge.columns.x))
        ridge.indices[arm] = lowest
    return argmin(ridge.indices, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Deal the loss to a batch, and fit it in all others."""
    ridge = state.ridge
    x, room = ridge.columns.x, ridge.room
    dealt = int(ridge.counts[arm]) % parameters.batches
    ridge.counts[arm] += 1.0
    inverses, weights = state.inverse[arm], state.weights[arm]
    for batch in range(inverses.shape[0]):
        if batch != dealt:
            times(inverses[batch], x, room)
            scale = 1.0 / (1.0 + dot(x, room))
            add_multiple(weights[batch], scale * (loss - dot(weights[batch], x)), room)
            add_square(inverses[batch], -scale, room)


@dataclass(frozen=True)
class LinearBatchEnsemble(RidgePolicy):
    r"""Batch Ensemble with features: regressions that each miss one batch of an arm's losses.

    An arm's losses are dealt round-robin into l batches. With x the features and 1, regression j is
    the ridge regression of all its losses but those of batch j,

    .. math:: \hat\theta_j = \Big(\lambda I + \sum_{i \notin B_j} x_i x_i^\top\Big)^{-1}
              \sum_{i \notin B_j} x_i y_i,

    and the arm with the lowest :math:`\min_j \hat\theta_j \cdot x` is played, ties broken uniformly
    at random; arms never played come first. A batch of its own, as in `BatchEnsemble`, would have
    too few losses for a regression: leaving one out keeps the idea, that estimates from different
    losses disagree by as much as they are uncertain. As there, 0 must be the best possible loss:
    the penalty pulls estimates to 0. Features are taken as they are: scale them to about 1 in size.

    Parameters
    ----------
    batches : int
        l, 2 or more.
    penalty : float
        λ: the weight of the penalty.
    columns : int
        The number of columns of features; set by the bandit or the environment.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> policy = contextual.LinearBatchEnsemble()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    24.4

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI.
    """

    batches: int = 6
    penalty: float = 1.0
    columns: int = 0

    about = About(
        family="ensemble",
        needs="the best possible loss, as 0",
        time="l (K d + d²)",
        memory="K l d²",
        guarantee="none",
        cite="cassel2025batch",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("batches", self.batches, at_least=2, at_most=_MOST_BATCHES)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, and with some."""
        return [cls(), cls(columns=2)]

    def check_size(self, n_arms: int) -> None:
        """Refuse a state that would be too large: each batch has a matrix."""
        super().check_size(n_arms * self.batches)

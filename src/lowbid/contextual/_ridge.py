"""Ridge regression of each arm on the features as they are: for policies of the literature.

Nothing is standardised and nothing is estimated: how such a rule behaves depends on the units of
losses and features, and on the parameters given.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._require import require_finite
from lowbid.contextual._columns import Columns, columns_of
from lowbid.contextual._policy import ContextualPolicy
from lowbid.contextual._triangle import add_multiple, add_square, dot, form, packed, times
from lowbid.policies import Limits, Sizes, whole


class Ridge(NamedTuple):
    """A ridge regression for each arm.

    Attributes
    ----------
    columns
        The features at hand; only `given` and `x` are used.
    counts
        The number of each arm's losses.
    inverse
        The inverse of λ I + the sum of x x', a packed triangle.
    weights
        The solution.
    room
        Room to compute in.
    indices
        The arms' indices at the last choice.
    """

    columns: Columns
    counts: Floats
    inverse: Floats
    weights: Floats
    room: Floats
    indices: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `policies._limits`."""
        yield "counts", whole(0, sizes.steps)


@allocating_kernel
def ridge_of(n_arms: int, columns: int, penalty: float) -> Ridge:
    """Before the first loss."""
    d = columns + 1
    inverse = np.zeros((n_arms, packed(d)))
    for arm in range(n_arms):
        first = 0
        for i in range(d):
            inverse[arm, first] = 1.0 / penalty
            first += d - i
    return Ridge(
        columns=columns_of(columns),
        counts=np.zeros(n_arms),
        inverse=inverse,
        weights=np.zeros((n_arms, d)),
        room=np.zeros(d),
        indices=np.zeros(n_arms),
    )


@kernel
def see(state: Any, features: Floats) -> None:
    """Take the features of the next call."""
    x = state.ridge.columns.x
    for j in range(min(len(x) - 1, len(features))):
        x[j + 1] = 0.0 if math.isnan(features[j]) else features[j]


@kernel
def keep(state: Any, memory: Floats) -> None:
    """Write down the features of a decision."""
    x = state.ridge.columns.x
    for j in range(min(len(x) - 1, len(memory))):
        memory[j] = x[j + 1]


@kernel
def estimate(ridge: Ridge, arm: int) -> float:
    """The loss that an arm's regression predicts."""
    return dot(ridge.weights[arm], ridge.columns.x)


@kernel
def width(ridge: Ridge, arm: int) -> float:
    """The square root of x' A^-1 x."""
    return math.sqrt(max(form(ridge.inverse[arm], ridge.columns.x, ridge.room), 0.0))


@kernel
def fit(ridge: Ridge, arm: int, loss: float) -> None:
    """Learn from a loss of an arm; `room` is left as A^-1 x, for the new A."""
    x, room, weights = ridge.columns.x, ridge.room, ridge.weights[arm]
    ridge.counts[arm] += 1.0
    times(ridge.inverse[arm], x, room)
    scale = 1.0 / (1.0 + dot(x, room))
    add_multiple(weights, scale * (loss - dot(weights, x)), room)
    add_square(ridge.inverse[arm], -scale, room)
    for j in range(len(room)):
        room[j] *= scale


class State(NamedTuple):
    """The regressions."""

    ridge: Ridge


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    return State(ridge_of(n_arms, parameters.columns, parameters.penalty))


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Floats) -> None:
    """Learn from the loss."""
    fit(state.ridge, arm, loss)


class RidgePolicy(ContextualPolicy):
    """Base class of policies with one ridge regression per arm."""

    penalty: float
    see = see
    keep = keep

    def __post_init__(self) -> None:
        require_finite("penalty", self.penalty, above=0.0)
        self.check_columns()

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Any:
        """The parameters that the kernels read."""
        self.check_size(n_arms)
        return super().parameters(n_arms, horizon, capacity)

    def columns_of(self, state: Any) -> Columns:
        """The features within a state."""
        return state.ridge.columns

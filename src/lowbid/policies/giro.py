"""GIRO: the bootstrap mean of an arm's losses, with losses of 0 and 1 mixed in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, binomial, coin, integer
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels, Policy
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

# Made-up losses are counted, in whole numbers of 64 bits.
_MOST_PER_LOSS = 1e6


class State(NamedTuple):
    """All losses, and room for the indices."""

    history: History
    values: TwoValues
    indices: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "values.counts", whole(0, self.history.counts)


@allocating_kernel
def init(parameters: GIRO, n_arms: int, capacity: int) -> State:
    """Start with no losses, and measure them from 0."""
    state = State(
        history=history_of(n_arms, capacity),
        values=two_values_of(n_arms),
        indices=np.zeros(n_arms),
    )
    state.history.origin[0] = 0.0
    return state


@kernel
def select(parameters: GIRO, state: State, step: int, stream: Stream) -> int:
    """Draw a bootstrap mean for every arm, and play the lowest."""
    for arm in range(len(state.indices)):
        state.indices[arm] = -math.inf
        if state.history.counts[arm] > 0:
            state.indices[arm] = bootstrap_mean(parameters, state, arm, stream)
    return argmin(state.indices, True, stream)


@kernel
def bootstrap_mean(parameters: GIRO, state: State, arm: int, stream: Stream) -> float:
    """The mean of as many draws with replacement as there are losses, made-up ones included."""
    count = state.history.counts[arm]
    pseudo = math.floor(parameters.a * count)
    pseudo += coin(stream, parameters.a * count - pseudo)
    size = int(count + 2 * pseudo)
    if state.values.broken[0] == 0 and state.values.other[0] in (0.0, 1.0):
        return binomial(stream, size, (state.values.counts[arm] + pseudo) / size) / size
    real = binomial(stream, size, count / size)
    total = float(binomial(stream, size - real, 0.5))
    for _ in range(real):
        total += state.history.pool[state.history.start[arm] + integer(stream, count)]
    return total / size


@kernel
def update(
    parameters: GIRO, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Store the loss."""
    count_value(state.values, arm, append_loss(state.history, arm, loss))


@dataclass(frozen=True)
class GIRO(Policy):
    r"""Garbage in, reward out, in loss form.

    To the n losses of an arm add a n losses of 0 and a n losses of 1, and draw as many from all of
    these, with replacement: the mean of the draws is the arm's index. The arm with the lowest index
    is played; arms not yet played come first. Ties are broken uniformly at random. If a n is not
    whole, it is rounded up or down at random at each step, so that its mean is right.

    For losses of 0 and 1 the sum of the draws is one binomial draw; otherwise a step takes time
    that grows with the number of steps so far.

    Parameters
    ----------
    a : float
        The number of made-up losses of each kind per real one: above :math:`1/\sqrt{2}` in the
        analysis, which 1 satisfies; smaller values such as 0.1 explore less.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.GIRO(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    19.2

    References
    ----------
    .. [1] B. Kveton, C. Szepesvári, S. Vaswani, Z. Wen, T. Lattimore, M. Ghavamzadeh (2019).
       Garbage in, reward out: bootstrapping exploration in multi-armed bandits. ICML.
    """

    a: float = 1.0

    about = About(
        family="resampling",
        needs="losses in [0, 1]",
        time="t; K with losses of 0 and 1",
        memory="t",
        guarantee="sum over arms of log T / gap, for Bernoulli losses",
        cite="kveton2019garbage",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_finite("a", self.a, above=0.0, at_most=_MOST_PER_LOSS)

    @classmethod
    def variants(cls) -> list[Policy]:
        """The value in the analysis, and one for practice."""
        return [cls(), cls(a=0.1)]

    @property
    def loss_range(self) -> tuple[float, float]:
        """Made-up losses are 0 and 1."""
        return 0.0, 1.0

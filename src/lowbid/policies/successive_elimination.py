"""Successive elimination: rounds over all arms that may still be the best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_probability
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._limits import Limits, Sizes, real
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin
from lowbid.policies._spread import SpreadPolicy


class State(NamedTuple):
    """The statistics of each arm."""

    moments: Moments
    turns: Floats  # how often the arm was played; infinite once it is out

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "turns", real(0.0)


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with all arms in the race."""
    return State(moments=moments_of(n_arms), turns=np.zeros(n_arms))


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play an arm whose turn in this round is still to come."""
    return argmin(state.turns, True, stream)


@kernel
def update(
    parameters: Any,
    state: State,
    arm: int,
    loss: float,
    step: int,
    stream: Stream,
) -> None:
    """Update the arm's mean; at the end of a round, eliminate arms that are too bad."""
    add_loss(state.moments, arm, loss)
    state.turns[arm] += 1.0
    shortest = state.turns[arm]
    lowest = math.inf
    for other in range(len(state.turns)):
        if state.turns[other] < math.inf:
            shortest = min(shortest, state.turns[other])
            lowest = min(lowest, state.moments.means[other])
    if shortest == state.turns[arm]:
        limit = lowest + 2.0 * radius(parameters, shortest, len(state.turns))
        for other in range(len(state.turns)):
            if state.moments.means[other] > limit:
                state.turns[other] = math.inf


@kernel
def radius(parameters: Any, count: float, n_arms: int) -> float:
    """How far a mean of this many losses may be off, for all arms and rounds simultaneously."""
    log = math.log(4.0 * n_arms * count * count / parameters.delta)
    return parameters.scale * math.sqrt(log / (2.0 * count))


@dataclass(frozen=True)
class SuccessiveElimination(SpreadPolicy):
    r"""Successive elimination.

    All arms are played in rounds, in random order. After round n an arm is eliminated if its mean
    loss is more than 2 r above the lowest mean of the remaining arms, with

    .. math:: r = b \sqrt{\log(4 K n^2 / \delta) / (2 n)}.

    With probability at least 1 - delta the best arm is never eliminated.

    Parameters
    ----------
    delta : float
        The largest acceptable probability of eliminating the best arm.
    scale : float, optional
        b: the width of the losses' range, or twice their standard deviation if they are
        Gaussian; by default the width of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.SuccessiveElimination()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    112.2

    References
    ----------
    .. [1] E. Even-Dar, S. Mannor, Y. Mansour (2006). Action elimination and stopping conditions
       for the multi-armed bandit and reinforcement learning problems. JMLR 7.
    """

    delta: float = 0.05
    scale: float | None = None

    about = About(
        family="plain",
        needs="the width of the losses' range",
        time="K",
        memory="K",
        guarantee="with probability 1 - delta, sum over arms of b^2 log(K T / delta) / gap",
        cite="evendar2006action",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_probability("delta", self.delta)
        super().__post_init__()

    @property
    def location_free(self) -> bool:
        """Only differences of means matter."""
        return True

"""UCB1: the mean, less a confidence width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._logs import log_of
from lowbid.policies._scan import arm_of_lowest_index
from lowbid.policies._ucb import UCBPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    counts: Floats
    sums: Floats
    means: Floats
    widths: Floats  # 1 / sqrt(count), infinite before the first loss
    indices: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)

    def merged(self, other: State) -> State:
        """The state after the losses of both."""
        counts, sums = self.counts + other.counts, self.sums + other.sums
        with np.errstate(divide="ignore"):
            widths = 1.0 / np.sqrt(counts)
        return State(
            counts=counts,
            sums=sums,
            means=sums / np.maximum(counts, 1.0),
            widths=widths,
            indices=np.zeros(len(counts)),
        )


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before the first step every arm's width is infinite, so each is played once."""
    return State(
        counts=np.zeros(n_arms),
        sums=np.zeros(n_arms),
        means=np.zeros(n_arms),
        widths=np.full(n_arms, math.inf),
        indices=np.zeros(n_arms),
    )


@kernel
def index(state: State, arm: int, factor: float) -> float:
    """An arm's confidence bound."""
    return state.means[arm] - factor * state.widths[arm]


lowest_arm = specialise(arm_of_lowest_index, index=index)


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    # At t = 1 nothing has been played, and 0 times infinity must not come up.
    factor = parameters.scale * math.sqrt(2.0 * log_of(max(step, 2)))
    return lowest_arm(state, factor, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean, and shrink its width."""
    count = state.counts[arm] + 1.0
    state.counts[arm] = count
    state.sums[arm] += loss
    state.means[arm] = state.sums[arm] / count
    state.widths[arm] = 1.0 / math.sqrt(count)


@dataclass(frozen=True)
class UCB1(UCBPolicy):
    r"""UCB1, in loss form.

    With n losses of arm a, of mean m, its index at step t is

    .. math:: m - b \sqrt{2 \log t / n}

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    scale : float, optional
        b: the width of the losses' range, or their standard deviation if they are Gaussian; by
        default the width of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.UCB1(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    33.8

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
        guarantee="sum over arms of b^2 log T / gap",
        cite="auer2002finite",
    )
    kernels = Kernels(init, select, update)

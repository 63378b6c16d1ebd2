"""Uniform play: any arm, whatever happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, integer
from lowbid.policies._base import About, Ints, Kernels, Policy
from lowbid.policies._limits import Limits, Sizes, whole


class State(NamedTuple):
    """How often each arm was played; the rule does not use it."""

    counts: Ints

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)


@allocating_kernel
def init(parameters: UniformPlay, n_arms: int, capacity: int) -> State:
    """Nothing was played."""
    return State(counts=np.zeros(n_arms, np.int64))


@kernel
def select(parameters: UniformPlay, state: State, step: int, stream: Stream) -> int:
    """Play any arm."""
    return integer(stream, len(state.counts))


@kernel
def update(
    parameters: UniformPlay, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Count the play; the loss does not matter."""
    state.counts[arm] += 1


@dataclass(frozen=True)
class UniformPlay(Policy):
    r"""Uniform play: at each step an arm drawn uniformly at random.

    This is a baseline that learns nothing: its regret is T times the mean gap.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.UniformPlay(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    398.7

    References
    ----------
    .. [1] T. Lattimore, C. Szepesvári (2020). Bandit algorithms. Cambridge University Press.
    """

    about = About(
        family="plain",
        needs="nothing",
        time="1",
        memory="K",
        guarantee="none: linear in T",
        cite="lattimore2020bandit",
    )
    kernels = Kernels(init, select, update)

    def chance(self, state: State, step: int, arm: int) -> float:
        """The same for every arm."""
        return 1.0 / len(state.counts)

    @property
    def scale_free(self) -> bool:
        """Losses do not matter."""
        return True

    @property
    def location_free(self) -> bool:
        """Losses do not matter."""
        return True

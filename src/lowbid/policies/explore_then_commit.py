"""Explore then commit: every arm equally often, then one arm forever."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_whole
from lowbid.policies._base import About, Ints, Kernels, Policy
from lowbid.policies._horizon import known_horizon
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    plays: int


class State(NamedTuple):
    """The statistics of each arm, and the arm committed to."""

    moments: Moments
    committed: Ints  # (1,); -1 while exploring

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "committed", whole(-1, sizes.n_arms - 1)

    def renumber(self, before: State, arms: Sequence[int]) -> None:
        """Explore again if an arm is new, or if the chosen arm was removed."""
        known = before.committed[0] in arms and -1 not in arms
        self.committed[0] = arms.index(int(before.committed[0])) if known else -1


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Start exploring."""
    return State(moments=moments_of(n_arms), committed=np.full(1, -1, np.int64))


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm played least; when all were played enough, commit to the lowest mean."""
    if state.committed[0] < 0:
        arm = argmin(state.moments.counts, True, stream)
        if state.moments.counts[arm] < parameters.plays:
            return arm
        state.committed[0] = argmin(state.moments.means, True, stream)
    return state.committed[0]


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)


@dataclass(frozen=True)
class ExploreThenCommit(Policy):
    r"""Explore, then commit.

    Each arm is played m times, in rounds of random order; then the arm with the lowest mean loss is
    played for the rest of the time, whatever its losses. Ties are broken uniformly at random.

    Parameters
    ----------
    plays : int, optional
        m; by default :math:`\lceil (T / K)^{2/3} (\log T)^{1/3} \rceil`, the choice that is safe
        whatever the gaps.
    horizon : int, optional
        T; by default the simulation's. Only needed if m is not given.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.ExploreThenCommit(plays=20)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    27.8

    References
    ----------
    .. [1] T. Lattimore, C. Szepesvári (2020). Bandit algorithms. Cambridge University Press,
       chapter 6.
    """

    plays: int | None = None
    horizon: int | None = None

    about = About(
        family="plain",
        needs="the horizon, or how long to explore",
        time="K while exploring, then 1",
        memory="K",
        guarantee="T^(2/3) (K log T)^(1/3), whatever the gaps",
        cite="lattimore2020bandit",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        if self.plays is not None:
            require_whole("plays", self.plays)
        if self.horizon is not None:
            require_whole("horizon", self.horizon)

    @property
    def scale_free(self) -> bool:
        """Means are compared with each other only."""
        return True

    @property
    def location_free(self) -> bool:
        """Means are compared with each other only."""
        return True

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read, with the number of plays computed."""
        if self.plays is not None:
            return Parameters(plays=int(self.plays))
        steps = known_horizon(self.name, self.horizon, horizon)
        plays = (steps / n_arms) ** (2.0 / 3.0) * math.log(steps) ** (1.0 / 3.0)
        return Parameters(plays=max(1, math.ceil(plays)))

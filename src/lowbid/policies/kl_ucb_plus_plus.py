"""KL-UCB++: optimal both for a given problem and in the worst case."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_whole
from lowbid.policies._base import About, Kernels
from lowbid.policies._families import Family, FamilyPolicy
from lowbid.policies._horizon import known_horizon
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._ranking import Ranking, lowest_arm, place, unplayed_ranking_of

# The family's kernel that the template below is bound to.
lowest_mean: Any = None


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    share: float  # T / K
    sd: float


class State(NamedTuple):
    """The statistics of each arm, and its index."""

    moments: Moments
    ranking: Ranking


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(moments=moments_of(n_arms), ranking=unplayed_ranking_of(n_arms))


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    return lowest_arm(state.ranking, True, stream)


@kernel
def exploration(share: float) -> float:
    """The value of g(y) = log+(y (1 + (log+ y)^2)) at y = T / (K n)."""
    log = math.log(max(share, 1.0))
    return math.log(max(share * (1.0 + log * log), 1.0))


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Compute the arm's index, which only its own losses change."""
    add_loss(state.moments, arm, loss)
    count = state.moments.counts[arm]
    budget = exploration(parameters.share / count) / count
    place(state.ranking, arm, lowest_mean(state.moments.means[arm], budget, parameters.sd))


@functools.cache
def kernels_for(family: Family) -> Kernels:
    """The rule for a family."""
    return Kernels(init, select, specialise(update, lowest_mean=family.lowest_mean))


@dataclasses.dataclass(frozen=True)
class KLUCBPlusPlus(FamilyPolicy):
    r"""KL-UCB++, in loss form.

    With n losses of arm a, of mean m, its index is

    .. math:: \min \{ q \le m : n \, D(m, q) \le g(T / (K n)) \}, \qquad
              g(y) = \log^+ \left( y \, (1 + (\log^+ y)^2) \right),

    where D is the Kullback-Leibler divergence between distributions of the family with means m
    and q. The arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random. The index of an arm changes only when it is played.

    Make it for a family: ``KLUCBPlusPlus.bernoulli()`` for losses in [0, 1],
    ``KLUCBPlusPlus.gaussian()``, ``KLUCBPlusPlus.exponential()``,
    ``KLUCBPlusPlus.poisson()``.

    Parameters
    ----------
    family : Family or str
        Use the constructors above, or give the family's name, such as "bernoulli".
    horizon : int, optional
        T; by default the simulation's.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.KLUCBPlusPlus.bernoulli()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    9.0

    References
    ----------
    .. [1] P. Ménard, A. Garivier (2017). A minimax and asymptotically optimal algorithm for
       stochastic bandits. ALT.
    """

    horizon: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.horizon is not None:
            require_whole("horizon", self.horizon)

    draws_for_ties_only = True

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule for this family."""
        return kernels_for(self.family)

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy, for this family."""
        return About(
            family="index",
            needs=f"{self.family.needs}, and the horizon",
            time="K, or log K with many arms",
            memory="K",
            guarantee="asymptotically optimal for the family, and sqrt(K T) whatever the gaps",
            cite="menard2017minimax",
        )

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read, with the horizon filled in."""
        steps = known_horizon(self.name, self.horizon, horizon)
        return Parameters(share=steps / n_arms, sd=self.sd)

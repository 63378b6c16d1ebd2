"""IMED: the least evidence against an arm, and the fewest plays."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple, Self

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._families import Family, FamilyPolicy, ScaledGaussianFamily
from lowbid.policies._moments import (
    Moments,
    add_loss,
    lowest_mean_of,
    lowest_mean_of_played,
    moments_of,
)
from lowbid.policies._tangents import (
    Tangents,
    forget,
    indices_at,
    lowest_arm_lazily,
    lowest_arm_of_all,
    tangents_after,
    tangents_of,
)

# What the templates below are bound to: the family's kernels.
divergence: Any = None
steepness: Any = None
sd_of: Any = None
lost_degrees: Any = None
lowest_arm: Any = None


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    sd: float


class State(NamedTuple):
    """The statistics of each arm, and what is known about its index."""

    moments: Moments
    tangents: Tangents

    def merged(self, other: State) -> State:
        """The statistics after the losses of both; indices are computed again."""
        moments = self.moments.merged(other.moments)
        return State(moments, tangents_after(moments))


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(moments=moments_of(n_arms), tangents=tangents_of(n_arms))


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index, given the lowest mean."""
    return lowest_arm(parameters, state, lowest_mean_of(state.moments), stream)


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)
    forget(state.tangents, arm)


@kernel
def convex_index_at(
    parameters: Parameters, state: State, arm: int, x: float
) -> tuple[float, float]:
    """The index of an arm when the lowest mean is x, and its derivative in x."""
    count, mean = state.moments.counts[arm], state.moments.means[arm]
    if mean <= x:
        return math.log(count), 0.0
    index = count * divergence(mean, x, parameters.sd) + math.log(count)
    return index, count * steepness(mean, x, parameters.sd)


@kernel
def index_at(parameters: Parameters, state: State, arm: int, x: float) -> tuple[float, float]:
    """The index of an arm when the lowest mean is x, without a derivative."""
    weight = state.moments.counts[arm] - lost_degrees
    if weight <= 0.0:
        return -math.inf, 0.0
    sd = sd_of(parameters.sd, state.moments, arm)
    evidence = weight * divergence(state.moments.means[arm], x, sd)
    return evidence + math.log(state.moments.counts[arm]), 0.0


@functools.cache
def index_for(family: Family) -> Any:
    """An arm's index for a family."""
    if family.steepness is None:
        return specialise(
            index_at,
            divergence=family.divergence,
            sd_of=family.sd_of,
            lost_degrees=family.lost_degrees,
        )
    return specialise(convex_index_at, divergence=family.divergence, steepness=family.steepness)


@functools.cache
def kernels_for(family: Family) -> Kernels:
    """The rule for a family."""
    lowest = lowest_arm_of_all if family.steepness is None else lowest_arm_lazily
    lowest_arm = specialise(lowest, index_at=index_for(family))
    return Kernels(init, specialise(select, lowest_arm=lowest_arm), update)


@dataclasses.dataclass(frozen=True)
class IMED(FamilyPolicy):
    r"""IMED (indexed minimum empirical divergence), in loss form.

    With n losses of arm a, of mean m, and m* the lowest mean of all arms, its index is

    .. math:: n \, D(m, m^*) + \log n,

    where D is the Kullback-Leibler divergence between distributions of the family with means m
    and m*. The arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Make it for a family: ``IMED.bernoulli()`` for losses in [0, 1], ``IMED.gaussian()``,
    ``IMED.gaussian_unknown_variance()``, ``IMED.exponential()``, ``IMED.poisson()``. For
    losses with a known lower bound, see `SemiBoundedIMED`.

    If the variance is not known, D is :math:`\frac12 \log(1 + (m - m^*)^2 / s^2)`, with s the
    (biased) standard deviation of the arm's losses, after three plays of each arm; n - 2 replaces
    the first n, as in `KLUCB`, because s may be far too small by chance.

    Parameters
    ----------
    family : Family or str
        Use the constructors above, or give the family's name, such as "bernoulli".

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.IMED.bernoulli(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    6.7

    References
    ----------
    .. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
       semi-bounded rewards. JMLR 16.
    """

    families = (*FamilyPolicy.families, ScaledGaussianFamily)
    index_unit = "evidence"
    draws_for_ties_only = True

    @classmethod
    def gaussian_unknown_variance(cls) -> Self:
        """For Gaussian losses with unknown variances, which may differ between arms."""
        return cls(ScaledGaussianFamily())

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule for this family."""
        return kernels_for(self.family)

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy, for this family."""
        return About(
            family="index",
            needs=self.family.needs,
            time="K",
            memory="K",
            guarantee="asymptotically optimal for the family"
            if self.family.lost_degrees == 0.0
            else "none published",
            cite="honda2015non",
        )

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(sd=self.sd)

    def indices(self, parameters: Parameters, state: State, step: int) -> Floats:
        """Every arm's index at this step, given the lowest mean of the arms that were played."""
        rule, x = index_for(self.family), lowest_mean_of_played(state.moments)
        return indices_at(rule, parameters, state, state.moments, x)

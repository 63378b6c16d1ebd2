"""KL-UCB: the lowest mean that the losses do not rule out, by the divergence of their family."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple, Self

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._families import Family, FamilyPolicy, ScaledGaussianFamily
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._tangents import (
    Tangents,
    forget,
    indices_at,
    lowest_arm_lazily,
    lowest_arm_of_all,
    tangents_after,
    tangents_of,
)

# What the templates below are bound to: the family's kernels, and the policy's exploration.
lowest_mean: Any = None
steepness: Any = None
sd_of: Any = None
lost_degrees: Any = None
discount: Any = None
level: Any = None
lowest_arm: Any = None


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    sd: float
    c: float


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
    """Play the arm with the lowest index."""
    return lowest_arm(parameters, state, level(parameters, step), stream)


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)
    forget(state.tangents, arm)


@kernel
def log_loglog(parameters: Any, step: int) -> float:
    """f(t) = log t + c log log t, the second term not below 0."""
    log = math.log(step)
    return log + parameters.c * math.log(max(log, 1.0))


@kernel
def no_discount(count: float) -> float:
    """Every arm has the same budget."""
    return 0.0


@kernel
def convex_index_at(
    parameters: Parameters, state: State, arm: int, x: float
) -> tuple[float, float]:
    """The index of an arm when f(t) = x, and its derivative in x."""
    count, mean = state.moments.counts[arm], state.moments.means[arm]
    budget = (x - discount(count)) / count
    index = lowest_mean(mean, budget, parameters.sd)
    if index >= mean:  # the mean is the lowest possible loss, and so is the index for every x
        return mean, 0.0
    return index, 1.0 / (count * steepness(mean, index, parameters.sd))


@kernel
def index_at(parameters: Parameters, state: State, arm: int, x: float) -> tuple[float, float]:
    """The index of an arm when f(t) = x, without a derivative."""
    count = state.moments.counts[arm] - lost_degrees
    if count <= 0.0:
        return -math.inf, 0.0
    budget = (x - discount(state.moments.counts[arm])) / count
    sd = sd_of(parameters.sd, state.moments, arm)
    return lowest_mean(state.moments.means[arm], budget, sd), 0.0


@functools.cache
def index_for(family: Family, discount: Any) -> Any:
    """An arm's index for a family, with a discount for the arm's losses."""
    if family.steepness is None:
        return specialise(
            index_at,
            lowest_mean=family.lowest_mean,
            sd_of=family.sd_of,
            lost_degrees=family.lost_degrees,
            discount=discount,
        )
    return specialise(
        convex_index_at,
        lowest_mean=family.lowest_mean,
        steepness=family.steepness,
        discount=discount,
    )


@functools.cache
def kernels_for(family: Family, level: Any, discount: Any) -> Kernels:
    """The rule for a family, with the exploration f(t) less a discount for an arm's losses."""
    lowest = lowest_arm_of_all if family.steepness is None else lowest_arm_lazily
    lowest_arm = specialise(lowest, index_at=index_for(family, discount))
    return Kernels(init, specialise(select, lowest_arm=lowest_arm, level=level), update)


@dataclasses.dataclass(frozen=True)
class KLUCB(FamilyPolicy):
    r"""KL-UCB, in loss form.

    With n losses of arm a, of mean m, its index at step t is

    .. math:: \min \{ q \le m : n \, D(m, q) \le f(t) \}, \qquad f(t) = \log t + c \log \log t,

    where D is the Kullback-Leibler divergence between distributions of the family with means m
    and q. The arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Make it for a family: ``KLUCB.bernoulli()`` for losses in [0, 1], ``KLUCB.gaussian()``,
    ``KLUCB.gaussian_unknown_variance()``, ``KLUCB.exponential()``, ``KLUCB.poisson()``.

    If the variance is not known, the index is that of Cowan, Honda and Katehakis,

    .. math:: m - s \sqrt{\exp(2 f(t) / (n - 2)) - 1},

    with s the (biased) standard deviation of the arm's losses, after three plays of each arm.

    Parameters
    ----------
    family : Family or str
        Use the constructors above, or give the family's name, such as "bernoulli".
    c : float
        The weight of log log t: 3 in the proofs, 0 in practice.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.KLUCB.bernoulli(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.1

    References
    ----------
    .. [1] A. Garivier, O. Cappé (2011). The KL-UCB algorithm for bounded stochastic bandits and
       beyond. COLT.
    .. [2] O.-A. Maillard, R. Munos, G. Stoltz (2011). A finite-time analysis of multi-armed
       bandits problems with Kullback-Leibler divergences. COLT.
    .. [3] O. Cappé, A. Garivier, O.-A. Maillard, R. Munos, G. Stoltz (2013). Kullback-Leibler
       upper confidence bounds for optimal sequential allocation. Annals of Statistics 41(3).
    .. [4] W. Cowan, J. Honda, M. N. Katehakis (2018). Normal bandits of unknown means and
       variances. JMLR 18(154).
    """

    c: float = 0.0

    families = (*FamilyPolicy.families, ScaledGaussianFamily)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("c", self.c, above=0.0, or_equal=True)

    @classmethod
    def gaussian_unknown_variance(cls, c: float = 0.0) -> Self:
        """For Gaussian losses with unknown variances, which may differ between arms."""
        return cls(ScaledGaussianFamily(), c)

    draws_for_ties_only = True

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule for this family."""
        return kernels_for(self.family, log_loglog, no_discount)

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy, for this family."""
        return About(
            family="index",
            needs=self.family.needs,
            time="K",
            memory="K",
            guarantee="asymptotically optimal for the family",
            cite="cowan2018normal" if self.family.lost_degrees else "cappe2013kullback",
        )

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(sd=self.sd, c=float(self.c))

    def indices(self, parameters: Parameters, state: State, step: int) -> Floats:
        """Every arm's index at this step."""
        rule, x = index_for(self.family, no_discount), log_loglog(parameters, step)
        return indices_at(rule, parameters, state, state.moments, x)

"""Semi-bounded IMED: IMED for losses with a known lower bound."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels, Policy
from lowbid.policies._kinf import Sample, add_to_sample, kinf, sample_of
from lowbid.policies._moments import lowest_mean_of, lowest_mean_of_played
from lowbid.policies._tangents import Tangents, forget, indices_at, lowest_arm_lazily, tangents_of


class State(NamedTuple):
    """All losses, and what is known about each arm's index."""

    sample: Sample
    tangents: Tangents


@allocating_kernel
def init(parameters: SemiBoundedIMED, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(
        sample=sample_of(n_arms, capacity, parameters.lowest), tangents=tangents_of(n_arms)
    )


@kernel
def index_at(parameters: SemiBoundedIMED, state: State, arm: int, x: float) -> tuple[float, float]:
    """The index of an arm when the lowest mean is x, and its derivative in x."""
    count, mean = state.sample.moments.counts[arm], state.sample.moments.means[arm]
    if mean <= x:
        return math.log(count), 0.0
    evidence, tilt = kinf(state.sample, arm, x, math.nan)
    slope = -count * tilt / x if x > 0.0 else -math.inf
    return count * evidence + math.log(count), slope


lowest_arm = specialise(lowest_arm_lazily, index_at=index_at)


@kernel
def select(parameters: SemiBoundedIMED, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index, given the lowest mean."""
    return lowest_arm(parameters, state, lowest_mean_of(state.sample.moments), stream)


@kernel
def update(
    parameters: SemiBoundedIMED, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Store the loss."""
    add_to_sample(state.sample, arm, loss)
    forget(state.tangents, arm)


class SemiBoundedPolicy(Policy):
    """Base class of policies for losses with a known lower bound, `lowest`."""

    lowest: float
    draws_for_ties_only = True

    def __post_init__(self) -> None:
        require_finite("lowest", self.lowest, above=-math.inf)

    @property
    def scale_free(self) -> bool:
        """The rule has no scale, if the lowest loss is 0."""
        return self.lowest == 0.0

    @property
    def loss_range(self) -> tuple[float, float]:
        """All losses from the lowest one upwards."""
        return float(self.lowest), math.inf


@dataclasses.dataclass(frozen=True)
class SemiBoundedIMED(SemiBoundedPolicy):
    r"""IMED for semi-bounded losses, in loss form.

    With n losses X of arm a, and m* the lowest mean of all arms, its index is

    .. math:: n \, K_{\inf}(m^*) + \log n, \qquad
              K_{\inf}(q) = \max_{0 \le \lambda \le 1/q} \frac1n \sum_i \log(1 + \lambda (X_i - q)),

    and :math:`K_{\inf}(q) = 0` if q is not below the arm's mean. The arm with the lowest index is
    played; arms not yet played come first. Ties are broken uniformly at random.

    It must know the lowest possible loss, as Batch Ensemble does, and nothing else: no family, no
    scale, no upper end.

    Parameters
    ----------
    lowest : float
        The lowest possible loss.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.ExponentialByMean([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.SemiBoundedIMED(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    5.7

    References
    ----------
    .. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
       semi-bounded rewards. JMLR 16.
    """

    lowest: float = 0.0

    about = About(
        family="index",
        needs="the lowest possible loss",
        time="K, and n for the few arms computed",
        memory="t",
        guarantee="asymptotically optimal for losses bounded below, with light upper tails",
        cite="honda2015non",
    )
    kernels = Kernels(init, select, update)
    index_unit = "evidence"

    def indices(self, parameters: Any, state: State, step: int) -> Floats:
        """Every arm's index at this step, given the lowest mean of the arms that were played."""
        moments = state.sample.moments
        return indices_at(index_at, parameters, state, moments, lowest_mean_of_played(moments))

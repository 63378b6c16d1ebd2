"""KL-Maillard sampling: an arm's probability decreases with the evidence against it."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream, uniform
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._families import Family, FamilyPolicy
from lowbid.policies._moments import Moments, add_loss, lowest_mean_of, moments_of
from lowbid.policies._scan import argmin

# The family's kernel that the template below is bound to.
divergence: Any = None


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    sd: float


class State(NamedTuple):
    """The statistics of each arm, and room for the weights."""

    moments: Moments
    weights: Floats


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Nothing was played."""
    return State(moments=moments_of(n_arms), weights=np.zeros(n_arms))


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play an arm with a probability that decreases with the evidence; unplayed arms first."""
    counts = state.moments.counts
    unplayed = argmin(counts, True, stream)
    if counts[unplayed] == 0.0:
        return unplayed
    best = lowest_mean_of(state.moments)
    total = 0.0
    for arm in range(len(counts)):
        evidence = counts[arm] * divergence(state.moments.means[arm], best, parameters.sd)
        state.weights[arm] = math.exp(-evidence)
        total += state.weights[arm]
    return draw(state.weights, uniform(stream) * total)


@kernel
def draw(weights: Floats, rest: float) -> int:
    """The first arm at which the weights add up to more than a number."""
    likely = 0
    for arm in range(len(weights)):
        if rest < weights[arm]:
            return arm
        rest -= weights[arm]
        if weights[arm] > weights[likely]:
            likely = arm
    return likely  # rounding left a little over


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)


@functools.cache
def kernels_for(family: Family) -> Kernels:
    """The rule for a family."""
    return Kernels(init, specialise(select, divergence=family.divergence), update)


@dataclasses.dataclass(frozen=True)
class KLMaillard(FamilyPolicy):
    r"""KL-Maillard sampling (KL-MS), in loss form.

    With n losses of arm a, of mean m, and m* the lowest mean of all arms, the arm is played with
    a probability proportional to

    .. math:: \exp(-n \, D(m, m^*)),

    where D is the Kullback-Leibler divergence between distributions of the family with means m
    and m*. Arms not yet played come first. The probabilities are known in closed form, as
    off-policy estimates require.

    Make it for a family: ``KLMaillard.bernoulli()`` for losses in [0, 1] is the paper's rule;
    ``KLMaillard.gaussian()`` is Maillard's own; ``KLMaillard.exponential()`` and
    ``KLMaillard.poisson()`` apply the same rule to other families.

    Parameters
    ----------
    family : Family or str
        Use the constructors above, or give the family's name, such as "bernoulli".

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.KLMaillard.bernoulli()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    8.6

    References
    ----------
    .. [1] H. Qin, K.-S. Jun, C. Zhang (2023). Kullback-Leibler Maillard sampling for multi-armed
       bandits with bounded rewards. NeurIPS.
    .. [2] J. Bian, K.-S. Jun (2022). Maillard sampling: Boltzmann exploration done optimally.
       AISTATS.
    """

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule for this family."""
        return kernels_for(self.family)

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy, for this family."""
        return About(
            family="posterior sampling",
            needs=self.family.needs,
            time="K",
            memory="K",
            guarantee="asymptotically optimal for Bernoulli losses, and sqrt(K T log K) "
            "whatever the gaps"
            if self.family.name == "bernoulli"
            else "none in the reference, which treats Bernoulli losses",
            cite="qin2023kullback",
        )

    def chance(self, state: State, step: int, arm: int) -> float:
        """The arm's share of the weights; unplayed arms share it as long as there are any."""
        unplayed = state.moments.counts == 0.0
        if unplayed.any():
            return float(unplayed[arm]) / int(unplayed.sum())
        return float(state.weights[arm] / state.weights.sum())

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(sd=self.sd)

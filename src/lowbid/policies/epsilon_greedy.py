"""Epsilon-greedy: usually the arm with the lowest mean, sometimes any arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lowbid._compile import kernel
from lowbid._random import Stream, integer, uniform
from lowbid._require import require_probability
from lowbid.policies._base import About, Kernels, Policy
from lowbid.policies._ranking import lowest_arm
from lowbid.policies.greedy import State, init, update


class Parameters(NamedTuple):
    """The parameters of the kernels: any arm is played with probability max(epsilon, rate / t)."""

    epsilon: float
    rate: float


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play any arm with a small probability, otherwise the one with the lowest mean."""
    if uniform(stream) < max(parameters.epsilon, parameters.rate / step):
        return integer(stream, len(state.moments.counts))
    return lowest_arm(state.ranking, True, stream)


def chance_by_epsilon(parameters: Parameters, state: State, step: int, arm: int) -> float:
    """The probability of an arm: its share of exploration, plus the greedy choice if it is best."""
    epsilon = min(1.0, max(parameters.epsilon, parameters.rate / step))
    indices, n_arms = state.ranking.indices, len(state.moments.counts)
    lowest = indices[:n_arms].min()
    greedy = float(indices[arm] == lowest) / int((indices == lowest).sum())
    return epsilon / n_arms + (1.0 - epsilon) * greedy


class EpsilonPolicy(Policy):
    """Base class of policies that play any arm with some probability, otherwise the best one."""

    kernels = Kernels(init, select, update)

    def chance(self, state: State, step: int, arm: int) -> float:
        """The probability of exploration plus that of the greedy choice."""
        parameters = self.parameters(len(state.moments.counts), None, 1)
        return chance_by_epsilon(parameters, state, step, arm)

    @property
    def scale_free(self) -> bool:
        """Means are compared with each other only."""
        return True

    @property
    def location_free(self) -> bool:
        """Means are compared with each other only."""
        return True


@dataclass(frozen=True)
class EpsilonGreedy(EpsilonPolicy):
    r"""Epsilon-greedy with a constant epsilon.

    With probability epsilon, an arm drawn uniformly at random is played, otherwise the arm with the
    lowest mean loss; an arm not yet played counts as the lowest. Ties are broken uniformly at
    random.

    Parameters
    ----------
    epsilon : float
        The probability of exploration.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.EpsilonGreedy(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    43.7

    References
    ----------
    .. [1] R. S. Sutton, A. G. Barto (2018). Reinforcement learning: an introduction. MIT Press,
       chapter 2.
    """

    epsilon: float = 0.1

    about = About(
        family="plain",
        needs="nothing",
        time="K, or log K with many arms",
        memory="K",
        guarantee="none: linear in T",
        cite="sutton2018reinforcement",
    )

    def __post_init__(self) -> None:
        require_probability("epsilon", self.epsilon, ends=True)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(epsilon=float(self.epsilon), rate=0.0)

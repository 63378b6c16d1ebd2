"""MOSS: a confidence width that vanishes for arms played more than their share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_whole
from lowbid.policies._base import About, Kernels
from lowbid.policies._horizon import known_horizon
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._ranking import Ranking, lowest_arm, place, unplayed_ranking_of
from lowbid.policies._spread import known_spread
from lowbid.policies._ucb import UCBPolicy


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    share: float  # T / K
    scale: float


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
    """Play the arm with the lowest confidence bound."""
    return lowest_arm(state.ranking, True, stream)


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Compute the arm's index, which only its own losses change."""
    add_loss(state.moments, arm, loss)
    count = state.moments.counts[arm]
    budget = math.log(max(parameters.share / count, 1.0)) / count
    place(state.ranking, arm, state.moments.means[arm] - parameters.scale * math.sqrt(budget))


@dataclass(frozen=True)
class MOSS(UCBPolicy):
    r"""MOSS (minimax optimal strategy in the stochastic case), in loss form.

    With n losses of arm a, of mean m, its index is

    .. math:: m - b \sqrt{\frac{1}{n} \log^+ \frac{T}{K n}}, \qquad \log^+ x = \max(0, \log x),

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random. `AnytimeMOSS` needs no horizon.

    Parameters
    ----------
    scale : float, optional
        b: the width of the losses' range, or twice their standard deviation if they are
        Gaussian; by default the width of the declared range, or 1 without one.
    horizon : int, optional
        T; by default the simulation's.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.MOSS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    13.0

    References
    ----------
    .. [1] J.-Y. Audibert, S. Bubeck (2009). Minimax policies for adversarial and stochastic
       bandits. COLT.
    """

    scale: float | None = None
    horizon: int | None = None

    about = About(
        family="index",
        needs="the width of the losses' range, and the horizon",
        time="K, or log K with many arms",
        memory="K",
        guarantee="b sqrt(K T), whatever the gaps",
        cite="audibert2009minimax",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.horizon is not None:
            require_whole("horizon", self.horizon)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read, with the horizon filled in."""
        steps = known_horizon(self.name, self.horizon, horizon)
        return Parameters(share=steps / n_arms, scale=known_spread(self.scale))

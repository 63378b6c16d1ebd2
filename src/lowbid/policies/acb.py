"""ACB: a bonus from the largest of a few random walks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite, require_whole
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._ranking import Ranking, lowest_arm, place, unplayed_ranking_of
from lowbid.policies._spread import SpreadPolicy

# Each arm has a place for each member.
_MOST_MEMBERS = 100_000


class State(NamedTuple):
    """The statistics of each arm, and its index."""

    moments: Moments
    noise: Floats  # (arm, member): the sum of the noise that the member was fitted to
    ranking: Ranking


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(
        moments=moments_of(n_arms),
        noise=np.zeros((n_arms, parameters.members)),
        ranking=unplayed_ranking_of(n_arms),
    )


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    return lowest_arm(state.ranking, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Give every member new noise, and compute the arm's index."""
    add_loss(state.moments, arm, loss)
    count = state.moments.counts[arm]
    # The first loss comes with the noise of the prior.
    sd = math.sqrt(1.0 + parameters.prior) if count == 1.0 else 1.0
    largest = 0.0
    for member in range(state.noise.shape[1]):
        state.noise[arm, member] += sd * normal(stream)
        largest = max(largest, abs(state.noise[arm, member]))
    bonus = parameters.beta * largest / (count + parameters.prior)
    place(state.ranking, arm, state.moments.means[arm] - bonus)


@dataclass(frozen=True)
class ACB(SpreadPolicy):
    r"""ACB (anti-concentrated confidence bonuses) with K arms, in loss form.

    Each of M members is fitted to pure noise: with n losses of arm a, member j has the estimate

    .. math:: w_{j,a} = \frac{\sqrt\lambda \, \xi_j + \sum_{i \le n} y_{i,j}}{n + \lambda},
              \qquad \xi_j, y_{i,j} \sim N(0, 1).

    The largest one replaces a confidence width: with m the mean of the arm's losses, the index
    is :math:`m - \beta \max_j |w_{j,a}|`, and the arm with the lowest index is played; arms not yet
    played come first. Noise is added at each loss of the arm, and never drawn again. Ties are
    broken uniformly at random.

    Parameters
    ----------
    beta : float, optional
        The width of the bonus, in the unit of the losses; by default the width of the declared
        range, or 1 without one.
    members : int
        M: about log(T K) in the theory.
    prior : float
        Lambda: the number of losses that the prior counts as.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.ACB(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    8.2

    References
    ----------
    .. [1] J. T. Ash, C. Zhang, S. Goel, A. Krishnamurthy, S. M. Kakade (2022). Anti-concentrated
       confidence bonuses for scalable exploration. ICLR.
    """

    beta: float | None = None
    members: int = 10
    prior: float = 1.0

    spread = "beta"

    about = About(
        family="ensemble",
        needs="the scale of the losses' noise",
        time="log K + M",
        memory="K M",
        guarantee="sqrt(T) up to logarithms, for linear bandits with fresh noise",
        cite="ash2022anti",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("members", self.members, at_most=_MOST_MEMBERS)
        require_finite("prior", self.prior, above=0.0, or_equal=True)

    def check_spread(self, given: float, low: float, high: float) -> None:
        """Take any weight of exploration that was given."""

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all indices alike."""
        return True

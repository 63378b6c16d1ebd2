"""Greedy: the arm with the lowest mean, and no exploration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, Policy
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._ranking import Ranking, lowest_arm, place, unplayed_ranking_of


class State(NamedTuple):
    """The statistics of each arm, and its mean."""

    moments: Moments
    ranking: Ranking


@allocating_kernel
def init(parameters: Greedy, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm counts as minus infinity."""
    return State(moments=moments_of(n_arms), ranking=unplayed_ranking_of(n_arms))


@kernel
def select(parameters: Greedy, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest mean."""
    return lowest_arm(state.ranking, True, stream)


@kernel
def update(
    parameters: Greedy, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)
    place(state.ranking, arm, state.moments.means[arm])


@dataclass(frozen=True)
class Greedy(Policy):
    r"""Greedy: each arm once, then always the arm with the lowest mean loss.

    This is a baseline: one bad first loss may rule out the best arm forever, so the regret grows
    linearly with positive probability. Ties are broken uniformly at random.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.Greedy(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    30.4

    References
    ----------
    .. [1] T. Lattimore, C. Szepesvári (2020). Bandit algorithms. Cambridge University Press,
       chapter 4.
    """

    about = About(
        family="plain",
        needs="nothing",
        time="K, or log K with many arms",
        memory="K",
        guarantee="none: linear in T",
        cite="lattimore2020bandit",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True

    @property
    def scale_free(self) -> bool:
        """Means are compared with each other only."""
        return True

    @property
    def location_free(self) -> bool:
        """Means are compared with each other only."""
        return True

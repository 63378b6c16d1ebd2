"""RDS: duels by random weights, for losses about which nothing is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, Policy
from lowbid.policies._dirichlet import weighted_mean
from lowbid.policies._history import mean, mean_is_at_most
from lowbid.policies._rounds import duels
from lowbid.policies.bds import may_fight, no_force
from lowbid.policies.wr_sda import State, init, update


@kernel
def duel(parameters: Any, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean, plain or under random weights, is not above the leader's."""
    history = state.history
    if mean_is_at_most(history, challenger, leader):
        return True
    goal = mean(history, leader)
    bonus = imagined_loss(state, challenger, goal)
    return weighted_mean(history, state.values, challenger, bonus, stream) <= goal


@kernel
def imagined_loss(state: State, arm: int, goal: float) -> float:
    """The loss that is added to the arm's own: the lowest one, or one well below the goal."""
    history = state.history
    start, count = history.start[arm], history.counts[arm]
    lowest = history.pool[start]
    above = 0.0
    for i in range(start, start + count):
        lowest = min(lowest, history.pool[i])
        above += max(history.pool[i] - goal, 0.0)
    return min(lowest, goal - math.sqrt(math.log(1.0 + count)) * above / count)


@dataclass(frozen=True)
class RDS(Policy):
    r"""Robust Dirichlet sampling, in loss form.

    As `BDS`, but the value that is added to an arm's n losses X is computed from them and the
    leader's mean m:

    .. math:: \min\Big(\min_i X_i,\ m - \rho_n \frac1n \sum_i (X_i - m)^+\Big),
              \qquad \rho_n = \sqrt{\log(1 + n)}.

    It needs no prior knowledge of the losses, and for all light-tailed ones its regret grows only a
    little faster than log T.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.RDS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    18.3

    References
    ----------
    .. [1] D. Baudry, P. Saux, O.-A. Maillard (2021). From optimality to robustness: adaptive
       re-sampling strategies in stochastic bandits. NeurIPS 34.
    """

    about = About(
        family="posterior sampling",
        needs="nothing",
        time="K log t",
        memory="t",
        guarantee="slightly above log T for light-tailed losses",
        cite="baudry2021optimality",
    )
    kernels = Kernels(init, duels(duel=duel, may_fight=may_fight, forced=no_force), update)

    @property
    def scale_free(self) -> bool:
        """Weighted means scale with the losses."""
        return True

    @property
    def location_free(self) -> bool:
        """Weighted means move with the losses."""
        return True

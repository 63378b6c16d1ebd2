"""BDS: duels by random weights, for losses with a known best value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Kernels, Policy
from lowbid.policies._dirichlet import weighted_mean
from lowbid.policies._history import History, mean, mean_is_at_most
from lowbid.policies._rounds import duels
from lowbid.policies.wr_sda import State, update
from lowbid.policies.wr_sda import init as init_from_first_loss


@allocating_kernel
def init(parameters: BDS, n_arms: int, capacity: int) -> State:
    """Start with no losses, and measure them from the best one."""
    state = init_from_first_loss(parameters, n_arms, capacity)
    state.history.origin[0] = parameters.best
    return state


@kernel
def may_fight(history: History, arm: int, leader: int) -> bool:
    """All arms but the leader challenge it."""
    return arm != leader


@kernel
def no_force(parameters: Any, number: int) -> float:
    """No arm is played without a duel."""
    return 0.0


@kernel
def duel(parameters: BDS, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean, plain or under random weights, is not above the leader's."""
    history = state.history
    if mean_is_at_most(history, challenger, leader):
        return True
    goal = mean(history, leader)
    return weighted_mean(history, state.values, challenger, 0.0, stream) <= goal


@dataclass(frozen=True)
class BDS(Policy):
    r"""Bounded Dirichlet sampling, in loss form.

    Rounds are as in `RBSDA`, but every arm other than the leader duels with it. With its n losses X
    and random weights :math:`(w_0, \ldots, w_n) \sim \mathrm{Dirichlet}(1, \ldots, 1)`, an arm wins
    if its mean, or

    .. math:: w_0 b + \sum_{i=1}^{n} w_i X_i,

    is not above the leader's mean. Unlike in `NPTS`, the leader's many losses need no weights.

    Parameters
    ----------
    best : float
        b: the best possible loss.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.BDS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.6

    References
    ----------
    .. [1] D. Baudry, P. Saux, O.-A. Maillard (2021). From optimality to robustness: adaptive
       re-sampling strategies in stochastic bandits. NeurIPS 34.
    """

    best: float = 0.0

    about = About(
        family="posterior sampling",
        needs="the best possible loss",
        time="K log t; K with losses of two values, one of them the best",
        memory="t",
        guarantee="asymptotically optimal for bounded losses",
        cite="baudry2021optimality",
    )
    kernels = Kernels(init, duels(duel=duel, may_fight=may_fight, forced=no_force), update)

    def __post_init__(self) -> None:
        require_finite("best", self.best, above=-math.inf)

    @property
    def scale_free(self) -> bool:
        """Weighted means scale with the losses, if the best one does."""
        return self.best == 0.0

    @property
    def loss_range(self) -> tuple[float, float]:
        """No loss is better than the best."""
        return self.best, math.inf

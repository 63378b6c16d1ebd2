"""LSVI-PHE: the most optimistic of several perturbed estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite, require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import State, count_of, init, total_negated, update
from lowbid.mdp.agents._plan import UNBOUNDED, redrawing_planner
from lowbid.policies import About


@kernel
def bid(
    parameters: LSVIPHE,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The lowest of several draws, but no better than the bound."""
    count = count_of(state, group, s, action) + parameters.regularisation
    mean = total_negated(problem, state, group, stage, s, action) / count
    lowest = math.inf
    for _ in range(parameters.members):
        lowest = min(lowest, normal(stream))
    return max(mean + math.sqrt(parameters.variance / count) * lowest, -problem.bounds[stage])


@dataclass(frozen=True)
class LSVIPHE(Rule):
    r"""Least-squares value iteration with perturbed histories, for tables.

    Noise of variance v on every target, and on the regularisation, makes the estimate of an action
    with n visits normal. The value is the highest of M such estimates, capped at the bound:

    .. math:: Q_h(s, a) = \min\left(U_h, \max_{m \le M} q_m\right), \quad
              q_m \sim N\left(\frac{\sum_i (r_i + V_{h+1}(s'_i))}{n + \lambda},
              \frac{v}{n + \lambda}\right).

    The maximum over an ensemble makes it the closest earlier relative of batches that bid.

    Parameters
    ----------
    members : int
        M.
    variance : float
        v: the variance of the noise.
    regularisation : float
        :math:`\lambda`.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Notes
    -----
    The reference derives M and v from its analysis; here they are parameters.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.LSVIPHE(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    4.4

    References
    ----------
    .. [1] H. Ishfaq and others (2021). Randomized exploration for reinforcement learning with
       general value function approximation. ICML.
    """

    members: int = 10
    variance: float = 0.1
    regularisation: float = 1.0
    stationary: bool | None = None

    about = About(
        family="randomised values",
        needs="a bound on returns, their variance",
        time="S A (B + M)",
        memory="S A B",
        guarantee="sqrt(d^3 H^3 T), d = S A for tables",
        cite="ishfaq2021randomized",
    )
    kernels = Kernels(init, redrawing_planner(bid, UNBOUNDED), update)

    def __post_init__(self) -> None:
        require_whole("members", self.members)
        require_finite("variance", self.variance, above=0.0)
        require_finite("regularisation", self.regularisation, above=0.0)

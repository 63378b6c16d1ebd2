"""RLSVI with the noise of its worst-case analysis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import State, count_of, init, total_negated, update
from lowbid.mdp.agents._plan import UNBOUNDED, redrawing_planner
from lowbid.policies import About


@kernel
def noise_of(parameters: RussoRLSVI, problem: Problem, actions: int, episode: int) -> float:
    """beta_k."""
    horizon, states = len(problem.slack), len(problem.actions)
    span = problem.spans[0]
    log = math.log(2.0 * horizon * states * actions * episode)
    return parameters.scale * 0.5 * states * span * span * horizon * log


@kernel
def bid(
    parameters: RussoRLSVI,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """A draw from the distribution of the negated return."""
    count = count_of(state, group, s, action) + 1.0
    mean = total_negated(problem, state, group, stage, s, action) / count
    noise = noise_of(parameters, problem, len(state.bids), episode)
    return mean + math.sqrt(noise / count) * normal(stream)


@dataclass(frozen=True)
class RussoRLSVI(Rule):
    r"""Randomised least-squares value iteration, with a proven worst-case regret bound.

    In episode k, backwards from the last stage, with n visits of (s, a),

    .. math:: Q_h(s, a) \sim N\left(\frac{\sum_i (r_i + V_{h+1}(s'_i))}{n + 1},
              \frac{\beta_k}{n + 1}\right), \quad
              \beta_k = \tfrac{c}{2} S H^3 \log(2 H S A k).

    One H² of the noise stands for the square of the width of the returns' range, which is H for
    rewards in [0, 1].

    Parameters
    ----------
    scale : float
        c, 1 in the reference according to a summary of it; with that, nothing is learned in
        thousands of episodes of small problems.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rule = mdp.RussoRLSVI(scale=1e-5)
    >>> result = mdp.simulate(rule, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    4.0

    References
    ----------
    .. [1] D. Russo (2019). Worst-case regret bounds for exploration via randomized value
       functions. NeurIPS.
    """

    scale: float = 1.0
    stationary: bool | None = None

    about = About(
        family="randomised values",
        needs="a bound on returns",
        time="S A B",
        memory="S A B",
        guarantee="H^3 S^1.5 sqrt(A K)",
        cite="russo2019worst",
    )
    kernels = Kernels(init, redrawing_planner(bid, UNBOUNDED), update)

    def __post_init__(self) -> None:
        require_finite("scale", self.scale, above=0.0)

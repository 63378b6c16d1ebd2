"""RLSVI: randomised value functions, redrawn in each episode."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowbid._kernel import kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import State, count_of, init, total_negated, update
from lowbid.mdp.agents._plan import UNBOUNDED, redrawing_planner
from lowbid.policies._base import About

BIBTEX = r"""
@article{osband2019deep,
  title = {Deep Exploration via Randomized Value Functions},
  author = {Osband, Ian and Van Roy, Benjamin and Russo, Daniel J. and Wen, Zheng},
  journal = {Journal of Machine Learning Research},
  volume = {20},
  year = {2019},
}
"""


@kernel
def bid(
    parameters: RLSVI,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """A draw from the posterior of the negated return."""
    precision = count_of(state, group, s, action) / parameters.variance + 1.0 / parameters.prior
    total = total_negated(problem, state, group, stage, s, action)
    return total / parameters.variance / precision + normal(stream) / math.sqrt(precision)


@dataclass(frozen=True)
class RLSVI(Rule):
    r"""Randomised least-squares value iteration, for tables.

    Backwards from the last stage, with n visits of (s, a),

    .. math:: Q_h(s, a) \sim N\left(\frac{\sum_i (r_i + V_{h+1}(s'_i)) / v}{n / v + 1 / \lambda},
              \frac{1}{n / v + 1 / \lambda}\right),

    redrawn in every episode, and the greedy policy is played.

    Parameters
    ----------
    variance : float
        v: the variance of the noise on each visit.
    prior : float
        :math:`\lambda`: the variance of the prior N(0, λ).
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.RLSVI(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    2.5

    References
    ----------
    .. [1] I. Osband, B. Van Roy, D. J. Russo, Z. Wen (2019). Deep exploration via randomized
       value functions. Journal of Machine Learning Research 20.
    """

    variance: float = 0.1
    prior: float = 1.0
    stationary: bool | None = None

    about = About(
        family="randomised values",
        needs="the variance of returns",
        time="S A B",
        memory="S A B",
        guarantee="Bayesian; the rate is unverified here",
        bibtex=BIBTEX,
    )
    kernels = Kernels(init, redrawing_planner(bid, UNBOUNDED), update)

    def __post_init__(self) -> None:
        require_finite("variance", self.variance, above=0.0)
        require_finite("prior", self.prior, above=0.0)

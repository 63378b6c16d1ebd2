"""RLSVI: randomised value functions, redrawn in each episode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, fill_normals
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import (
    Averages,
    Visits,
    add_visit,
    average,
    averages_of,
    mean_ahead,
    visits_of,
)
from lowbid.mdp.agents._plan import UNBOUNDED, redrawing_planner
from lowbid.policies import About


class State(NamedTuple):
    """Visits, what draws need to know about them, and the plan."""

    visits: Visits
    averages: Averages
    deviations: Floats  # the standard deviation of a draw, (group, state, action)
    noise: Floats  # drawn for an episode, (place,)
    policy: Ints
    values: Floats
    bids: Floats


@allocating_kernel
def init(parameters: RLSVI, problem: Problem) -> State:
    """Start with the prior."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    deviation = math.sqrt(parameters.prior)
    return State(
        visits=visits_of(problem, 1),
        averages=averages_of(problem),
        deviations=np.full((problem.groups, states, actions), deviation),
        noise=np.zeros(horizon * states * actions),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
    )


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
    visits, averages, ahead = state.visits, state.averages, state.values[stage + 1]
    mean = averages.losses[group, s, action]
    mean += mean_ahead(visits, averages, group, s, action, ahead)
    place = (stage * len(problem.actions) + s) * len(state.bids) + action
    return mean + state.deviations[group, s, action] * state.noise[place]


plan_with_noise = redrawing_planner(bid, UNBOUNDED)


@kernel
def plan(parameters: RLSVI, problem: Problem, state: State, episode: int, stream: Stream) -> None:
    """Draw all noise at once, and plan with it."""
    fill_normals(stream, state.noise)
    plan_with_noise(parameters, problem, state, episode, stream)


@kernel
def update(
    parameters: RLSVI,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Count the visit, and update what the draws at all stages use."""
    group, variance = group_of(problem, stage), parameters.variance
    add_visit(state.visits, group, s, action, 0, loss, next_s)
    padding = variance / parameters.prior
    part = average(state.visits, state.averages, group, s, action, padding, problem.best_reward)
    state.deviations[group, s, action] = math.sqrt(variance * part)


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
    4.2

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
        cite="osband2019deep",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_finite("variance", self.variance, above=0.0)
        require_finite("prior", self.prior, above=0.0)

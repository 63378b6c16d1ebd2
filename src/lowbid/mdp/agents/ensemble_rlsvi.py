"""Ensemble RLSVI: members that each have their own prior and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, integer, normal
from lowbid._require import require_finite, require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import Visits, visits_of
from lowbid.mdp.agents._model_based import count_of, total_negated
from lowbid.mdp.agents._model_based import update as count_visit
from lowbid.mdp.agents._plan import UNBOUNDED, redrawing_planner
from lowbid.policies import About, Limits, whole


class State(NamedTuple):
    """Visits, the members' priors and noise, the plan, and the member that is followed."""

    visits: Visits
    policy: Ints
    values: Floats
    bids: Floats
    priors: Floats  # (member, stage, state, action)
    noise: Floats  # sums, (member, group, state, action)
    member: Ints

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "member", whole(0, len(self.priors) - 1)


@allocating_kernel
def init(parameters: EnsembleRLSVI, problem: Problem) -> State:
    """Start without visits; priors are drawn with the first plan."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    members = parameters.members
    return State(
        visits=visits_of(problem, 1),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
        priors=np.zeros((members, horizon, states, actions)),
        noise=np.zeros((members, problem.groups, states, actions)),
        member=np.zeros(1, np.int64),
    )


@kernel
def bid(
    parameters: EnsembleRLSVI,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The negated return that the member expects."""
    member = state.member[0]
    precision = count_of(state, group, s, action) / parameters.variance + 1.0 / parameters.prior
    total = total_negated(problem, state, group, stage, s, action)
    total += state.noise[member, group, s, action]
    total = total / parameters.variance + state.priors[member, stage, s, action] / parameters.prior
    return total / precision


plan_for_member = redrawing_planner(bid, UNBOUNDED)


@kernel
def draw_priors(parameters: EnsembleRLSVI, state: State, stream: Stream) -> None:
    """Draw the members' priors."""
    priors, sd = state.priors, math.sqrt(parameters.prior)
    for member in range(priors.shape[0]):
        for stage in range(priors.shape[1]):
            for s in range(priors.shape[2]):
                for action in range(priors.shape[3]):
                    priors[member, stage, s, action] = sd * normal(stream)


@kernel
def plan(
    parameters: EnsembleRLSVI, problem: Problem, state: State, episode: int, stream: Stream
) -> None:
    """Draw a member, and plan with its values."""
    if episode == 1:
        draw_priors(parameters, state, stream)
    state.member[0] = integer(stream, parameters.members)
    plan_for_member(parameters, problem, state, episode, stream)


@kernel
def update(
    parameters: EnsembleRLSVI,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Count the visit, with each member's own noise on it."""
    count_visit(parameters, problem, state, stage, s, action, loss, next_s, stream)
    group, sd = group_of(problem, stage), math.sqrt(parameters.variance)
    for member in range(parameters.members):
        state.noise[member, group, s, action] += sd * normal(stream)


@dataclass(frozen=True)
class EnsembleRLSVI(Rule):
    r"""Ensemble sampling: M value functions, each with its own noise on every visit.

    Member m has priors :math:`p^m_h(s, a) \sim N(0, \lambda)` and, for the i-th visit, noise
    :math:`z^m_i \sim N(0, v)`, all drawn once:

    .. math:: Q^m_h(s, a) = \frac{\sum_i (r_i + z^m_i + V^m_{h+1}(s'_i)) / v + p^m_h(s, a) /
              \lambda}{n / v + 1 / \lambda}.

    In each episode the greedy policy of a uniformly drawn member is played. With many members it
    is `RLSVI`; with networks instead of tables it is Bootstrapped DQN.

    Parameters
    ----------
    members : int
        M.
    variance : float
        v: the variance of the noise on each visit.
    prior : float
        :math:`\lambda`: the variance of the priors.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.EnsembleRLSVI(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    5.1

    References
    ----------
    .. [1] I. Osband, B. Van Roy, D. J. Russo, Z. Wen (2019). Deep exploration via randomized
       value functions. Journal of Machine Learning Research 20.
    .. [2] I. Osband, C. Blundell, A. Pritzel, B. Van Roy (2016). Deep exploration via
       bootstrapped DQN. NeurIPS.
    """

    members: int = 20
    variance: float = 0.1
    prior: float = 1.0
    stationary: bool | None = None

    about = About(
        family="randomised values",
        needs="the variance of returns",
        time="S A B",
        memory="S A (B + H M)",
        guarantee="",
        cite="osband2019deep,osband2016deep",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_whole("members", self.members)
        require_finite("variance", self.variance, above=0.0)
        require_finite("prior", self.prior, above=0.0)

"""PSRL: play optimally in an MDP drawn from the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, exponential, gamma, log_gamma, normal
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp.agents._plan import UNBOUNDED, plan_everywhere, redrawing_planner
from lowbid.policies._base import About, Floats, Ints

BIBTEX = r"""
@inproceedings{osband2013more,
  title = {(More) Efficient Reinforcement Learning via Posterior Sampling},
  author = {Osband, Ian and Russo, Daniel and Van Roy, Benjamin},
  booktitle = {Advances in Neural Information Processing Systems},
  volume = {26},
  year = {2013},
}
"""


class State(NamedTuple):
    """Counts and sums of rewards, the sampled model, and the plan."""

    counts: Floats  # (group, state, action, next state)
    rewards: Floats  # (group, state, action)
    chances: Floats  # drawn, (group, state, action, next state)
    losses: Floats  # drawn and negated, (group, state, action)
    policy: Ints
    values: Floats
    bids: Floats


@allocating_kernel
def init(parameters: PSRL, problem: Problem) -> State:
    """Start with the prior."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    groups = problem.groups
    return State(
        counts=np.zeros((groups, states, actions, states)),
        rewards=np.zeros((groups, states, actions)),
        chances=np.zeros((groups, states, actions, states)),
        losses=np.zeros((groups, states, actions)),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
    )


@kernel
def draw_weights(prior: float, counts: Floats, weights: Floats, stream: Stream) -> None:
    """Draw a gamma variate for each next state, up to a common factor."""
    if prior >= 1.0:
        for next_s in range(len(counts)):
            shape = prior + counts[next_s]
            weights[next_s] = exponential(stream) if shape == 1.0 else gamma(stream, shape)
        return
    # Gammas of small shapes underflow, but their logarithms do not.
    highest = -math.inf
    for next_s in range(len(counts)):
        weights[next_s] = log_gamma(stream, prior + counts[next_s])
        highest = max(highest, weights[next_s])
    for next_s in range(len(counts)):
        weights[next_s] = math.exp(weights[next_s] - highest)


@kernel
def draw_chances(prior: float, counts: Floats, chances: Floats, stream: Stream) -> float:
    """Draw the probabilities of all next states, and return the number of visits."""
    draw_weights(prior, counts, chances, stream)
    visits = total = 0.0
    for next_s in range(len(counts)):
        visits += counts[next_s]
        total += chances[next_s]
    for next_s in range(len(counts)):
        chances[next_s] /= total
    return visits


@kernel
def draw_model(parameters: PSRL, problem: Problem, state: State, stream: Stream) -> None:
    """Draw the probabilities of next states and the mean reward of every action."""
    for group in range(problem.groups):
        for s in range(len(problem.actions)):
            for action in range(problem.actions[s]):
                counts, chances = state.counts[group, s, action], state.chances[group, s, action]
                visits = draw_chances(parameters.prior, counts, chances, stream)
                precision = parameters.reward_precision + visits * parameters.precision
                mean = parameters.reward_precision * parameters.reward_mean
                mean += parameters.precision * state.rewards[group, s, action]
                reward = mean / precision + normal(stream) / math.sqrt(precision)
                state.losses[group, s, action] = -reward


@kernel
def bid(
    parameters: PSRL,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The negated return in the sampled model."""
    total = state.losses[group, s, action]
    for next_s in range(len(problem.actions)):
        total += state.chances[group, s, action, next_s] * state.values[stage + 1, next_s]
    return total


# Every state has positive probability of coming next, even an unreachable one.
plan_in_model = redrawing_planner(bid, UNBOUNDED, plan_everywhere)


@kernel
def plan(parameters: PSRL, problem: Problem, state: State, episode: int, stream: Stream) -> None:
    """Draw a model, and plan in it."""
    draw_model(parameters, problem, state, stream)
    plan_in_model(parameters, problem, state, episode, stream)


@kernel
def update(
    parameters: PSRL,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Count the visit."""
    group = group_of(problem, stage)
    state.counts[group, s, action, next_s] += 1.0
    state.rewards[group, s, action] += problem.best_reward - loss


@dataclass(frozen=True)
class PSRL(Rule):
    r"""Posterior sampling for reinforcement learning.

    Before each episode, a model is drawn: the probabilities of next states from
    :math:`\mathrm{Dirichlet}(\alpha_0 + \text{counts})` and the mean reward of n visits of sum R
    from

    .. math:: N\left(\frac{\tau_0 \mu_0 + \tau R}{\tau_0 + n \tau},
              \frac{1}{\tau_0 + n \tau}\right),

    and the policy that is optimal in it is played.

    Parameters
    ----------
    prior : float
        :math:`\alpha_0`, for each next state.
    reward_mean : float
        :math:`\mu_0`.
    reward_precision : float
        :math:`\tau_0`.
    precision : float
        :math:`\tau`, one over the variance of a reward. It is decisive: large values learn quickly,
        but get stuck where rewards really are noisy.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.PSRL(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    19.2

    References
    ----------
    .. [1] I. Osband, D. Russo, B. Van Roy (2013). (More) efficient reinforcement learning via
       posterior sampling. NeurIPS.
    """

    prior: float = 1.0
    reward_mean: float = 0.0
    reward_precision: float = 1.0
    precision: float = 1.0
    stationary: bool | None = None

    about = About(
        family="posterior sampling",
        needs="the rewards' variance",
        time="S^2 A",
        memory="S^2 A",
        guarantee="Bayesian: H S sqrt(A T), unverified here",
        bibtex=BIBTEX,
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_finite("prior", self.prior, above=0.0)
        require_finite("reward_mean", self.reward_mean, above=-math.inf)
        require_finite("reward_precision", self.reward_precision, above=0.0)
        require_finite("precision", self.precision, above=0.0)

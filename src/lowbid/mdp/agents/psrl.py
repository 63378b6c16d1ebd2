"""PSRL: play optimally in an MDP drawn from the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, fill_exponentials, quick_gamma, quick_log_gamma, quick_normal
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp.agents._plan import UNBOUNDED, plan_everywhere, redrawing_planner
from lowbid.mdp.agents._visits import Visits, add_visit, visits_of
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
    """Visits, the sampled model, and the plan."""

    visits: Visits
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
        visits=visits_of(problem, 1),
        chances=np.zeros((groups, states, actions, states)),
        losses=np.zeros((groups, states, actions)),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
    )


@kernel
def draw_prior(prior: float, weights: Floats, known: int, stream: Stream) -> float:
    """Draw a gamma variate of the prior for each next state, and return their common factor."""
    if prior == 1.0:
        fill_exponentials(stream, weights)
        return 1.0
    if prior > 1.0:
        for next_s in range(len(weights)):
            weights[next_s] = quick_gamma(stream, prior)
        return 1.0
    # Gammas of small shapes underflow, but their logarithms do not.
    highest = 0.0 if known > 0 else -math.inf
    for next_s in range(len(weights)):
        weights[next_s] = quick_log_gamma(stream, prior)
        highest = max(highest, weights[next_s])
    for next_s in range(len(weights)):
        weights[next_s] = math.exp(weights[next_s] - highest)
    return math.exp(-highest)


@kernel
def draw_chances(
    prior: float, visits: Visits, group: int, s: int, action: int, chances: Floats, stream: Stream
) -> None:
    """Draw the probabilities of all next states.

    A sum of gamma variates is a gamma variate: those of the counts are added to the prior's.
    """
    known = visits.known[group, s, action]
    factor = draw_prior(prior, chances, known, stream)
    for i in range(known):
        count = visits.arrivals[group, s, action, i, 0]
        next_s = visits.successors[group, s, action, i]
        chances[next_s] += factor * quick_gamma(stream, count)
    part = 1.0 / total_of(chances)
    for next_s in range(len(chances)):
        chances[next_s] *= part


@kernel
def total_of(numbers: Floats) -> float:
    """The sum of an array, in four partial sums that processors add up in parallel."""
    a = b = c = d = 0.0
    i = 0
    while i + 4 <= len(numbers):
        a, b = a + numbers[i], b + numbers[i + 1]
        c, d = c + numbers[i + 2], d + numbers[i + 3]
        i += 4
    while i < len(numbers):
        a += numbers[i]
        i += 1
    return (a + b) + (c + d)


@kernel
def mean_of(chances: Floats, values: Floats) -> float:
    """The mean of values with given probabilities, in four partial sums as well."""
    a = b = c = d = 0.0
    i = 0
    while i + 4 <= len(chances):
        a, b = a + chances[i] * values[i], b + chances[i + 1] * values[i + 1]
        c, d = c + chances[i + 2] * values[i + 2], d + chances[i + 3] * values[i + 3]
        i += 4
    while i < len(chances):
        a += chances[i] * values[i]
        i += 1
    return (a + b) + (c + d)


@kernel
def draw_loss(
    parameters: PSRL, problem: Problem, state: State, group: int, s: int, action: int,
    stream: Stream,
) -> None:  # fmt: skip
    """Draw the mean reward of an action, and negate it."""
    count = state.visits.counts[group, s, action, 0]
    rewards = count * problem.best_reward - state.visits.losses[group, s, action, 0]
    precision = parameters.reward_precision + count * parameters.precision
    mean = parameters.reward_precision * parameters.reward_mean + parameters.precision * rewards
    reward = mean / precision + quick_normal(stream) / math.sqrt(precision)
    state.losses[group, s, action] = -reward


@kernel
def draw_model(parameters: PSRL, problem: Problem, state: State, stream: Stream) -> None:
    """Draw the probabilities of next states and the mean reward of every action.

    What no plan uses is not drawn: if stages differ, actions at the first stage in states where no
    episode starts, and transitions at the last stage.
    """
    visits = state.visits
    for group in range(problem.groups):
        is_last = problem.groups > 1 and group == problem.groups - 1
        for s in range(len(problem.actions)):
            if problem.groups > 1 and group == 0 and problem.earliest[s] > 0:
                continue
            for action in range(problem.actions[s]):
                draw_loss(parameters, problem, state, group, s, action, stream)
                if not is_last:
                    chances = state.chances[group, s, action]
                    draw_chances(parameters.prior, visits, group, s, action, chances, stream)


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
    ahead = mean_of(state.chances[group, s, action], state.values[stage + 1])
    return state.losses[group, s, action] + ahead


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
    add_visit(state.visits, group_of(problem, stage), s, action, 0, loss, next_s)


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
    23.2

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

"""PSRL: play optimally in an MDP drawn from the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import (
    Stream,
    fill_exponentials,
    fill_gammas,
    fill_normals,
    gamma_width,
    integer,
    quick_gamma,
    quick_log_gamma,
)
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
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

# The exponential of this is finite, even times a count, and so large that adding 1 changes nothing.
_LARGE = 600.0


class Edges(NamedTuple):
    """The next states that were seen, numbered in order of appearance, and their gamma variates.

    Attributes
    ----------
    numbers
        The number of each, (group, state, action, successor).
    first, following
        The first of a group, (group,), and the one after each, or -1.
    entries, places
        The entry in a model of each, and its place among the weights.
    shapes, widths
        The parameters of the gamma variate of each: visits minus 1/3, and `gamma_width`.
    drawn, normals
        The gamma variate of each, and room to draw them.
    """

    numbers: Ints
    first: Ints
    following: Ints
    entries: Ints
    places: Ints
    shapes: Floats
    widths: Floats
    drawn: Floats
    normals: Floats


class State(NamedTuple):
    """Visits, what draws need to know about them, the sampled model of one group, and the plan.

    An entry of the model stands for an action and a state: action times the number of states plus
    state. In this order, all states are compared at once.
    """

    visits: Visits
    edges: Edges
    means: Floats  # of negated rewards, a posteriori, (group times entries plus entry,)
    deviations: Floats  # their standard deviations
    losses: Floats  # drawn: negated rewards
    weights: Floats  # drawn, of next states, (next state times entries plus entry,)
    parts: Floats  # the factor that turns an entry's weights into probabilities
    ones: Floats  # for each next state
    bids: Floats  # of each entry: negated returns in the sampled model
    policy: Ints
    values: Floats  # negated returns, (stage + 1, state)


@allocating_kernel
def edges_of(problem: Problem) -> Edges:
    """A record without next states."""
    states, actions, room = len(problem.actions), problem.actions.max(), problem.successors
    most = problem.groups * states * actions * room
    return Edges(
        numbers=np.zeros((problem.groups, states, actions, room), np.int64),
        first=np.full(problem.groups, -1),
        following=np.zeros(most, np.int64),
        entries=np.zeros(most, np.int64),
        places=np.zeros(most, np.int64),
        shapes=np.zeros(most),
        widths=np.zeros(most),
        drawn=np.zeros(most),
        normals=np.zeros(most),
    )


@kernel
def add_edge(problem: Problem, state: State, group: int, s: int, action: int, next_s: int) -> None:
    """Count a next state, for the first time or again; it is already in the visits."""
    visits, edges, i = state.visits, state.edges, 0
    while visits.successors[group, s, action, i] != next_s:
        i += 1
    if visits.arrivals[group, s, action, i, 0] == 1.0:
        number = visits.n_edges[0] - 1
        edges.numbers[group, s, action, i] = number
        edges.entries[number] = entry_of(problem, 0, s, action)
        edges.places[number] = next_s * len(state.bids) + edges.entries[number]
        edges.following[number] = edges.first[group]
        edges.first[group] = number
    number = edges.numbers[group, s, action, i]
    edges.shapes[number] = visits.arrivals[group, s, action, i, 0] - 1.0 / 3.0
    edges.widths[number] = gamma_width(edges.shapes[number])


@allocating_kernel
def init(parameters: PSRL, problem: Problem) -> State:
    """Start with the prior; actions that do not exist have infinite losses."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    groups, entries = problem.groups, states * actions
    means, deviations = np.full(groups * entries, math.inf), np.zeros(groups * entries)
    for group in range(groups):
        for s in range(states):
            for action in range(problem.actions[s]):
                place = entry_of(problem, group, s, action)
                means[place] = -parameters.reward_mean
                deviations[place] = 1.0 / math.sqrt(parameters.reward_precision)
    return State(
        visits=visits_of(problem, 1),
        edges=edges_of(problem),
        means=means,
        deviations=deviations,
        losses=np.zeros(groups * entries),
        weights=np.zeros(states * entries),
        parts=np.zeros(entries),
        ones=np.ones(states),
        bids=np.zeros(entries),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
    )


@kernel
def entry_of(problem: Problem, group: int, s: int, action: int) -> int:
    """The entry of an action, counted over all groups."""
    return (group * problem.actions.max() + action) * len(problem.actions) + s


@kernel
def draw_visits(state: State, stream: Stream) -> None:
    """Draw the mean reward of every action, negated, and the gamma variates of counts."""
    losses, edges, n = state.losses, state.edges, state.visits.n_edges[0]
    fill_gammas(stream, edges.shapes[:n], edges.widths[:n], edges.normals[:n], edges.drawn[:n])
    fill_normals(stream, losses)
    for i in range(len(losses)):
        losses[i] = state.means[i] + state.deviations[i] * losses[i]


@kernel
def draw_prior(prior: float, weights: Floats, parts: Floats, stream: Stream) -> None:
    """Draw a gamma variate of the prior for each next state and entry.

    `parts` become the factors of each entry's weights.
    """
    parts[:] = 1.0
    if prior == 1.0:
        fill_exponentials(stream, weights)
    elif prior > 1.0:
        for i in range(len(weights)):
            weights[i] = quick_gamma(stream, prior)
    else:
        draw_small_prior(prior, weights, parts, stream)


@kernel
def draw_small_prior(prior: float, weights: Floats, parts: Floats, stream: Stream) -> None:
    """The same for shapes below 1, whose gammas underflow; their logarithms do not."""
    n = len(parts)
    parts[:] = -math.inf
    for i in range(len(weights)):
        weights[i] = quick_log_gamma(stream, prior)
        parts[i % n] = max(parts[i % n], weights[i])
    for i in range(len(weights)):
        weights[i] = math.exp(weights[i] - parts[i % n])
    for entry in range(n):
        parts[entry] = math.exp(min(-parts[entry], _LARGE))


@kernel
def draw_chances(
    parameters: PSRL, problem: Problem, state: State, group: int, stream: Stream
) -> None:
    """Draw the probabilities of all next states, up to a common factor of each entry.

    A sum of gamma variates is a gamma variate: those of the counts are added to the prior's.
    """
    weights, parts, edges = state.weights, state.parts, state.edges
    draw_prior(parameters.prior, weights, parts, stream)
    edge = edges.first[group]
    while edge >= 0:
        weights[edges.places[edge]] += parts[edges.entries[edge]] * edges.drawn[edge]
        edge = edges.following[edge]
    sum_rows(weights, state.ones, parts)
    for entry in range(len(parts)):
        parts[entry] = 1.0 / parts[entry]


@kernel
def sum_rows(weights: Floats, values: Floats, sums: Floats) -> None:
    """For each entry, the sum of its weights times the values of next states.

    Four next states at a time: starting a loop takes as long as several iterations of it.
    """
    n = len(sums)
    for entry in range(n):
        sums[entry] = 0.0
    next_s = 0
    while next_s + 4 <= len(values):
        a, b, c, d = values[next_s], values[next_s + 1], values[next_s + 2], values[next_s + 3]
        rows = weights[next_s * n : (next_s + 4) * n]
        for entry in range(n):
            one, two = rows[entry] * a, rows[entry + n] * b
            three, four = rows[entry + 2 * n] * c, rows[entry + 3 * n] * d
            sums[entry] += (one + two) + (three + four)
        next_s += 4
    while next_s < len(values):
        row, value = weights[next_s * n : next_s * n + n], values[next_s]
        for entry in range(n):
            sums[entry] += row[entry] * value
        next_s += 1


@kernel
def choose(bids: Floats, policy: Ints, values: Floats, stream: Stream) -> None:
    """Choose the action with the lowest bid in every state; ties are broken at random."""
    n_states, ties = len(values), 0
    for s in range(n_states):
        policy[s], values[s] = 0, bids[s]
    for action in range(1, len(bids) // n_states):
        row = bids[action * n_states : (action + 1) * n_states]
        for s in range(n_states):
            now, lowest = row[s], values[s]
            ties += int(now == lowest)
            policy[s] = action if now < lowest else policy[s]
            values[s] = now if now < lowest else lowest
    if ties > 0:  # seldom, but not if precisions are extreme
        for s in range(n_states):
            policy[s] = any_tied(bids, n_states, s, policy[s], stream)


@kernel
def any_tied(bids: Floats, n_states: int, s: int, first: int, stream: Stream) -> int:
    """One of the actions in a state whose bids equal that of the first of them."""
    lowest, tied, chosen = bids[first * n_states + s], 1, first
    for action in range(first + 1, len(bids) // n_states):
        if bids[action * n_states + s] == lowest:
            tied += 1
            chosen = action if integer(stream, tied) == 0 else chosen
    return chosen


@kernel
def plan(parameters: PSRL, problem: Problem, state: State, episode: int, stream: Stream) -> None:
    """Draw a model, and plan in it for all states: in a drawn model, any state can come next.

    If a model is used at a single stage, its next states are drawn when that stage is planned; at
    the last stage none are, since nothing follows.
    """
    last, bids = len(problem.slack) - 1, state.bids
    draw_visits(state, stream)
    for stage in range(last, -1, -1):
        group = group_of(problem, stage)
        if stage == last - 1 or (problem.groups > 1 and stage < last):
            draw_chances(parameters, problem, state, group, stream)
        losses = state.losses[group * len(bids) : (group + 1) * len(bids)]
        sum_rows(state.weights, state.values[stage + 1], bids)
        for entry in range(len(bids)):
            bids[entry] = losses[entry] + state.parts[entry] * bids[entry]
        choose(bids, state.policy[stage], state.values[stage], stream)


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
    """Count the visit, and update what draws need to know."""
    group, visits = group_of(problem, stage), state.visits
    add_visit(visits, group, s, action, 0, loss, next_s)
    add_edge(problem, state, group, s, action, next_s)
    count, place = visits.counts[group, s, action, 0], entry_of(problem, group, s, action)
    losses = visits.losses[group, s, action, 0] - count * problem.best_reward
    precision = parameters.reward_precision + count * parameters.precision
    total = parameters.precision * losses - parameters.reward_precision * parameters.reward_mean
    state.means[place] = total / precision
    state.deviations[place] = 1.0 / math.sqrt(precision)


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
        :math:`\tau`, one over the variance of a reward. Much depends on it: large values learn
        quickly, but get stuck where rewards really are noisy.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.PSRL(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    20.5

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

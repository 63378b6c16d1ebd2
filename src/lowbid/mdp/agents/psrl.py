"""PSRL: play optimally in an MDP drawn from the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel
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
from lowbid.mdp._seen import Seen, nothing_seen, see
from lowbid.policies import About, Limits, real

# The exponential of this is finite, even times a count, and so large that adding 1 changes nothing.
_LARGE = 600.0
# Compiled loops process 16 entries per iteration, and the code below 8 next states. Arrays are
# padded accordingly, since a remainder of a few numbers takes longer than a whole iteration. The
# results in the padding are not used.
LANES, NEXT = 16, 8


@kernel
def padded(n: int) -> int:
    """The number of entries that a loop over n of them processes."""
    return (n + LANES - 1) & -LANES


class State(NamedTuple):
    """Visits, what draws need to know about them, the sampled model of one group, and the plan.

    Entries are numbered as in `Seen`, so that all states are compared at once.
    """

    seen: Seen
    shapes: Floats  # of the gamma variate of each next state that was seen: visits minus 1/3
    widths: Floats  # `gamma_width` of these
    gammas: Floats  # the variates drawn
    normals: Floats  # room to draw them
    means: Floats  # of negated rewards, a posteriori, (place,)
    deviations: Floats  # their standard deviations
    losses: Floats  # drawn: negated rewards
    weights: Floats  # drawn, of next states, (next state times entries plus entry,)
    parts: Floats  # the factor that turns an entry's weights into probabilities
    ones: Floats  # for each next state
    sums: Floats  # of each entry's weights times the values of next states
    policy: Ints
    values: Floats  # negated returns, (stage + 1, state)

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "shapes", real(0.0)
        yield "widths", real(0.0)


@allocating_kernel
def init(parameters: PSRL, problem: Problem) -> State:
    """Start with the prior; actions that do not exist have infinite losses."""
    horizon, states, groups = len(problem.slack), len(problem.actions), problem.groups
    entries = states * problem.actions.max()
    means, deviations = np.full(groups * entries, math.inf), np.zeros(groups * entries)
    for group in range(groups):
        for s in range(states):
            for action in range(problem.actions[s]):
                place = group * entries + action * states + s
                means[place] = -parameters.reward_mean
                deviations[place] = 1.0 / math.sqrt(parameters.reward_precision)
    most = groups * entries * problem.successors
    ones = np.zeros((states + NEXT - 1) & -NEXT)
    ones[:states] = 1.0
    return State(
        seen=nothing_seen(problem),
        shapes=np.zeros(most),
        widths=np.zeros(most),
        gammas=np.zeros(most),
        normals=np.zeros(most),
        means=means,
        deviations=deviations,
        losses=np.full(groups * entries + LANES, math.nan),  # NaN ties with nothing
        weights=np.zeros(len(ones) * entries + LANES),
        parts=np.zeros(entries + LANES),
        ones=ones,
        sums=np.zeros(entries + LANES),
        policy=np.zeros((horizon, states + LANES), np.int64),
        values=np.zeros((horizon + 1, states + LANES)),
    )


@kernel
def refresh(parameters: PSRL, state: State) -> None:
    """Update the posterior parameters of all places visited since the last plan."""
    seen = state.seen
    for i in range(seen.n_stale[0]):
        place = from_start(seen.stale[i])
        seen.is_stale[place] = 0
        precision = parameters.reward_precision + seen.counts[place] * parameters.precision
        total = parameters.precision * seen.losses[place]
        total -= parameters.reward_precision * parameters.reward_mean
        state.means[place] = total / precision
        state.deviations[place] = 1.0 / math.sqrt(precision)
        for known in range(seen.known[place]):
            number = from_start(seen.numbers[place, known])
            state.shapes[number] = seen.visits[number] - 1.0 / 3.0
            state.widths[number] = gamma_width(state.shapes[number])
    seen.n_stale[0] = 0


@kernel
def draw_visits(parameters: PSRL, state: State, stream: Stream) -> None:
    """Draw the mean reward of every action, negated, and the gamma variates of counts."""
    refresh(parameters, state)
    n, losses = state.seen.n_edges[0], state.losses[: len(state.means)]
    fill_gammas(stream, state.shapes[:n], state.widths[:n], state.normals[:n], state.gammas[:n])
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
    seen, n = state.seen, state.seen.next_states.shape[1]
    weights, parts = state.weights[: len(problem.actions) * n], state.parts[:n]
    draw_prior(parameters.prior, weights, parts, stream)
    edge = seen.first[group]
    while edge >= 0:
        entry = seen.entries[edge]
        weights[seen.into[edge] * n + entry] += parts[entry] * state.gammas[edge]
        edge = seen.following[edge]
    sum_rows(state.weights, state.ones, n, state.parts)
    for entry in range(n):
        parts[entry] = 1.0 / parts[entry]


@kernel
def sum_rows(weights: Floats, values: Floats, n: int, sums: Floats) -> None:
    """For each of n entries, the sum of its weights times the values of next states."""
    width = padded(n)
    for i in range(width):
        sums[i] = 0.0
    for y in range(0, len(values), NEXT):
        a, b, c, d = values[y], values[y + 1], values[y + 2], values[y + 3]
        e, f, g, h = values[y + 4], values[y + 5], values[y + 6], values[y + 7]
        rows = weights[from_start(y * n) :]
        for i in range(width):
            some = (rows[i] * a + rows[i + n] * b) + (rows[i + 2 * n] * c + rows[i + 3 * n] * d)
            more = rows[i + 6 * n] * g + rows[i + 7 * n] * h
            sums[i] += some + ((rows[i + 4 * n] * e + rows[i + 5 * n] * f) + more)


@kernel
def choose(problem: Problem, state: State, stage: int, stream: Stream) -> None:
    """Choose the action with the lowest bid in every state; ties are broken at random.

    A bid is a negated return in the sampled model. `sums` are those of the stage to come.
    """
    n, n_states, parts, sums = (
        state.seen.next_states.shape[1],
        len(problem.actions),
        state.parts,
        state.sums,
    )
    losses = state.losses[from_start(group_of(problem, stage) * n) :]
    policy, values, ties, width = state.policy[stage], state.values[stage], 0, padded(n_states)
    for s in range(width):
        bid = losses[s] + parts[s] * sums[s]
        policy[s], values[s] = 0, bid if s < n_states else 0.0
    for action in range(1, n // n_states):
        begin = from_start(action * n_states)
        for s in range(width):
            bid, lowest = losses[begin + s] + parts[begin + s] * sums[begin + s], values[s]
            ties += int(bid == lowest)
            is_lower = (bid < lowest) & (s < n_states)
            policy[s] = action if is_lower else policy[s]
            values[s] = bid if is_lower else lowest
    if ties > 0:  # seldom, but not if precisions are extreme
        for s in range(n_states):
            policy[s] = any_tied(state, losses, n, n_states, s, policy[s], stream)


@kernel
def any_tied(
    state: State, losses: Floats, n: int, n_states: int, s: int, first: int, stream: Stream
) -> int:
    """One of the actions in a state whose bids equal that of the first of them."""
    entry, tied, chosen = first * n_states + s, 1, first
    lowest = losses[entry] + state.parts[entry] * state.sums[entry]
    for action in range(first + 1, n // n_states):
        entry += n_states
        if losses[entry] + state.parts[entry] * state.sums[entry] == lowest:
            tied += 1
            chosen = action if integer(stream, tied) == 0 else chosen
    return chosen


@kernel
def plan(parameters: PSRL, problem: Problem, state: State, episode: int, stream: Stream) -> None:
    """Draw a model, and plan in it for all states: in a drawn model, any state can come next.

    If a model is used at a single stage, its next states are drawn when that stage is planned; at
    the last stage none are, since nothing follows.
    """
    last, n = len(problem.slack) - 1, state.seen.next_states.shape[1]
    draw_visits(parameters, state, stream)
    for stage in range(last, -1, -1):
        if stage == last - 1 or (problem.groups > 1 and stage < last):
            draw_chances(parameters, problem, state, group_of(problem, stage), stream)
        sum_rows(state.weights, state.values[stage + 1, : len(state.ones)], n, state.sums)
        choose(problem, state, stage, stream)


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
    see(problem, state.seen, stage, s, action, loss, next_s)


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
        cite="osband2013more",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_finite("prior", self.prior, above=0.0)
        require_finite("reward_mean", self.reward_mean, above=-math.inf)
        require_finite("reward_precision", self.reward_precision, above=0.0)
        require_finite("precision", self.precision, above=0.0)

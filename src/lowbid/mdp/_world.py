"""A tabular MDP as arrays, and the kernels that draw from it and plan in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, coin, normal, uniform
from lowbid.policies._base import Floats, Ints


class World(NamedTuple):
    """The tables of an MDP, in losses; the first axis has one entry, or one per stage.

    Attributes
    ----------
    actions
        The number of actions of each state, (state,).
    lengths
        The number of outcomes of each action, (stage, state, action).
    probabilities, next_states, losses
        Each outcome's probability, next state and mean loss, (stage, state, action, outcome).
    cumulative
        The cumulative probabilities.
    means
        The mean loss of each action, (stage, state, action).
    coins
        Where the loss takes one of two values: the first value, and the second minus the first,
        (stage, state, action, 2); elsewhere the difference is 0.
    sd
        The standard deviation of normal noise, (stage, state, action).
    first
        The probability of each first state, (state,).
    first_cumulative
        The same, cumulatively.
    reached
        The states that can be reached at each stage, (stage, state), padded with -1.
    """

    actions: Ints
    lengths: Ints
    probabilities: Floats
    next_states: Ints
    losses: Floats
    cumulative: Floats
    means: Floats
    coins: Floats
    sd: Floats
    first: Floats
    first_cumulative: Floats
    reached: Ints


@kernel
def draw_first(world: World, stream: Stream) -> int:
    """The first state of an episode."""
    at = uniform(stream)
    state = 0
    while state < len(world.first) - 1 and at >= world.first_cumulative[state]:
        state += 1
    return state


@kernel
def draw_outcome(world: World, stage: int, state: int, action: int, stream: Stream) -> int:
    """Draw one of an action's outcomes; a single one needs no draw."""
    last = world.lengths[stage, state, action] - 1
    if last == 0:
        return 0
    at = uniform(stream)
    outcome = 0
    while outcome < last and at >= world.cumulative[stage, state, action, outcome]:
        outcome += 1
    return outcome


@kernel
def draw_loss(
    world: World, stage: int, state: int, action: int, outcome: int, stream: Stream
) -> float:
    """Draw the loss of an outcome."""
    mean = world.losses[stage, state, action, outcome]
    height = world.coins[stage, state, action, 1]
    if height != 0.0:
        low = world.coins[stage, state, action, 0]
        return low + height * coin(stream, (mean - low) / height)
    sd = world.sd[stage, state, action]
    return mean + sd * normal(stream) if sd > 0.0 else mean


class Occupancy(NamedTuple):
    """The distribution over states at each stage, under the policy that was evaluated last.

    Attributes
    ----------
    states, counts
        The states of positive probability, (stage + 1, place), and their number, (stage + 1,).
    chances
        The probability of each state, (stage + 1, state).
    lost
        The mean loss before each stage, (stage + 1,).
    policy
        The policy, (stage, state); only entries for listed states are up to date.
    """

    states: Ints
    counts: Ints
    chances: Floats
    lost: Floats
    policy: Ints


@allocating_kernel
def occupancy_of(world: World, horizon: int) -> Occupancy:
    """The distribution of the first state; no policy has been evaluated yet."""
    n_states = len(world.first)
    found = Occupancy(
        states=np.zeros((horizon + 1, n_states), np.int64),
        counts=np.zeros(horizon + 1, np.int64),
        chances=np.zeros((horizon + 1, n_states)),
        lost=np.zeros(horizon + 1),
        policy=np.full((horizon, n_states), -1),
    )
    for s in range(n_states):
        _arrive(found, 0, s, world.first[s])
    return found


@kernel
def _arrive(found: Occupancy, stage: int, s: int, chance: float) -> None:
    """Add to the probability of a state at a stage."""
    if chance == 0.0:
        return
    if found.chances[stage, s] == 0.0:
        found.states[stage, found.counts[stage]] = s
        found.counts[stage] += 1
    found.chances[stage, s] += chance


@kernel
def _take(
    world: World, at: int, s: int, action: int, chance: float, found: Occupancy, stage: int
) -> float:
    """Pass on the probability of taking an action, and return its share of the mean loss."""
    for i in range(world.lengths[at, s, action]):
        arrival = chance * world.probabilities[at, s, action, i]
        _arrive(found, stage + 1, world.next_states[at, s, action, i], arrival)
    return chance * world.means[at, s, action]


@kernel
def first_change(policy: Ints, found: Occupancy) -> int:
    """The first stage at which a policy differs from the last one, where that one leads."""
    for stage in range(len(policy)):
        for i in range(found.counts[stage]):
            s = found.states[stage, i]
            if policy[stage, s] != found.policy[stage, s]:
                return stage
    return len(policy)


@kernel
def evaluate(
    world: World, policy: Ints, epsilon: float, since: int, found: Occupancy, fault: Ints
) -> float:
    """The exact mean loss of an episode under a policy, (stage, state).

    It is computed forwards, and only where the policy leads: one state per stage if transitions
    are deterministic. Stages before `since` have not changed since the last call. With probability
    `epsilon` an action is drawn uniformly instead. An action that does not exist is written to
    `fault`.
    """
    for stage in range(since, len(policy)):
        at = 0 if len(world.means) == 1 else stage
        for i in range(found.counts[stage + 1]):
            found.chances[stage + 1, found.states[stage + 1, i]] = 0.0
        found.counts[stage + 1] = 0
        lost = found.lost[stage]
        for i in range(found.counts[stage]):
            s = found.states[stage, i]
            action, chance = policy[stage, s], found.chances[stage, s]
            found.policy[stage, s] = action
            if action < 0 or action >= world.actions[s]:
                fault[0], fault[1], fault[2] = stage, s, action
                return 0.0
            lost += _take(world, at, s, action, (1.0 - epsilon) * chance, found, stage)
            if epsilon > 0.0:
                each = epsilon * chance / world.actions[s]
                for other in range(world.actions[s]):
                    lost += _take(world, at, s, other, each, found, stage)
        found.lost[stage + 1] = lost
    return found.lost[len(policy)]


def backward_induction(world: World, horizon: int) -> tuple[Floats, Ints]:
    """The lowest mean losses from each stage and state onwards, and the first optimal actions."""
    values = np.zeros((horizon + 1, len(world.actions)))
    policy = np.zeros((horizon, len(world.actions)), np.int64)
    missing = np.arange(world.means.shape[2]) >= world.actions[:, np.newaxis]
    for stage in reversed(range(horizon)):
        every = np.where(missing, np.inf, action_values(world, stage, values[stage + 1]))
        policy[stage] = every.argmin(axis=1)
        values[stage] = every.min(axis=1)
    return values, policy


def policy_losses(world: World, chances: Floats) -> Floats:
    """The mean losses from each stage and state onwards, if actions have these probabilities."""
    values = np.zeros((len(chances) + 1, len(world.actions)))
    for stage in reversed(range(len(chances))):
        every = action_values(world, stage, values[stage + 1])
        values[stage] = (chances[stage] * every).sum(axis=1)
    return values


def action_values(world: World, stage: int, ahead: Floats) -> Floats:
    """The mean loss of every action at a stage plus that of what follows, (state, action)."""
    at = 0 if len(world.means) == 1 else stage
    return world.means[at] + (world.probabilities[at] * ahead[world.next_states[at]]).sum(axis=-1)


def reachable(first: Floats, probabilities: Floats, next_states: Ints, horizon: int) -> Ints:
    """The states that can be reached at each stage, (stage, state), padded with -1."""
    listed = np.full((horizon, len(first)), -1, np.int64)
    now = first > 0
    for stage in range(horizon):
        states = np.flatnonzero(now)
        listed[stage, : len(states)] = states
        at = 0 if len(probabilities) == 1 else stage
        ahead = next_states[at][now][probabilities[at][now] > 0]
        now = np.zeros(len(first), bool)
        now[ahead] = True
    return listed


def earliest_stages(reached: Ints) -> Ints:
    """The first stage at which each state can be reached; the horizon if it never is."""
    horizon, states = reached.shape
    earliest = np.full(states, horizon, np.int64)
    for stage in reversed(range(horizon)):
        earliest[reached[stage, reached[stage] >= 0]] = stage
    return earliest

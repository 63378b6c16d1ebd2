"""A tabular MDP as arrays, and the kernels that draw from it and plan in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._kernel import kernel
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


@kernel
def action_value(world: World, stage: int, state: int, action: int, ahead: Floats) -> float:
    """The mean loss of an action, plus that of what follows according to `ahead`."""
    value = world.means[stage, state, action]
    for i in range(world.lengths[stage, state, action]):
        value += (
            world.probabilities[stage, state, action, i]
            * ahead[world.next_states[stage, state, action, i]]
        )
    return value


@kernel
def evaluate(world: World, policy: Ints, epsilon: float, values: Floats) -> float:
    """The exact mean loss of an episode under a policy, (stage, state).

    With probability `epsilon` an action is drawn uniformly instead. The loss from each reachable
    stage and state on is written to `values`, (stage + 1, state), whose last row must be 0.
    """
    for stage in range(len(policy) - 1, -1, -1):
        at = 0 if len(world.means) == 1 else stage
        ahead = values[stage + 1]
        for i in range(world.reached.shape[1]):
            state = world.reached[stage, i]
            if state < 0:
                break
            value = action_value(world, at, state, policy[stage, state], ahead)
            if epsilon > 0.0:
                every = 0.0
                for action in range(world.actions[state]):
                    every += action_value(world, at, state, action, ahead)
                value += epsilon * (every / world.actions[state] - value)
            values[stage, state] = value
    total = 0.0
    for state in range(len(world.first)):
        if world.first[state] > 0.0:
            total += world.first[state] * values[0, state]
    return total


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

"""A tabular MDP as arrays, and its exact values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints


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

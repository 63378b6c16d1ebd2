"""Batches that plan on their own: three readings of batch-ensemble value iteration."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.mdp._base import Kernels
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import Visits, add_visit, visits_of
from lowbid.mdp.agents._plan import Agenda, agenda_of, changing
from lowbid.mdp.agents.batch_ensemble_value_iteration import Parameters, estimate, update
from lowbid.policies import Limits, argmin, whole


class State(NamedTuple):
    """Visits in batches, each batch's values and policy, and the plan."""

    visits: Visits
    policy: Ints
    batch_values: Floats  # the value of each stage and state, (batch, stage + 1, state)
    batch_policies: Ints  # each batch's policy, (batch, stage, state)
    bids: Floats
    lowest: Floats
    estimates: Floats
    episode: Ints
    agenda: Agenda

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "batch_policies", whole(0, problem.actions - 1)
        yield "episode", whole(0)


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start with empty batches."""
    horizon, states, batches = len(problem.slack), len(problem.actions), parameters.batches
    return State(
        visits=visits_of(problem, batches),
        policy=np.zeros((horizon, states), np.int64),
        batch_values=np.zeros((batches, horizon + 1, states)),
        batch_policies=np.zeros((batches, horizon, states), np.int64),
        bids=np.zeros(problem.actions.max()),
        lowest=np.zeros(problem.actions.max()),
        estimates=np.zeros(batches),
        episode=np.zeros(1, np.int64),
        agenda=agenda_of(problem),
    )


@kernel
def fill_bids_of(
    parameters: Parameters, problem: Problem, state: State, group: int, stage: int, s: int, j: int
) -> None:
    """Write a batch's estimate of each action."""
    ahead = state.batch_values[j, stage + 1]
    for action in range(problem.actions[s]):
        state.bids[action] = estimate(
            parameters, problem, state.visits, group, stage, s, action, j, ahead
        )


@kernel
def keep_value(state: State, batch: int, stage: int, s: int, value: float) -> bool:
    """Store a batch's value of a state, and return whether it changed."""
    value = max(value, 0.0)
    changed = value != state.batch_values[batch, stage, s]
    state.batch_values[batch, stage, s] = value
    return changed


@kernel
def choose_by_batch(
    parameters: Parameters,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    episode: int,
    stream: Stream,
) -> bool:
    """Let every batch choose the action with its lowest estimate."""
    changed = False
    for batch in range(parameters.batches):
        fill_bids_of(parameters, problem, state, group, stage, s, batch)
        action = argmin(state.bids[: problem.actions[s]], True, stream)
        state.batch_policies[batch, stage, s] = action
        if keep_value(state, batch, stage, s, state.bids[action]):
            changed = True
    return changed


@kernel
def choose_by_state(
    parameters: Parameters,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    episode: int,
    stream: Stream,
) -> bool:
    """Choose the action with the lowest estimate of all batches."""
    changed = False
    lowest: Floats = state.lowest[: problem.actions[s]]
    for action in range(len(lowest)):
        lowest[action] = math.inf
    for batch in range(parameters.batches):
        fill_bids_of(parameters, problem, state, group, stage, s, batch)
        least = math.inf
        for action in range(len(lowest)):
            least = min(least, state.bids[action])
            lowest[action] = min(lowest[action], state.bids[action])
        if keep_value(state, batch, stage, s, least):
            changed = True
    state.policy[stage, s] = argmin(lowest, True, stream)
    return changed


plan_batches = changing(choose_by_batch)


@kernel
def plan_globally(
    parameters: Parameters, problem: Problem, state: State, episode: int, stream: Stream
) -> None:
    """Follow the policy of the batch that expects the lowest loss."""
    plan_batches(parameters, problem, state, episode, stream)
    for batch in range(parameters.batches):
        total = 0.0
        for s in range(len(problem.actions)):
            if problem.first[s] > 0.0:
                total += problem.first[s] * state.batch_values[batch, 0, s]
        state.estimates[batch] = total
    winner = argmin(state.estimates, True, stream)
    for stage in range(len(problem.slack)):
        for s in range(len(problem.actions)):
            state.policy[stage, s] = state.batch_policies[winner, stage, s]
    state.episode[0] = episode


@kernel
def update_by_episode(
    parameters: Parameters,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Put the visit into the batch of its episode."""
    batch = (state.episode[0] - 1) % parameters.batches
    add_visit(state.visits, group_of(problem, stage), s, action, batch, loss, next_s)


KERNELS = {
    "global": Kernels(init, plan_globally, update),
    "states": Kernels(init, changing(choose_by_state), update),
    "episodes": Kernels(init, plan_globally, update_by_episode),
}

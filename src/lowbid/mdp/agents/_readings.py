"""Batches that plan on their own: three readings of batch-ensemble value iteration."""

from __future__ import annotations

import math

from lowbid._kernel import kernel
from lowbid._random import Stream
from lowbid.mdp._base import Kernels
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp.agents._visits import add_visit
from lowbid.mdp.agents.batch_ensemble_value_iteration import (
    Parameters,
    State,
    estimate,
    init,
    update,
)
from lowbid.policies._base import Floats
from lowbid.policies._scan import argmin


@kernel
def plan_batch(parameters: Parameters, problem: Problem, state: State, batch: int) -> None:
    """Work out what each stage and state is worth to one batch."""
    values = state.batch_values[batch]
    for stage in range(len(problem.slack) - 1, -1, -1):
        group = group_of(problem, stage)
        for s in range(len(problem.actions)):
            lowest = math.inf
            for action in range(problem.actions[s]):
                value = estimate(
                    parameters,
                    problem,
                    state.visits,
                    group,
                    stage,
                    s,
                    action,
                    batch,
                    values[stage + 1],
                )
                lowest = min(lowest, value)
            values[stage, s] = max(lowest, 0.0)


@kernel
def follow(
    parameters: Parameters, problem: Problem, state: State, first: int, last: int, stream: Stream
) -> None:
    """At each state choose the action of lowest estimate among the batches `first` to `last`."""
    for stage in range(len(problem.slack)):
        group = group_of(problem, stage)
        for s in range(len(problem.actions)):
            bids: Floats = state.bids[: problem.actions[s]]
            for action in range(len(bids)):
                lowest = math.inf
                for batch in range(first, last + 1):
                    value = estimate(
                        parameters,
                        problem,
                        state.visits,
                        group,
                        stage,
                        s,
                        action,
                        batch,
                        state.batch_values[batch, stage + 1],
                    )
                    lowest = min(lowest, value)
                bids[action] = lowest
            state.policy[stage, s] = argmin(bids, True, stream)


@kernel
def plan_globally(
    parameters: Parameters, problem: Problem, state: State, episode: int, stream: Stream
) -> None:
    """Follow the policy of the batch that expects least."""
    for batch in range(parameters.batches):
        plan_batch(parameters, problem, state, batch)
        total = 0.0
        for s in range(len(problem.actions)):
            if problem.first[s] > 0.0:
                total += problem.first[s] * state.batch_values[batch, 0, s]
        state.estimates[batch] = total
    winner = argmin(state.estimates, True, stream)
    follow(parameters, problem, state, winner, winner, stream)
    state.episode[0] = episode


@kernel
def plan_by_state(
    parameters: Parameters, problem: Problem, state: State, episode: int, stream: Stream
) -> None:
    """Follow the lowest bid at each state."""
    for batch in range(parameters.batches):
        plan_batch(parameters, problem, state, batch)
    follow(parameters, problem, state, 0, parameters.batches - 1, stream)


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
    "states": Kernels(init, plan_by_state, update),
    "episodes": Kernels(init, plan_globally, update_by_episode),
}

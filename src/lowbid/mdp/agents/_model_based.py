"""The state of rules that plan in the empirical model, without batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import Visits, add_visit, sum_ahead, visits_of
from lowbid.mdp.agents._plan import Agenda, agenda_of


class State(NamedTuple):
    """All visits in one batch, and the plan."""

    visits: Visits
    policy: Ints
    values: Floats
    bids: Floats
    agenda: Agenda


@allocating_kernel
def init(parameters: Any, problem: Problem) -> State:
    """Start without visits."""
    horizon, states = len(problem.slack), len(problem.actions)
    return State(
        visits=visits_of(problem, 1),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(problem.actions.max()),
        agenda=agenda_of(problem),
    )


@kernel
def update(
    parameters: Any,
    problem: Problem,
    state: Any,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Count the visit."""
    add_visit(state.visits, group_of(problem, stage), s, action, 0, loss, next_s)


@kernel
def count_of(state: Any, group: int, s: int, action: int) -> float:
    """How often an action was taken."""
    return state.visits.counts[group, s, action, 0]


@kernel
def total_above_bound(
    problem: Problem, state: Any, group: int, stage: int, s: int, action: int
) -> float:
    """The sum of all losses of an action and of what followed, relative to the bound."""
    visits = state.visits
    total = visits.losses[group, s, action, 0]
    total += visits.counts[group, s, action, 0] * problem.slack[stage]
    return total + sum_ahead(visits, group, s, action, 0, state.values[stage + 1])


@kernel
def total_negated(
    problem: Problem, state: Any, group: int, stage: int, s: int, action: int
) -> float:
    """The sum of all negated rewards of an action and of what followed."""
    visits = state.visits
    total = visits.losses[group, s, action, 0]
    total -= visits.counts[group, s, action, 0] * problem.best_reward
    return total + sum_ahead(visits, group, s, action, 0, state.values[stage + 1])

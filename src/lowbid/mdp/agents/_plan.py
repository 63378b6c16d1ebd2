"""Backward induction: the templates that planning rules are bound to.

Values here are losses; lower is better. A value is how far the return from a stage and a state
onwards is expected to stay below its bound, or simply the negated return. A rule provides an
estimate for each action, its `bid`; the lowest bid is chosen, and is the state's value.

Rules whose bids depend on visits alone plan only what changed: the states visited since the last
plan and, from stage to stage, the states that lead to one whose value changed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel, specialise
from lowbid._random import Stream, integer
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import Visits, forget_fresh
from lowbid.policies import Limits, next_lowest, whole

# The estimate of an action that the templates below are bound to, and the lowest value that a state
# may have: 0 for rules whose values are relative to the bound on returns.
bid: Any = None
LOWEST = 0.0
# The choice at one stage and state; returns whether the value of the state changed.
choose: Any = None


class Agenda(NamedTuple):
    """The states to plan at a stage, and those that changed at the following one.

    Attributes
    ----------
    states
        The states of both, in two rows that alternate.
    marks, stamp
        A state is due if its mark equals the stamp.
    """

    states: Ints
    marks: Ints
    stamp: Ints

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "states", whole(0, len(problem.actions) - 1)


@allocating_kernel
def agenda_of(problem: Problem) -> Agenda:
    """An agenda on which nothing is due."""
    states = len(problem.actions)
    return Agenda(
        states=np.zeros((2, states), np.int64),
        marks=np.zeros(states, np.int64),
        stamp=np.zeros(1, np.int64),
    )


@kernel
def lowest_bid(bids: Floats, stream: Stream) -> int:
    """The index of the lowest bid; ties are broken at random.

    It has no branches: which bid is lower is unpredictable, so they would often be mispredicted.
    """
    lowest, place, tied = bids[0], 0, 1
    for i in range(1, len(bids)):
        now = bids[i]
        tied = 1 if now < lowest else tied + int(now == lowest)
        place = i if now < lowest else place
        lowest = now if now < lowest else lowest
    return next_lowest(bids, place, integer(stream, tied)) if tied > 1 else place


@kernel
def choose_lowest_bid(
    parameters: Any,
    problem: Problem,
    state: Any,
    group: int,
    stage: int,
    s: int,
    episode: int,
    stream: Stream,
) -> bool:
    """Choose the action with the lowest bid; ties are broken at random.

    The rule's state has `policy` (stage, state), `values` (stage + 1, state) whose last row is 0,
    and room for one state's `bids`.
    """
    bids: Floats = state.bids[: problem.actions[s]]
    for a in range(len(bids)):
        bids[a] = bid(parameters, problem, state, group, stage, s, a, episode, stream)
    action = lowest_bid(bids, stream)
    value = max(bids[action], LOWEST)
    changed = value != state.values[stage, s]
    state.policy[stage, s] = action
    state.values[stage, s] = value
    return changed


@kernel
def plan_reached(
    parameters: Any, problem: Problem, state: Any, episode: int, stream: Stream
) -> None:
    """Choose at every stage and each state that can be reached by that stage."""
    for stage in range(len(problem.slack) - 1, -1, -1):
        group = group_of(problem, stage)
        for s in range(len(problem.actions)):
            if problem.earliest[s] <= stage:
                choose(parameters, problem, state, group, stage, s, episode, stream)


@kernel
def nowhere(state: Any, stage: int) -> int:
    """No state: none counts as changed unless its value changed."""
    return -1


# Which state of a stage counts as changed even if its value did not; -1 for none.
changed_anyway: Any = None
plan_all: Any = None


@kernel
def put(problem: Problem, agenda: Agenda, stage: int, due: int, s: int) -> int:
    """Put a state on the agenda of a stage, and return the number of states on it."""
    if agenda.marks[s] == agenda.stamp[0] or problem.earliest[s] > stage:
        return due
    agenda.marks[s] = agenda.stamp[0]
    agenda.states[stage & 1, due] = s
    return due + 1


@kernel
def put_leads(
    problem: Problem, visits: Visits, agenda: Agenda, stage: int, due: int, ahead: int
) -> int:
    """Put all observed predecessors of a state on the agenda."""
    edge = visits.leads[group_of(problem, stage), ahead]
    while edge >= 0:
        due = put(problem, agenda, stage, due, visits.edge_states[edge])
        edge = visits.next_edges[edge]
    return due


@kernel
def plan_changed(
    parameters: Any, problem: Problem, state: Any, episode: int, stream: Stream
) -> None:
    """Choose wherever something changed since the last plan; before the first episode, everywhere.

    Elsewhere the choice stands, ties included: those states have not been visited since it was
    made. If visits are pooled over stages and half of the states have new ones, all are planned:
    finding those that need it would take longer.
    """
    visits, agenda = state.visits, state.agenda
    many = problem.groups == 1 and 2 * visits.n_fresh[0] >= len(problem.actions)
    if episode == 1 or many:
        plan_all(parameters, problem, state, episode, stream)
        forget_fresh(visits)
        return
    changed = 0
    for stage in range(len(problem.slack) - 1, -1, -1):
        group = group_of(problem, stage)
        agenda.stamp[0] += 1
        due = 0
        for i in range(visits.n_fresh[group]):
            due = put(problem, agenda, stage, due, visits.fresh[group, i])
        for i in range(changed):
            ahead = agenda.states[(stage + 1) & 1, i]
            due = put_leads(problem, visits, agenda, stage, due, ahead)
        ahead = changed_anyway(state, stage + 1)
        if ahead >= 0:
            due = put_leads(problem, visits, agenda, stage, due, ahead)
        changed = 0
        for i in range(due):
            s = from_start(agenda.states[stage & 1, i])
            if choose(parameters, problem, state, group, stage, s, episode, stream):
                agenda.states[stage & 1, changed] = s
                changed += 1
    forget_fresh(visits)


def changing(choose: Any, changed_anyway: Any = nowhere) -> Any:
    """Planning that chooses only where something changed."""
    return specialise(
        plan_changed,
        choose=choose,
        changed_anyway=changed_anyway,
        plan_all=specialise(plan_reached, choose=choose),
    )


def planner(bid: Any, lowest: float = 0.0, changed_anyway: Any = nowhere) -> Any:
    """Planning by bids without randomness, ``bid(..., group, stage, s, action, episode, stream)``.

    Bids may depend on the visits of the state and action and on the values of the next stage, and
    on nothing else that changes.
    """
    return changing(specialise(choose_lowest_bid, bid=bid, LOWEST=lowest), changed_anyway)


def redrawing_planner(bid: Any, lowest: float, template: Any = plan_reached) -> Any:
    """Planning by bids that are redrawn in every episode."""
    return specialise(template, choose=specialise(choose_lowest_bid, bid=bid, LOWEST=lowest))


UNBOUNDED = -math.inf

"""The memory of model-based rules: visits, losses and successors, dealt into batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel
from lowbid.mdp._problem import Problem
from lowbid.policies import Limit, Limits, exactly, real, whole


class Visits(NamedTuple):
    """Visits of (group, state, action); a group is a stage, or all of them if they are pooled.

    Attributes
    ----------
    counts, losses
        The number of visits in each batch, and the sum of their losses, (..., batch).
    next_batch
        Which batch takes the next visit.
    known
        The number of different successors seen.
    successors
        The states these are, (..., successor).
    arrivals
        How often each occurred in each batch, (..., successor, batch).
    fresh, n_fresh
        The states with visits that no plan has seen yet, (group, state), and their number.
    is_fresh
        1 for these states.
    leads, edge_states, next_edges, n_edges
        The states from which each state was reached, as linked lists: the first edge into a state,
        (group, state), or -1; where an edge comes from; the next edge into the same state; and the
        number of edges.
    """

    counts: Floats
    losses: Floats
    next_batch: Ints
    known: Ints
    successors: Ints
    arrivals: Floats
    fresh: Ints
    n_fresh: Ints
    is_fresh: Ints
    leads: Ints
    edge_states: Ints
    next_edges: Ints
    n_edges: Ints

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        states, (*_, room) = len(problem.actions), self.successors.shape
        yield "counts", real(0.0)
        yield "next_batch", whole(0, self.counts.shape[-1] - 1)
        yield "known", whole(0, room)
        yield "successors", whole(0, states - 1)
        yield "is_fresh", whole(0, 1)
        yield "n_fresh", exactly(self.is_fresh.sum(axis=1), "how many states are fresh")
        yield "fresh", whole(0, states - 1)
        yield "n_edges", exactly(np.array([self.known.sum()]), "the successors known")
        yield "leads", whole(-1, self.n_edges[0] - 1)
        yield "edge_states", whole(0, states - 1)
        yield "next_edges", earlier(self.n_edges[0])


def earlier(used: int) -> Limit:
    """Links of a list to an earlier entry, or -1 at its end: following them comes to an end."""
    return Limit(
        "-1 and the numbers of earlier entries",
        lambda x: (x >= -1) & ((x < np.arange(len(x))) | (np.arange(len(x)) >= used)),
    )


@allocating_kernel
def visits_of(problem: Problem, batches: int) -> Visits:
    """A record without visits."""
    groups, states, actions = problem.groups, len(problem.actions), problem.actions.max()
    room = problem.successors
    return Visits(
        counts=np.zeros((groups, states, actions, batches)),
        losses=np.zeros((groups, states, actions, batches)),
        next_batch=np.zeros((groups, states, actions), np.int64),
        known=np.zeros((groups, states, actions), np.int64),
        successors=np.zeros((groups, states, actions, room), np.int64),
        arrivals=np.zeros((groups, states, actions, room, batches)),
        fresh=np.zeros((groups, states), np.int64),
        n_fresh=np.zeros(groups, np.int64),
        is_fresh=np.zeros((groups, states), np.int64),
        leads=np.full((groups, states), -1),
        edge_states=np.zeros(groups * states * actions * room, np.int64),
        next_edges=np.zeros(groups * states * actions * room, np.int64),
        n_edges=np.zeros(1, np.int64),
    )


@kernel
def add_visit(
    visits: Visits, group: int, s: int, action: int, batch: int, loss: float, next_s: int
) -> None:
    """Put a visit into a batch, and note it for the next plan."""
    visits.counts[group, s, action, batch] += 1.0
    visits.losses[group, s, action, batch] += loss
    known = visits.known[group, s, action]
    place = 0
    while place < known and visits.successors[group, s, action, place] != next_s:
        place += 1
    if place == known:
        visits.successors[group, s, action, place] = next_s
        visits.known[group, s, action] = known + 1
        edge = visits.n_edges[0]
        visits.edge_states[edge] = s
        visits.next_edges[edge] = visits.leads[group, next_s]
        visits.leads[group, next_s] = edge
        visits.n_edges[0] = edge + 1
    visits.arrivals[group, s, action, place, batch] += 1.0
    if visits.is_fresh[group, s] == 0:
        visits.is_fresh[group, s] = 1
        visits.fresh[group, visits.n_fresh[group]] = s
        visits.n_fresh[group] += 1


@kernel
def forget_fresh(visits: Visits) -> None:
    """Record that a plan has seen all visits."""
    for group in range(len(visits.n_fresh)):
        for i in range(visits.n_fresh[group]):
            visits.is_fresh[group, visits.fresh[group, i]] = 0
        visits.n_fresh[group] = 0


@kernel
def deal(visits: Visits, group: int, s: int, action: int) -> int:
    """Return the batch whose turn it is, and advance to the next one."""
    batch = visits.next_batch[group, s, action]
    last = batch + 1 == visits.counts.shape[3]
    visits.next_batch[group, s, action] = 0 if last else batch + 1
    return batch


@kernel
def sum_ahead(visits: Visits, group: int, s: int, action: int, batch: int, values: Floats) -> float:
    """The sum of the values of all next states in a batch."""
    successors, arrivals = visits.successors[group, s, action], visits.arrivals[group, s, action]
    total = 0.0
    for i in range(visits.known[group, s, action]):
        total += arrivals[i, batch] * values[from_start(successors[i])]
    return total


class Averages(NamedTuple):
    """Averages of visits that plans at all stages use, computed once per visit.

    Attributes
    ----------
    frequencies
        The relative frequency of each known successor, (group, state, action, successor).
    losses
        The mean loss, (group, state, action).
    """

    frequencies: Floats
    losses: Floats


@allocating_kernel
def averages_of(problem: Problem) -> Averages:
    """Averages before the first visit."""
    pairs = (problem.groups, len(problem.actions), problem.actions.max())
    return Averages(np.zeros((*pairs, problem.successors)), np.zeros(pairs))


@kernel
def average(
    visits: Visits, averages: Averages, group: int, s: int, action: int, padding: float, best: float
) -> float:
    """Divide the first batch's sums by visits plus padding, and return the factor used.

    `best` is subtracted from each loss.
    """
    count = visits.counts[group, s, action, 0]
    part = 1.0 / (count + padding)
    for i in range(visits.known[group, s, action]):
        arrivals = visits.arrivals[group, s, action, i, 0]
        averages.frequencies[group, s, action, i] = part * arrivals
    losses = visits.losses[group, s, action, 0] - count * best
    averages.losses[group, s, action] = part * losses
    return part


@kernel
def mean_ahead(
    visits: Visits, averages: Averages, group: int, s: int, action: int, values: Floats
) -> float:
    """The mean value of all next states."""
    successors = visits.successors[group, s, action]
    frequencies = averages.frequencies[group, s, action]
    mean = 0.0
    for i in range(visits.known[group, s, action]):
        mean += frequencies[i] * values[from_start(successors[i])]
    return mean

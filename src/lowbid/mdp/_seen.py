"""Visits as rules that sample models need them: which next states were seen, and how often."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import earlier
from lowbid.policies import Limits, exactly, real, whole


class Seen(NamedTuple):
    """Visits of each entry, and the next states that were seen, numbered in order of appearance.

    An *entry* stands for an action and a state: action times the number of states plus state. A
    *place* is an entry counted over all groups.

    Attributes
    ----------
    counts, losses
        The number of visits and the sum of their negated rewards, (place,).
    stale, n_stale, is_stale
        The places visited since the last plan, their number, and 1 for each of them, (place,).
    known, next_states, numbers
        How many next states were seen, (place,); which, (group, entry, successor); and their
        numbers, (place, successor). The arrays below are indexed by these numbers.
    n_edges
        How many next states were seen at all places together.
    first, following
        The number of the first one of a group, (group,), and of the one after each, or -1.
    entries, into
        The entry from which each was reached, and the state that it is.
    visits
        How often each was seen.
    """

    counts: Floats
    losses: Floats
    stale: Ints
    n_stale: Ints
    is_stale: Ints
    known: Ints
    next_states: Ints
    numbers: Ints
    n_edges: Ints
    first: Ints
    following: Ints
    entries: Ints
    into: Ints
    visits: Floats

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        states, (_, entries, room) = len(problem.actions), self.next_states.shape
        yield "counts", real(0.0)
        yield "is_stale", whole(0, 1)
        yield "n_stale", exactly(np.array([self.is_stale.sum()]), "how many places are stale")
        yield "stale", whole(0, len(self.counts) - 1)
        yield "known", whole(0, room)
        yield "next_states", whole(0, states - 1)
        yield "n_edges", exactly(np.array([self.known.sum()]), "how many next states are known")
        yield "numbers", whole(0, len(self.visits) - 1)
        yield "first", whole(-1, self.n_edges[0] - 1)
        yield "following", earlier(self.n_edges[0])
        yield "entries", whole(0, entries - 1)
        yield "into", whole(0, states - 1)
        yield "visits", real(0.0)


@allocating_kernel
def nothing_seen(problem: Problem) -> Seen:
    """Before the first visit."""
    groups, room = problem.groups, problem.successors
    entries = len(problem.actions) * problem.actions.max()
    places, most = groups * entries, groups * entries * room
    return Seen(
        counts=np.zeros(places),
        losses=np.zeros(places),
        stale=np.zeros(places + 1, np.int64),
        n_stale=np.zeros(1, np.int64),
        is_stale=np.zeros(places, np.int64),
        known=np.zeros(places, np.int64),
        next_states=np.zeros((groups, entries, room), np.int64),
        numbers=np.zeros((places, room), np.int64),
        n_edges=np.zeros(1, np.int64),
        first=np.full(groups, -1),
        following=np.zeros(most, np.int64),
        entries=np.zeros(most, np.int64),
        into=np.zeros(most, np.int64),
        visits=np.zeros(most),
    )


@kernel
def see(
    problem: Problem, seen: Seen, stage: int, s: int, action: int, loss: float, next_s: int
) -> None:
    """Count a visit, and note it for the next plan."""
    group, entry = group_of(problem, stage), action * len(problem.actions) + s
    place = from_start(group * seen.next_states.shape[1] + entry)
    seen.counts[place] += 1.0
    seen.losses[place] += loss - problem.best_reward
    # Without a branch: a place that is listed already is written behind the end of the list.
    n_stale = from_start(seen.n_stale[0])
    seen.stale[n_stale] = place
    seen.n_stale[0] = n_stale + 1 - seen.is_stale[place]
    seen.is_stale[place] = 1
    i, known = 0, seen.known[place]
    while i < known and seen.next_states[group, entry, i] != next_s:
        i += 1
    if i == known:
        _add_edge(seen, group, entry, place, next_s)
    seen.visits[from_start(seen.numbers[place, i])] += 1.0


@kernel
def _add_edge(seen: Seen, group: int, entry: int, place: int, next_s: int) -> None:
    """Number a next state that is seen for the first time."""
    i, number = seen.known[place], seen.n_edges[0]
    seen.known[place], seen.n_edges[0] = i + 1, number + 1
    seen.next_states[group, entry, i], seen.numbers[place, i] = next_s, number
    seen.following[number], seen.first[group] = seen.first[group], number
    seen.entries[number], seen.into[number] = entry, next_s


def known_after(seen: Seen, problem: Problem, group: int, s: int, action: int) -> Ints:
    """The next states that were seen after an action."""
    entry = action * len(problem.actions) + s
    return seen.next_states[group, entry, : seen.known[group * seen.next_states.shape[1] + entry]]

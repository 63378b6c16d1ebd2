"""Rounds of duels between a leader and all other arms.

SSMC, the sub-sampling duels (SDA) and Dirichlet sampling have these rounds in common [1]_ [2]_. In
the first round every arm is played once. In each later one the leader is the arm with the most
losses (ties are broken by the lowest mean, then in favour of the previous leader, then at random),
and other arms duel with it: those with fewer losses, unless a policy chooses others. All winners
are played once, in random order; if there is none, the leader is played.

A round is a queue in the state: `select` fills it when it is empty and returns its head, which
is removed when that arm is played.

References
----------
.. [1] H. P. Chan (2020). The multi-armed bandit problem: an efficient nonparametric solution.
   Annals of Statistics 48(1).
.. [2] D. Baudry, E. Kaufmann, O.-A. Maillard (2020). Sub-sampling for efficient non-parametric
   bandit exploration. NeurIPS 33.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream, integer
from lowbid.policies._base import Ints
from lowbid.policies._history import History, append_sum, at_most, history_of, size_of_sums
from lowbid.policies._limits import Limits, Sizes, whole


class Rounds(NamedTuple):
    """The current round of duels."""

    queue: Ints  # (arm,): whom this round still plays, the next one last
    waiting: Ints  # (1,): how many those are
    number: Ints  # (1,): of the round; 0 before the first
    leader: Ints  # (1,); -1 before the first

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "queue", whole(0, sizes.n_arms - 1)
        yield "waiting", whole(0, sizes.n_arms)
        yield "number", whole(0, sizes.steps + 1)
        yield "leader", whole(-1, sizes.n_arms - 1)

    def renumber(self, before: Rounds, arms: Sequence[int]) -> None:
        """Continue with other arms: those that are new are played next, once."""
        number = {old: new for new, old in enumerate(arms) if old >= 0}
        new = [arm for arm, old in enumerate(arms) if old < 0] if self.number[0] > 0 else []
        waiting = before.queue[: before.waiting[0]].tolist()
        queued = [number[arm] for arm in waiting if arm in number]
        self.queue[:] = 0
        self.queue[: len(queued) + len(new)] = queued + new
        self.waiting[0] = len(queued) + len(new)
        self.leader[0] = number.get(int(before.leader[0]), -1)


class State(NamedTuple):
    """The state of a policy whose duels compare sums."""

    history: History
    rounds: Rounds


@allocating_kernel
def rounds_of(n_arms: int) -> Rounds:
    """The state before the first round."""
    return Rounds(
        queue=np.zeros(n_arms, np.int64),
        waiting=np.zeros(1, np.int64),
        number=np.zeros(1, np.int64),
        leader=np.full(1, -1, np.int64),
    )


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(history=history_of(n_arms, capacity), rounds=rounds_of(n_arms))


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Store the sum of the arm's losses so far."""
    append_sum(state.history, arm, loss)
    leave_queue(state.rounds, arm)


@kernel
def leave_queue(rounds: Rounds, arm: int) -> None:
    """Remove an arm that was played from the head of the queue."""
    waiting = rounds.waiting[0]
    if waiting > 0 and rounds.queue[waiting - 1] == arm:
        rounds.waiting[0] = waiting - 1


@kernel
def duel(parameters: Any, state: Any, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger wins: a placeholder that the template below is bound to."""
    return False


@kernel
def may_fight(history: History, arm: int, leader: int) -> bool:
    """Whether an arm challenges the leader."""
    return history.counts[arm] < history.counts[leader]


@kernel
def forced(parameters: Any, number: int) -> float:
    """The number of losses below which an arm is played without a duel in this round."""
    return math.sqrt(math.log(number)) if parameters.forced_exploration else 0.0


@kernel
def select(parameters: Any, state: Any, step: int, stream: Stream) -> int:
    """Play the next arm of this round, or begin the next round."""
    rounds = state.rounds
    if rounds.waiting[0] == 0:
        rounds.number[0] += 1
        first = rounds.number[0] == 1
        winners = everyone(rounds) if first else fight(parameters, state, stream)
        shuffle(rounds.queue, winners, stream)
        rounds.waiting[0] = winners
    return rounds.queue[rounds.waiting[0] - 1]


@kernel
def everyone(rounds: Rounds) -> int:
    """Queue all arms, and return their number."""
    for arm in range(len(rounds.queue)):
        rounds.queue[arm] = arm
    return len(rounds.queue)


@kernel
def fight(parameters: Any, state: Any, stream: Stream) -> int:
    """Queue all arms that win against the leader, or else the leader; return their number."""
    history, rounds = state.history, state.rounds
    leader = choose_leader(history, rounds.leader[0], stream)
    rounds.leader[0] = leader
    enough = forced(parameters, rounds.number[0])
    winners = 0
    for arm in range(len(rounds.queue)):
        if may_fight(history, arm, leader) and (
            history.counts[arm] < enough or duel(parameters, state, arm, leader, stream)
        ):
            rounds.queue[winners] = arm
            winners += 1
    if winners == 0:
        rounds.queue[0] = leader
        winners = 1
    return winners


def duels(**rule: Any) -> Any:
    """A `select` with the given duel; `may_fight` and `forced` can be replaced too."""
    return specialise(select, fight=specialise(fight, **rule))


@kernel
def choose_leader(history: History, before: int, stream: Stream) -> int:
    """The arm with the most losses; ties go to the lowest mean, the previous leader, or any."""
    leader = 0
    for arm in range(1, len(history.counts)):
        more = history.counts[arm] - history.counts[leader]
        if more > 0 or (more == 0 and history.totals[arm] < history.totals[leader]):
            leader = arm
    if before >= 0 and as_good(history, before, leader):
        return before
    tied = 0
    chosen = leader
    for arm in range(len(history.counts)):
        if as_good(history, arm, leader):
            tied += 1
            if tied == 1 or integer(stream, tied) == 0:
                chosen = arm
    return chosen


@kernel
def as_good(history: History, arm: int, leader: int) -> bool:
    """Whether an arm has as many losses as the leader, and no higher mean."""
    return history.counts[arm] == history.counts[leader] and at_most(
        history.totals[arm], history.totals[leader], size_of_sums(history, arm, leader)
    )


@kernel
def shuffle(arms: Ints, n: int, stream: Stream) -> None:
    """Put the first n arms into random order."""
    for i in range(n - 1, 0, -1):
        j = integer(stream, i + 1)
        arms[i], arms[j] = arms[j], arms[i]

"""SW-LB-SDA: duels of the last losses, all within a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, integer
from lowbid.policies._base import About, Ints, Kernels
from lowbid.policies._history import at_most
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._rounds import Rounds, everyone, leave_queue, rounds_of, shuffle
from lowbid.policies._window import Window, WindowPolicy, slide, sum_of_last, window_of


class Memory(NamedTuple):
    """What is remembered of earlier rounds.

    Attributes
    ----------
    winners
        1 for arms that were played in the last round without being the leader, else 0.
    played
        The last round in which each arm was queued; the first round of duels is 1.
    led_since
        The round in which the current leader took the lead.
    """

    winners: Ints  # (arm,)
    played: Ints  # (arm,)
    led_since: Ints  # (1,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "winners", whole(0, 1)
        yield "played", whole(0, sizes.steps + 1)
        yield "led_since", whole(0, sizes.steps + 1)

    def renumber(self, before: Memory, arms: Sequence[int]) -> None:
        """A new arm, or one added again, counts as a winner of the last round."""
        for arm, old in enumerate(arms):
            if old < 0:
                self.winners[arm] = self.played[arm] = 1


class State(NamedTuple):
    """The last losses, the current round, and what is remembered of earlier ones."""

    window: Window
    rounds: Rounds
    memory: Memory


@allocating_kernel
def init(parameters: SlidingWindowLBSDA, n_arms: int, capacity: int) -> State:
    """Start with an empty window."""
    memory = Memory(np.ones(n_arms, np.int64), np.ones(n_arms, np.int64), np.zeros(1, np.int64))
    window = window_of(n_arms, parameters.window, capacity)
    return State(window=window, rounds=rounds_of(n_arms), memory=memory)


@kernel
def select(parameters: SlidingWindowLBSDA, state: State, step: int, stream: Stream) -> int:
    """Play the next arm of this round, or begin the next round."""
    rounds = state.rounds
    if rounds.waiting[0] == 0:
        rounds.number[0] += 1
        first = rounds.number[0] == 1
        queued = everyone(rounds) if first else fight(parameters, state, stream)
        shuffle(rounds.queue, queued, stream)
        rounds.waiting[0] = queued
    return rounds.queue[rounds.waiting[0] - 1]


@kernel
def update(
    parameters: SlidingWindowLBSDA, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Add the loss to the window."""
    slide(state.window, parameters.window, arm, loss)
    leave_queue(state.rounds, arm)


@kernel
def fight(parameters: SlidingWindowLBSDA, state: State, stream: Stream) -> int:
    """Queue all arms that win or must be played, or else the leader; return their number."""
    rounds, memory, window = state.rounds, state.memory, state.window
    number = rounds.number[0] - 1  # of the rounds of duels
    leader = choose_leader(parameters, state, number, stream)
    if leader != rounds.leader[0]:
        memory.led_since[0] = number
    rounds.leader[0] = leader
    log = math.log(parameters.window)
    few, patience = math.sqrt(log), (len(rounds.queue) - 1) * log * log
    settled = number - memory.led_since[0] >= patience
    settled = settled and number - memory.played[leader] >= patience
    queued = 0
    for arm in range(len(rounds.queue)):
        count = window.counts[arm]
        overdue = settled and number - memory.played[arm] >= patience and count <= log * log
        wins = count < few or count == 0.0
        if arm != leader:
            wins = wins or overdue or duel(parameters, window, arm, leader)
        memory.winners[arm] = int(wins)
        if wins:
            rounds.queue[queued] = arm
            queued += 1
    if queued == 0:
        rounds.queue[0] = leader
        queued = 1
    for place in range(queued):
        memory.played[rounds.queue[place]] = number
    return queued


@kernel
def duel(parameters: SlidingWindowLBSDA, window: Window, challenger: int, leader: int) -> bool:
    """Whether the challenger's mean is not above that of equally many last losses of the leader."""
    ours, theirs = window.counts[challenger], window.counts[leader]
    if ours < theirs:
        block = sum_of_last(window, parameters.window, leader, int(ours))
        return not_above(window.sums[challenger], ours, block, ours)
    return not_above(window.sums[challenger], ours, window.sums[leader], theirs)


@kernel
def not_above(total: float, count: float, other_total: float, other_count: float) -> bool:
    """Whether one mean is at most the other, up to rounding."""
    size = abs(total) / count + abs(other_total) / other_count
    return at_most(total / count, other_total / other_count, size)


@kernel
def choose_leader(parameters: SlidingWindowLBSDA, state: State, number: int, stream: Stream) -> int:
    """The arm with the most losses in the window among those that may lead.

    If the leader has few losses left in the window, any arm may lead; otherwise the leader and
    those winners of the last round that have their share of the window. Ties go to the lowest mean,
    then the previous leader, then are broken at random.
    """
    window, before = state.window, state.rounds.leader[0]
    share = min(number, parameters.window) / len(window.counts)
    anyone = before < 0 or window.counts[before] < 0.5 * share
    leader = -1
    for arm in range(len(window.counts)):
        won = state.memory.winners[arm] == 1 and window.counts[arm] >= share
        if anyone or won or arm == before:
            leader = arm if leader < 0 or leads(window, arm, leader) else leader
    if before >= 0 and as_good(window, before, leader):
        return before
    tied = 0
    chosen = leader
    for arm in range(len(window.counts)):
        won = state.memory.winners[arm] == 1 and window.counts[arm] >= share
        if (anyone or won) and as_good(window, arm, leader):
            tied += 1
            if tied == 1 or integer(stream, tied) == 0:
                chosen = arm
    return chosen


@kernel
def leads(window: Window, arm: int, other: int) -> bool:
    """Whether an arm has more losses than another, or as many and a lower mean."""
    more = window.counts[arm] - window.counts[other]
    return more > 0.0 or (more == 0.0 and window.sums[arm] < window.sums[other])


@kernel
def as_good(window: Window, arm: int, leader: int) -> bool:
    """Whether an arm has as many losses as the leader, and no higher mean."""
    size = abs(window.sums[arm]) + abs(window.sums[leader])
    return window.counts[arm] == window.counts[leader] and at_most(
        window.sums[arm], window.sums[leader], size
    )


@dataclass(frozen=True)
class SlidingWindowLBSDA(WindowPolicy):
    r"""Last-block sub-sampling duels within a sliding window, in loss form.

    Only the last τ losses of all arms count. In each round every arm duels with the leader: with n
    losses against the leader's N, it wins if its mean is not above that of the leader's last
    min(n, N). All winners are played once, in random order; if there is none, the leader is played.
    Two more kinds of arms are played as if they had won: those with fewer than
    :math:`\sqrt{\log\tau}` losses in the window, and, if for :math:`(K - 1) \log^2\tau` rounds the
    leader was the same and was not played, those that were not played for as long and have at most
    :math:`\log^2\tau` losses.

    The next leader is the arm with the most losses in the window, among the leader and those
    winners of the last round that have a share of min(r, τ) / K in round r; among all arms once the
    leader has less than half such a share.

    Parameters
    ----------
    window : int
        τ: how many losses are remembered. For T steps with Υ changes the paper's experiments use
        2 sqrt(T log T / Υ): see `lowbid.policies.tuned_window`.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
    ...                         after=[1000])
    >>> policy = lowbid.SlidingWindowLBSDA(window=300)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 24

    References
    ----------
    .. [1] D. Baudry, Y. Russac, O. Cappé (2021). On limited-memory subsampling strategies for
       bandits. ICML.
    """

    about = About(
        family="forgetting",
        needs="how often the arms change",
        time="K + τ",
        memory="K + τ",
        guarantee="sqrt(Υ T log T) dynamic regret for one-parameter exponential families",
        cite="baudry2021limited",
    )
    kernels = Kernels(init, select, update)

    @property
    def scale_free(self) -> bool:
        """Only means are compared."""
        return True

    @property
    def location_free(self) -> bool:
        """Only means are compared."""
        return True

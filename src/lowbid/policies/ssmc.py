"""SSMC: duels with the worst of the leader's runs of consecutive losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Floats, Ints, Kernels, Policy
from lowbid.policies._history import History, at_most, history_of, size_of_sums, sum_of_first
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._rounds import Rounds, duels, rounds_of, update


class State(NamedTuple):
    """All sums, the current round, and the windows examined so far.

    While neither the leader nor an arm's number of losses changes, only the leader's newest
    windows can be higher than the highest so far.
    """

    history: History
    rounds: Rounds
    leader: Ints  # (arm,): whose windows were looked at for each challenger
    length: Ints  # (arm,): of the windows
    seen: Ints  # (arm,): how many windows
    highest: Floats  # (arm,): sum of a window

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "leader", whole(-1, sizes.n_arms - 1)
        yield "length", whole(0, sizes.steps)
        yield "seen", whole(0, sizes.steps + 1)

    def renumber(self, before: State, arms: Sequence[int]) -> None:
        """Examine all windows again: leaders have other numbers."""
        self.leader[:] = -1


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(
        history=history_of(n_arms, capacity),
        rounds=rounds_of(n_arms),
        leader=np.full(n_arms, -1, np.int64),
        length=np.zeros(n_arms, np.int64),
        seen=np.zeros(n_arms, np.int64),
        highest=np.zeros(n_arms),
    )


@kernel
def duel(parameters: Any, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean is at most that of some window of the leader's losses."""
    history = state.history
    n = history.counts[challenger]
    if state.leader[challenger] != leader or state.length[challenger] != n:
        state.leader[challenger] = leader
        state.length[challenger] = n
        state.seen[challenger] = 0
        state.highest[challenger] = -math.inf
    first = state.seen[challenger]
    highest = state.highest[challenger]
    while first + n <= history.counts[leader]:
        window = sum_of_first(history, leader, first + n) - sum_of_first(history, leader, first)
        highest = max(highest, window)
        first += 1
    state.seen[challenger] = first
    state.highest[challenger] = highest
    size = size_of_sums(history, challenger, leader)
    return at_most(history.totals[challenger], highest, size)


@kernel
def forced(parameters: Any, number: int) -> float:
    """The number of losses below which an arm is played without a duel.

    It must be o(log r), but not O(log log r).
    """
    return math.sqrt(math.log(number))


@dataclass(frozen=True)
class SSMC(Policy):
    r"""Sub-sample mean comparison, in loss form.

    Rounds are as in `RBSDA`, but a challenger with n losses wins if its mean is not above the
    highest mean of any n consecutive losses of the leader, or if :math:`n < \sqrt{\log r}` in
    round r.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.SSMC(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.6

    References
    ----------
    .. [1] H. P. Chan (2020). The multi-armed bandit problem: an efficient nonparametric solution.
       Annals of Statistics 48(1).
    """

    about = About(
        family="sub-sampling duels",
        needs="nothing",
        time="K; t after a new leader",
        memory="t",
        guarantee="asymptotically optimal for one-parameter exponential families",
        cite="chan2020multi",
    )
    kernels = Kernels(init, duels(duel=duel, forced=forced), update)

    @property
    def scale_free(self) -> bool:
        """Only means are compared."""
        return True

    @property
    def location_free(self) -> bool:
        """Only means of equally many losses are compared."""
        return True

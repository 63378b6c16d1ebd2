"""Top two: find the best arm, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._evidence import (
    COLUMNS,
    COUNT,
    MEAN,
    PARTS,
    add_value,
    merged_sums,
    pair_evidence,
)
from lowbid._random import Stream, integer
from lowbid.policies._base import About, Kernels, Policy, require_finite
from lowbid.policies._limits import Limits, Sizes, one_of, whole
from lowbid.policies._yardstick import require_ends

_FIRST_PLAYS = 2.0


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    recheck: float
    low: float
    high: float  # infinite if the range of the losses is not known


class State(NamedTuple):
    """The sums of each arm's gains, and the two arms between which a coin decides."""

    sums: Floats  # (arm, column of `lowbid._evidence`)
    pending: Floats  # (arm,)
    plays: Floats  # (1,): of all arms, pending decisions included
    until: Floats  # (1,): the number of plays at the next look
    newcomers: Ints  # (1,): 1 if there may be arms with first plays to come
    pair: Ints  # (2,): the leader and its challenger; -1 before the first look
    scratch: Floats  # see `lowbid._evidence.costs_of_pair`

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "pending", whole(0, sizes.steps)
        yield "newcomers", one_of(0, 1)
        yield "pair", whole(-1, sizes.n_arms - 1)

    def renumber(self, before: State, arms: Sequence[int]) -> None:
        """Look again; the first plays of new arms are still to come."""
        self.plays[0] = self.sums[:, COUNT].sum() + self.pending.sum()
        self.until[0] = 0.0
        self.newcomers[0] = 1
        self.pair[:] = -1


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    return State(
        sums=np.zeros((n_arms, COLUMNS)),
        pending=np.zeros(n_arms),
        plays=np.zeros(1),
        until=np.zeros(1),
        newcomers=np.ones(1, np.int64),
        pair=np.full(2, -1, np.int64),
        scratch=np.zeros((2, PARTS)),
    )


@kernel
def plays_of(state: State, arm: int) -> float:
    """How often an arm was played, including pending decisions."""
    return state.sums[arm, COUNT] + state.pending[arm]


@kernel
def fewest_plays(state: State) -> float:
    """The plays of the arm that was played least."""
    fewest = plays_of(state, 0)
    for arm in range(1, len(state.pending)):
        fewest = min(fewest, plays_of(state, arm))
    return fewest


@kernel
def played_least(state: State, plays: float, stream: Stream) -> int:
    """One of the arms with this many plays, drawn uniformly at random."""
    tied = 0
    for arm in range(len(state.pending)):
        tied += int(plays_of(state, arm) == plays)
    left = integer(stream, tied) if tied > 1 else 0
    for arm in range(len(state.pending)):
        if plays_of(state, arm) == plays:
            if left == 0:
                return arm
            left -= 1
    return 0


@kernel
def leader_of(state: State, stream: Stream) -> int:
    """The arm with the best mean, then most losses, then by lot; -1 before the first loss."""
    best, tied = -1, 0
    for arm in range(len(state.pending)):
        count, mean = state.sums[arm, COUNT], state.sums[arm, MEAN]
        if count > 0.0:
            ahead = best < 0 or mean > state.sums[best, MEAN]
            alike = not ahead and mean == state.sums[best, MEAN]
            if ahead or (alike and count > state.sums[best, COUNT]):
                best, tied = arm, 1
            elif alike and count == state.sums[best, COUNT]:
                tied += 1
                if integer(stream, tied) == 0:
                    best = arm
    return best


@kernel
def look(parameters: Parameters, state: State, stream: Stream) -> None:
    """Find the leader, and the arm that is the hardest to tell from it; ties are by lot."""
    leader = leader_of(state, stream)
    challenger, least, tied = -1, math.inf, 0
    for arm in range(len(state.pending)):
        if arm != leader and leader >= 0:
            found = pair_evidence(
                state.sums[leader], state.sums[arm], 0.0, parameters.high < math.inf, state.scratch
            )
            found += math.log(max(plays_of(state, arm), 1.0))
            if found < least:
                challenger, least, tied = arm, found, 1
            elif found == least:
                tied += 1
                if integer(stream, tied) == 0:
                    challenger = arm
    state.pair[0] = leader
    state.pair[1] = challenger
    state.until[0] = state.plays[0] * (1.0 + parameters.recheck) + 1.0


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play new arms twice; then the leader or its challenger, by a fair coin."""
    if state.newcomers[0] == 1:
        fewest = fewest_plays(state)
        if fewest < _FIRST_PLAYS:
            return played_least(state, fewest, stream)
        state.newcomers[0] = 0
    if state.plays[0] >= state.until[0] or state.pair[0] < 0:
        look(parameters, state, stream)
    if state.pair[0] < 0:  # no loss is known yet
        return played_least(state, fewest_plays(state), stream)
    if state.pair[1] < 0:  # there is no other arm
        return state.pair[0]
    return state.pair[integer(stream, 2)]


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Add the loss, as a gain, to the arm's sums."""
    if parameters.high < math.inf:
        width = parameters.high - parameters.low
        add_value(state.sums[arm], (parameters.high - loss) / width, 0.0, 1.0)
    else:
        add_value(state.sums[arm], -loss, 0.0, 0.0)
    state.plays[0] += 1.0


@kernel
def hold(parameters: Parameters, state: State, arm: int, change: int) -> None:
    """Count a pending decision as a play."""
    state.pending[arm] += change
    state.plays[0] += change
    if plays_of(state, arm) < _FIRST_PLAYS:
        state.newcomers[0] = 1


@dataclass(frozen=True)
class TopTwo(Policy):
    r"""Top two: the leader or its challenger, by a fair coin, until it is known which arm is best.

    This policy is for whoever must know the best arm, and does not mind what that costs meanwhile:
    half of its plays go to an arm that is probably not the best, so its regret is linear. With
    ``Bandit(..., on_sure="stop")`` they end with the verdict.

    The leader is the arm with the highest mean gain. The challenger is the arm b that minimises

    .. math:: E(\text{leader}, b) + \log n_b,

    where E is the evidence that the leader is better than b, the same that `Bandit.compare` shows
    and that the verdict of `Bandit.recommend` waits for, and n_b the number of plays of b. The
    second term, as in [2]_, keeps arms from starving. Top-two rules with other measures of evidence
    are due to Russo [1]_. Every arm is played twice first.

    Parameters
    ----------
    recheck : float
        The two arms are chosen anew when the number of plays has grown by this part and one more.
    low, high : float or None
        The lowest and the highest loss that can occur, if they are known; `Bandit` fills them in
        from a declared range. Without, evidence against an arm needs 50 losses.

    Examples
    --------
    >>> import lowbid
    >>> bandit = lowbid.Bandit(
    ...     ["a", "b", "c"], lowbid.TopTwo(), seed=0, reward_range=(0, 1), on_sure="stop"
    ... )
    >>> for visitor in range(1000):
    ...     arm = bandit.select()
    ...     bandit.update(arm, reward=float(visitor % {"a": 2, "b": 3, "c": 5}[arm] == 0))
    >>> print(bandit.recommend())
    a is the best arm, since decision 563; a verdict like this is wrong at most once in 20.

    References
    ----------
    .. [1] D. Russo (2016). Simple Bayesian algorithms for best arm identification. COLT.
    .. [2] M. Jourdan, R. Degenne, D. Baudry, R. de Heide, E. Kaufmann (2022). Top two algorithms
       revisited. NeurIPS.
    """

    recheck: float = 0.01
    low: float | None = None
    high: float | None = None

    about = About(
        family="best arm",
        needs="nothing",
        time="1, occasionally K",
        memory="K",
        guarantee="none: linear in T; wrong verdicts at most with the error asked for",
        cite="russo2016simple,jourdan2022top",
        pending="each counts as a play of its arm",
    )
    kernels = Kernels(init, select, update)
    hold = hold

    def __post_init__(self) -> None:
        require_finite("recheck", self.recheck, above=0.0, or_equal=True)
        require_ends(self.low, self.high)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without and with a known range."""
        return [cls(), cls(low=0.0, high=1.0)]

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        low, high = self.loss_range
        return Parameters(recheck=float(self.recheck), low=low, high=high)

    def chance(self, state: State, step: int, arm: int) -> float:
        """One half for each of the two; before, the same for all arms that were played least."""
        if state.newcomers[0] == 0 and state.pair[1] >= 0:
            return 0.5
        plays = state.sums[:, COUNT] + state.pending
        return 1.0 / float((plays == plays[arm]).sum())

    @property
    def scale_free(self) -> bool:
        """Evidence without a range has no unit."""
        return self.low is None

    @property
    def location_free(self) -> bool:
        """Evidence is about differences."""
        return self.low is None

    @property
    def loss_range(self) -> tuple[float, float]:
        """The declared range."""
        if self.low is None or self.high is None:
            return -math.inf, math.inf
        return float(self.low), float(self.high)

    def for_range(self, low: float, high: float) -> Policy:
        """The rule with evidence that is proved."""
        return self if self.low is not None else replace(self, low=low, high=high)

    def merge(self, first: State, second: State) -> State:
        """Sums add up; the two arms are chosen anew."""
        return State(
            sums=merged_sums(first.sums, second.sums),
            pending=first.pending + second.pending,
            plays=first.plays + second.plays,
            until=np.zeros(1),
            newcomers=np.ones(1, np.int64),
            pair=np.full(2, -1, np.int64),
            scratch=np.zeros_like(first.scratch),
        )

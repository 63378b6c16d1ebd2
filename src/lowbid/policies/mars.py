"""MARS: the lowest mean of many random halves of an arm's losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, bits, coin
from lowbid._require import require_whole
from lowbid.policies._base import About, Floats, Ints, Kernels, Policy
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._ranking import Ranking, lowest_arm, place, place_unsorted, ranking_of, rebuild

# A subset draws 64 coins at a time, one bit each, for the next 64 losses of its arm.
_COINS = 64
# How many subsets of lowest mean are followed loss by loss; the others catch up when needed.
_WATCHED = 8

# Each arm has a place for each subset.
_MOST_SUBSETS = 10_000_000

_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


class State(NamedTuple):
    """The statistics of each arm and subset. Losses are measured from the first one of all.

    An arm's last `pending` losses are in the sums and counts of its watched subsets only. All
    subsets that are not watched have a mean of at least `floor`.
    """

    sums: Floats  # (arm, subset)
    counts: Floats  # (arm, subset)
    coins: npt.NDArray[np.uint64]  # (arm, subset): bit i decides over the i-th loss of the block
    recent: Floats  # (arm, place in the block): losses
    watched: Ints  # (arm, watched subset)
    watched_sums: Floats
    watched_counts: Floats
    watched_means: Floats  # when all subsets last caught up
    watched_coins: npt.NDArray[np.uint64]
    pulls: Ints  # (arm,)
    settled: Ints  # (arm,): how many losses are in the sums and counts
    lowest: Floats  # (arm,): the lowest loss
    floor: Floats  # (arm,)
    smallest: Floats  # (arm,): the smallest count of a subset when it last caught up
    origin: Floats  # (1,): the first loss
    ranking: Ranking

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)
        yield "watched", whole(0, self.sums.shape[1] - 1)
        yield "watched_counts", whole(0, sizes.steps)
        yield "pulls", whole(0, sizes.steps)
        yield "settled", whole(self.pulls // _COINS * _COINS, self.pulls)


@allocating_kernel
def init(parameters: MARS, n_arms: int, capacity: int) -> State:
    """Before the first step every index is minus infinity."""
    subsets = parameters.subsets
    watched = min(_WATCHED, subsets)
    state = State(
        sums=np.zeros((n_arms, subsets)),
        counts=np.zeros((n_arms, subsets)),
        coins=np.zeros((n_arms, subsets), np.uint64),
        recent=np.zeros((n_arms, _COINS)),
        watched=np.zeros((n_arms, watched), np.int64),
        watched_sums=np.zeros((n_arms, watched)),
        watched_counts=np.zeros((n_arms, watched)),
        watched_means=np.zeros((n_arms, watched)),
        watched_coins=np.zeros((n_arms, watched), np.uint64),
        pulls=np.zeros(n_arms, np.int64),
        settled=np.zeros(n_arms, np.int64),
        lowest=np.full(n_arms, math.inf),
        floor=np.full(n_arms, -math.inf),
        smallest=np.zeros(n_arms),
        origin=np.full(1, math.nan),
        ranking=ranking_of(n_arms),
    )
    for arm in range(n_arms):
        place_unsorted(state.ranking, arm, -math.inf)
    rebuild(state.ranking)
    return state


@kernel
def select(parameters: MARS, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    return lowest_arm(state.ranking, True, stream)


@kernel
def update(
    parameters: MARS, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Add the loss to the subsets that take it, and recompute the arm's index."""
    if math.isnan(state.origin[0]):
        state.origin[0] = loss
    loss -= state.origin[0]
    place_in_block = state.pulls[arm] % _COINS
    if place_in_block == 0:
        draw_coins(state, arm, stream)
    state.recent[arm, place_in_block] = loss
    state.lowest[arm] = min(state.lowest[arm], loss)
    state.pulls[arm] += 1
    index = state.lowest[arm]
    power = math.ldexp(1.0, int(min(state.pulls[arm], _COINS)))
    if power < parameters.subsets:
        if coin(stream, power / parameters.subsets) == 0.0:
            index = -math.inf
    else:
        index = lowest_mean(state, arm, loss, place_in_block)
    place(state.ranking, arm, index)


@kernel
def lowest_mean(state: State, arm: int, loss: float, place_in_block: int) -> float:
    """The lowest mean of the arm's subsets that are not empty."""
    floor = state.floor[arm]
    # One more loss x moves a mean m of c losses to m - (m - x) / (c + 1).
    if loss < floor:
        floor -= (floor - loss) / (state.smallest[arm] + 1.0)
        state.floor[arm] = floor
    lowest = follow_watched(state, arm, loss, np.uint64(place_in_block))
    if lowest > floor or place_in_block == _COINS - 1:
        catch_up(state, arm)
        watch_lowest(state, arm)
        lowest = state.watched_means[arm, 0]
    # With few subsets all may be empty still: then the arm is as good as new.
    return lowest if lowest < math.inf else -math.inf


@kernel
def follow_watched(state: State, arm: int, loss: float, place_in_block: np.uint64) -> float:
    """Add a loss to the watched subsets, and return the lowest of their means."""
    lowest = math.inf
    for i in range(state.watched.shape[1]):
        # A branch would be as hard to foresee as the coin.
        head = (state.watched_coins[arm, i] >> place_in_block) & _1 == _1
        total = state.watched_sums[arm, i] + (loss if head else 0.0)
        count = state.watched_counts[arm, i] + (1.0 if head else 0.0)
        state.watched_sums[arm, i] = total
        state.watched_counts[arm, i] = count
        mean = total / count if count > 0.0 else math.inf
        lowest = mean if mean < lowest else lowest
    return lowest


@kernel
def draw_coins(state: State, arm: int, stream: Stream) -> None:
    """Draw the coins for the next block of losses."""
    for subset in range(state.coins.shape[1]):
        state.coins[arm, subset] = bits(stream)
    for i in range(state.watched.shape[1]):
        state.watched_coins[arm, i] = state.coins[arm, state.watched[arm, i]]


@kernel
def catch_up(state: State, arm: int) -> None:
    """Add to all subsets of an arm the losses that they have not seen yet."""
    first = state.settled[arm] % _COINS
    last = first + state.pulls[arm] - state.settled[arm]
    state.settled[arm] = state.pulls[arm]
    value = 0.0
    unlike = np.uint64(0)  # the losses that are not 0
    seen = np.uint64(0)
    two_valued = True
    for i in range(first, last):
        loss = state.recent[arm, i]
        seen |= _1 << np.uint64(i)
        if loss != 0.0:
            two_valued = two_valued and (value == 0.0 or loss == value)
            unlike |= _1 << np.uint64(i)
            value = loss
    if two_valued:
        count_coins(state, arm, value, unlike, seen)
    else:
        for i in range(first, last):
            add_loss(state, arm, state.recent[arm, i], np.uint64(i))


@kernel
def count_coins(state: State, arm: int, value: float, unlike: np.uint64, seen: np.uint64) -> None:
    """Add losses of 0 and of one other value to all subsets, up to 64 of them at once."""
    for subset in range(state.sums.shape[1]):
        heads = state.coins[arm, subset] & seen
        state.sums[arm, subset] += value * ones(heads & unlike)
        state.counts[arm, subset] += ones(heads)


@kernel
def ones(word: np.uint64) -> float:
    """How many bits of a word are set."""
    word -= (word >> _1) & _ODD
    word = (word & _PAIRS) + ((word >> _2) & _PAIRS)
    word = (word + (word >> _4)) & _NIBBLES
    return float(np.int64((word * _BYTES) >> _56))


@kernel
def add_loss(state: State, arm: int, loss: float, place_in_block: np.uint64) -> None:
    """Add one loss to the subsets whose coin came up heads."""
    for subset in range(state.sums.shape[1]):
        head = (state.coins[arm, subset] >> place_in_block) & _1 == _1
        state.sums[arm, subset] += loss if head else 0.0
        state.counts[arm, subset] += 1.0 if head else 0.0


@kernel
def watch_lowest(state: State, arm: int) -> None:
    """Watch the subsets with the lowest means from now on, in that order."""
    last = state.watched.shape[1] - 1
    state.watched_means[arm, :] = math.inf
    smallest = math.inf
    for subset in range(state.sums.shape[1]):
        count = state.counts[arm, subset]
        smallest = min(smallest, count)
        # An empty subset has no mean: it is left out until it has one.
        mean = state.sums[arm, subset] / count if count > 0.0 else math.inf
        if mean < state.watched_means[arm, last] or subset <= last:
            i = min(subset, last)
            while i > 0 and mean < state.watched_means[arm, i - 1]:
                state.watched_means[arm, i] = state.watched_means[arm, i - 1]
                state.watched[arm, i] = state.watched[arm, i - 1]
                i -= 1
            state.watched_means[arm, i] = mean
            state.watched[arm, i] = subset
    for i in range(last + 1):
        state.watched_sums[arm, i] = state.sums[arm, state.watched[arm, i]]
        state.watched_counts[arm, i] = state.counts[arm, state.watched[arm, i]]
        state.watched_coins[arm, i] = state.coins[arm, state.watched[arm, i]]
    state.smallest[arm] = smallest
    # A first loss takes an empty subset anywhere.
    state.floor[arm] = state.watched_means[arm, last] if smallest > 0.0 else -math.inf


@dataclass(frozen=True)
class MARS(Policy):
    r"""Maximum Average Randomly Sampled, in loss form, so with a minimum.

    Each arm has M subsets of its losses. A fair coin decides for each of them whether a new loss
    belongs to it. After the n-th loss the arm's index is set to

    .. math::
        \min_{j \le M, \, c_j > 0} s_j / c_j, \qquad n \ge \log_2 M,

    over the subsets' sums s and counts c; while n is smaller, it is :math:`-\infty` with
    probability :math:`1 - 2^n / M` and otherwise the lowest loss. It does not change until the arm
    is played again. The arm with the lowest index is played; ties are broken uniformly at random.

    For independent losses with a continuous distribution that is symmetric about its mean, the
    index lies above the mean with probability 1 / M in the first plays and about 1 / (M + 1)
    later, whatever the scale. (The paper has M - 1 subsets for a level of 1 / M, its program M.)

    A subset's coins are drawn 64 at a time. Only the few lowest subsets are updated at each loss:
    the others catch up when one of them could have become the lowest, all at once if the losses
    have two values.

    Parameters
    ----------
    subsets : int
        M, one over the confidence level: 1000 in the authors' experiments.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.MARS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    17.2

    References
    ----------
    .. [1] M. M. Khorasani, E. Weyer (2023). Maximum average randomly sampled: a scale free and
       non-parametric algorithm for stochastic bandits. NeurIPS 36.
    """

    subsets: int = 1000

    about = About(
        family="resampling",
        needs="losses symmetric about their mean",
        time="log K + M",
        memory="K M",
        guarantee="sum over arms of log T / gap, as UCB with the losses' own tail bound",
        cite="khorasani2023maximum",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_whole("subsets", self.subsets, at_least=2, at_most=_MOST_SUBSETS)

    @property
    def scale_free(self) -> bool:
        """Means of subsets scale with the losses."""
        return True

    @property
    def location_free(self) -> bool:
        """Means of subsets move with the losses."""
        return True

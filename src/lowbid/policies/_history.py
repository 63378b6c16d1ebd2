"""Every loss of every arm, in one pool whose size is a small multiple of the number of steps.

Each arm has a block of the pool. A block that is full is doubled: in place if it is the last,
else by moving it to the end. With room for 4 entries at first, an arm of n losses never uses
more than 4 n entries of the pool, including those of its former blocks.

Losses are measured from the very first one, so that adding a large number to all losses costs
no precision, and rules that compare means compare the same numbers.

Many losses have only two values, such as 0 and 1. Then a sub-sample's sum is one draw from a
well-known distribution; `TwoValues` keeps the counts for that as long as there are only two.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, from_start, kernel
from lowbid._random import Stream, hypergeometric, integer
from lowbid.policies._base import Floats, Ints
from lowbid.policies._limits import Limits, Sizes, exactly, sums, whole

_FIRST_ROOM = 4
# Sums of the same losses in another order may differ by rounding: a tie is still a tie.
_ROUNDING = 1e-12


class History(NamedTuple):
    """All losses of every arm so far.

    Attributes
    ----------
    pool
        The arms' blocks. An entry is a loss, or the sum of the arm's losses up to there.
    start, room
        Where each arm's block begins, and how many entries it can hold.
    counts, totals
        The number and the sum of each arm's losses.
    sizes
        The sum of their absolute values, to which rounding errors of sums are proportional: losses
        on both sides of the origin may add up to almost 0.
    used
        The number of entries of the pool in use.
    origin
        The first loss of all, from which losses are measured; NaN before it.
    """

    pool: Floats
    start: Ints
    room: Ints
    counts: Ints
    totals: Floats
    sizes: Floats
    used: Ints
    origin: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "pool", sums()
        yield "totals", sums()
        yield "origin", sums(or_nan=True)
        yield "counts", whole(0, sizes.steps)
        yield "n_losses", whole(0, sizes.steps)
        yield (
            "room",
            exactly(rooms_for(self.counts), "the least 4, 8, 16, ... that holds the losses"),
        )
        # Former blocks of these arms, and the blocks of arms that were removed.
        moved = np.maximum(self.room - _FIRST_ROOM, 0).sum()
        gone = 4 * (sizes.steps - self.n_losses)
        yield "used", whole(self.room.sum(), self.room.sum() + moved + gone)
        yield "start", whole(0, self.used[0] - self.room)

    @property
    def n_losses(self) -> int:
        """The number of losses of all arms."""
        return int(self.counts.sum())


def rooms_for(counts: Ints) -> Ints:
    """The room of blocks with this many losses."""
    doubled = np.ceil(np.log2(np.maximum(counts, _FIRST_ROOM) / _FIRST_ROOM))
    rooms: Ints = np.where(counts > 0, _FIRST_ROOM * 2 ** doubled.astype(np.int64), 0)
    return rooms


@allocating_kernel
def history_of(n_arms: int, capacity: int) -> History:
    """Make an empty history with room for `capacity` losses."""
    return History(
        pool=np.zeros(4 * capacity),
        start=np.zeros(n_arms, np.int64),
        room=np.zeros(n_arms, np.int64),
        counts=np.zeros(n_arms, np.int64),
        totals=np.zeros(n_arms),
        sizes=np.zeros(n_arms),
        used=np.zeros(1, np.int64),
        origin=np.full(1, math.nan),
    )


@kernel
def from_origin(history: History, loss: float) -> float:
    """A loss, measured from the first one."""
    if math.isnan(history.origin[0]):
        history.origin[0] = loss
    return loss - history.origin[0]


@kernel
def _add_up(history: History, arm: int, loss: float) -> float:
    """Add a loss to the arm's sums; return it as measured from the first one."""
    loss = from_origin(history, loss)
    history.totals[arm] += loss
    history.sizes[arm] += abs(loss)
    return loss


@kernel
def _append(history: History, arm: int, entry: float) -> None:
    """Put an entry at the end of an arm's block."""
    if history.counts[arm] == history.room[arm]:
        _double(history, arm)
    history.pool[history.start[arm] + history.counts[arm]] = entry
    history.counts[arm] += 1


@kernel
def _double(history: History, arm: int) -> None:
    """Double an arm's room."""
    start, room, end = history.start[arm], history.room[arm], history.used[0]
    larger = max(_FIRST_ROOM, 2 * room)
    if start + room < end or room == 0:
        for i in range(room):
            history.pool[end + i] = history.pool[start + i]
        history.start[arm] = end
        history.used[0] = end + larger
    else:
        history.used[0] = start + larger
    history.room[arm] = larger


@kernel
def append_loss(history: History, arm: int, loss: float) -> float:
    """Store a loss itself; return it as measured from the first one."""
    loss = _add_up(history, arm, loss)
    _append(history, arm, loss)
    return loss


@kernel
def append_sum(history: History, arm: int, loss: float) -> None:
    """Store the sum of the arm's losses up to this one."""
    _add_up(history, arm, loss)
    _append(history, arm, history.totals[arm])


@kernel
def sum_of_first(history: History, arm: int, n: int) -> float:
    """The sum of an arm's first n losses, if sums are kept."""
    return history.pool[from_start(history.start[arm] + n - 1)] if n > 0 else 0.0


@kernel
def mean(history: History, arm: int) -> float:
    """The mean of an arm's losses, measured from the first one of all."""
    return history.totals[arm] / history.counts[arm]


@kernel
def at_most(a: float, b: float, size: float) -> bool:
    """Whether a <= b, up to the rounding of sums of the given size."""
    return a <= b + _ROUNDING * size


@kernel
def size_of_sums(history: History, first: int, second: int) -> float:
    """The size of sums of two arms' losses."""
    return history.sizes[first] + history.sizes[second]


@kernel
def mean_is_at_most(history: History, first: int, second: int) -> bool:
    """Whether the first arm's mean is not above the second one's."""
    size = history.sizes[first] / history.counts[first]
    size += history.sizes[second] / history.counts[second]
    return at_most(mean(history, first), mean(history, second), size)


class TwoValues(NamedTuple):
    """Losses of at most two values: the origin, and one other.

    Attributes
    ----------
    other
        The second value to appear, measured from the origin; 0 before that.
    broken
        1 once a third value has appeared, else 0.
    counts
        How many losses of each arm were not at the origin.
    """

    other: Floats
    broken: Ints
    counts: Ints

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "broken", whole(0, 1)


@allocating_kernel
def two_values_of(n_arms: int) -> TwoValues:
    """Start with no losses."""
    return TwoValues(
        other=np.zeros(1), broken=np.zeros(1, np.int64), counts=np.zeros(n_arms, np.int64)
    )


@kernel
def count_value(values: TwoValues, arm: int, loss: float) -> None:
    """Record a loss, as measured from the origin."""
    if loss != 0.0:
        values.counts[arm] += 1
        if values.other[0] == 0.0:
            values.other[0] = loss
        elif loss != values.other[0]:
            values.broken[0] = 1


@kernel
def sum_of_sample(history: History, values: TwoValues, arm: int, n: int, stream: Stream) -> float:
    """The sum of n losses of an arm, drawn without replacement. Losses themselves must be kept."""
    count = history.counts[arm]
    if values.broken[0] == 0:
        other = values.counts[arm]
        return values.other[0] * hypergeometric(stream, other, count - other, n)
    if 2 * n > count:
        return history.totals[arm] - _sum_of_few(history, arm, count - n, stream)
    return _sum_of_few(history, arm, n, stream)


@kernel
def _sum_of_few(history: History, arm: int, n: int, stream: Stream) -> float:
    """Shuffle n losses of an arm to the front of its block, and add them up."""
    start = history.start[arm]
    total = 0.0
    for i in range(n):
        j = start + i + integer(stream, history.counts[arm] - i)
        loss = history.pool[j]
        history.pool[j] = history.pool[start + i]
        history.pool[start + i] = loss
        total += loss
    return total

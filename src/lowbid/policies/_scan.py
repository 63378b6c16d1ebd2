"""The lowest number of an array, found by comparing all of them.

A few numbers are compared in one pass; many are compared eight at a time, in independent chains.
"""

from __future__ import annotations

import math
from typing import Any

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, integer

# Measured: below this many numbers one pass is fastest, above it two that go eight by eight.
_BLOCKS_FROM = 32
_BLOCK = 64

# The rule of an arm's index that the template below is bound to.
index: Any = None


@kernel
def arm_of_lowest_index(state: Any, terms: Any, stream: Stream) -> int:
    """The arm with the lowest `index(state, arm, terms)`, with ties broken uniformly at random.

    A template, for policies whose state has room for `indices`. A few arms are compared while their
    indices are computed, so that the processor waits less.
    """
    indices = state.indices
    if len(indices) >= _BLOCKS_FROM:
        for arm in range(len(indices)):
            indices[arm] = index(state, arm, terms)
        return argmin(indices, True, stream)
    lowest, arm, tied = index(state, 0, terms), 0, 1
    indices[0] = lowest
    for other in range(1, len(indices)):
        indices[other] = index(state, other, terms)
        lowest, arm, tied = _lowest_so_far(lowest, arm, tied, indices[other], other)
    return next_lowest(indices, arm, integer(stream, tied)) if tied > 1 else arm


@kernel
def argmin(index: Floats, random_ties: bool, stream: Stream) -> int:
    """The place of the lowest number in an array."""
    arm, tied = first_lowest(index)
    return next_lowest(index, arm, integer(stream, tied)) if random_ties and tied > 1 else arm


@kernel
def first_lowest(index: Floats) -> tuple[int, int]:
    """The first place of the lowest number, and how many places have it."""
    if len(index) < _BLOCKS_FROM:
        return _first_lowest_of_few(index)
    lowest = _lowest_number(index)
    arm = last = max(len(index) - 1, 0)  # never negative, which saves a look at each index
    tied = 0
    for other in range(len(index)):
        tied += int(index[other] == lowest)
        arm = min(arm, other if index[other] == lowest else last)
    return arm, tied


@kernel
def _first_lowest_of_few(index: Floats) -> tuple[int, int]:
    """As `first_lowest`, in one pass."""
    lowest, arm, tied = index[0], 0, 1
    for other in range(1, len(index)):
        lowest, arm, tied = _lowest_so_far(lowest, arm, tied, index[other], other)
    return arm, tied


@kernel
def _lowest_so_far(
    lowest: float, arm: int, tied: int, index: float, other: int
) -> tuple[float, int, int]:
    """The lowest index, its first arm and how many share it, after one more arm."""
    if index < lowest:
        return index, other, 1
    if index == lowest:
        return lowest, arm, tied + 1
    return lowest, arm, tied


@kernel
def _lowest_number(index: Floats) -> float:
    """The lowest number in an array.

    Eight independent chains of comparisons are twice as fast as one.
    """
    a = b = c = d = e = f = g = h = math.inf
    i = 0
    while i + 8 <= len(index):
        a, b = lower(a, index[i]), lower(b, index[i + 1])
        c, d = lower(c, index[i + 2]), lower(d, index[i + 3])
        e, f = lower(e, index[i + 4]), lower(f, index[i + 5])
        g, h = lower(g, index[i + 6]), lower(h, index[i + 7])
        i += 8
    while i < len(index):
        a = lower(a, index[i])
        i += 1
    return lower(lower(lower(a, b), lower(c, d)), lower(lower(e, f), lower(g, h)))


@kernel
def next_lowest(index: Floats, arm: int, rank: int) -> int:
    """The same position, this many places later."""
    lowest = index[arm]
    while arm + _BLOCK < len(index):
        block = index[arm + 1 : arm + 1 + _BLOCK]
        same = 0
        for other in range(_BLOCK):
            same += int(block[other] == lowest)
        if same >= rank:
            break
        rank -= same
        arm += _BLOCK
    while rank > 0:
        arm += 1
        if index[arm] == lowest:
            rank -= 1
    return arm


@kernel
def lower(first: float, second: float) -> float:
    """The lower of two indices; the first if the second is NaN."""
    return second if second < first else first

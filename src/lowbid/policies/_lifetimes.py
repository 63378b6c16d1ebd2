"""Lifetimes of batches: whole batches are forgotten, oldest first.

Losses are dealt round-robin as usual. The window is divided into l equal parts, and at the end of
each the oldest batch of every arm is emptied: each batch lives as long as the window, and they take
turns to start again. Only one step per batch is stored, and no losses.
"""

from __future__ import annotations

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._base import Ints
from lowbid.policies._batches import Batches, empty_batch

_NEVER = np.iinfo(np.int64).max
# The places of lifetimes: the last step before a batch is emptied; then since when each one lives.
_DUE, _BORN = 0, 1


@allocating_kernel
def lifetimes_of(batches: int, part: int) -> Ints:
    """Start all batches at step 1; one is emptied every `part` steps, or none if that is 0."""
    lifetimes = np.ones(_BORN + batches, np.int64)
    lifetimes[_DUE] = part if part > 0 else _NEVER
    return lifetimes


@kernel
def is_due(lifetimes: Ints, step: int) -> bool:
    """Whether a batch must be emptied before this step."""
    return step > lifetimes[_DUE]


@kernel
def forget(lifetimes: Ints, batches: Batches, part: int, step: int) -> None:
    """Empty the oldest batch of every arm, for each part of the window that is over."""
    while is_due(lifetimes, step):
        oldest = 0
        for batch in range(1, batches.in_use[0]):
            if lifetimes[_BORN + batch] < lifetimes[_BORN + oldest]:
                oldest = batch
        empty_batch(batches, oldest)
        lifetimes[_BORN + oldest] = lifetimes[_DUE] + 1
        lifetimes[_DUE] += part


def forget_while_away(lifetimes: Ints, away: Ints, batches: Batches, first_arm: int) -> None:
    """Empty what was due while arms were away, for all arms from `first_arm` on."""
    for batch in np.flatnonzero(lifetimes[_BORN:] != away[_BORN:]):
        batches.sums[first_arm:, batch] = 0.0
        batches.counts[first_arm:, batch] = 0.0

"""Means under random weights: Dirichlet(1, ..., 1) over an arm's losses and one more value."""

from __future__ import annotations

from lowbid._compile import kernel
from lowbid._random import Stream, exponential, gamma
from lowbid.policies._history import History, TwoValues


@kernel
def weighted_mean(
    history: History, values: TwoValues, arm: int, extra: float, stream: Stream
) -> float:
    """A random mean of an arm's losses and the extra value; all measured from the origin.

    Weights are exponential variables over their sum. The sum of n of them is a gamma variable,
    which saves time if all losses have one of two values.
    """
    count = history.counts[arm]
    weight = exponential(stream)
    total = extra * weight
    if values.broken[0] == 0:
        others = values.counts[arm]
        if others > 0:
            part = gamma(stream, float(others))
            total += values.other[0] * part
            weight += part
        if others < count:
            weight += gamma(stream, float(count - others))
    else:
        start = history.start[arm]
        for i in range(start, start + count):
            part = exponential(stream)
            total += part * history.pool[i]
            weight += part
    return total / weight

"""The lowest of many convex functions of one number, without computing most of them.

The index of an arm changes even if the arm is not played, with the step or with the best arm's
mean; call that number x. As a function of x the index is convex, so an earlier tangent lies below
it: an arm whose tangent is higher than some other arm's index cannot be the lowest, and its index
is not computed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, interpreted, kernel
from lowbid._random import Stream
from lowbid.policies._base import Floats
from lowbid.policies._moments import Moments
from lowbid.policies._scan import argmin

# Lower than any index, yet higher than that of an arm not played at all.
_UNKNOWN = -1.7976931348623157e308
# Tangents are lowered by this share of their terms, to lie below the index after rounding too.
_MARGIN = 1e-14
# This many arms are computed one by one before all the others are.
_LIKELIEST = 4

# The index of an arm as a function of x, and its derivative: what the templates are bound to.
index_at: Any = None


class Tangents(NamedTuple):
    """Where each arm's index was last computed, and the tangent there."""

    points: Floats
    heights: Floats
    intercepts: Floats
    slopes: Floats
    indices: Floats  # at the present x: the index, or a lower bound of it


@allocating_kernel
def tangents_of(n_arms: int) -> Tangents:
    """Before the first loss every index is minus infinity."""
    return Tangents(
        points=np.full(n_arms, math.nan),
        heights=np.full(n_arms, -math.inf),
        intercepts=np.full(n_arms, -math.inf),
        slopes=np.zeros(n_arms),
        indices=np.zeros(n_arms),
    )


def tangents_after(moments: Moments) -> Tangents:
    """No tangent for any arm: the index of each that was played is to be computed."""
    tangents: Tangents = tangents_of(len(moments.counts))
    for arm in np.flatnonzero(moments.counts):
        forget(tangents, int(arm))
    return tangents


@kernel
def forget(tangents: Tangents, arm: int) -> None:
    """Drop an arm's tangent, because its losses have changed."""
    tangents.points[arm] = math.nan
    tangents.intercepts[arm] = _UNKNOWN
    tangents.slopes[arm] = 0.0


@kernel
def touch(tangents: Tangents, arm: int, x: float, height: float, slope: float) -> None:
    """Store an arm's index at x, and the tangent there unless its slope is infinite."""
    tangents.points[arm] = x
    tangents.heights[arm] = height
    tangents.indices[arm] = height
    if math.isfinite(height) and math.isfinite(slope):
        rise = slope * x
        tangents.slopes[arm] = slope
        tangents.intercepts[arm] = height - rise - _MARGIN * (abs(height) + abs(rise))
    else:
        tangents.slopes[arm] = 0.0
        tangents.intercepts[arm] = _UNKNOWN


@kernel
def lower_bounds(tangents: Tangents, x: float) -> None:
    """Set every index to its known value or lower bound at x."""
    for arm in range(len(tangents.indices)):
        if tangents.points[arm] == x:
            tangents.indices[arm] = tangents.heights[arm]
        else:
            tangents.indices[arm] = tangents.intercepts[arm] + tangents.slopes[arm] * x


@kernel
def first_to_work_out(tangents: Tangents, x: float) -> int:
    """An arm whose index at x may be the lowest and is not known; -1 if there is none."""
    lowest = math.inf
    unknown = -1
    for arm in range(len(tangents.indices)):
        if tangents.indices[arm] <= lowest:
            known = tangents.points[arm] == x
            if tangents.indices[arm] < lowest or not known:
                lowest = tangents.indices[arm]
                unknown = -1 if known else arm
    return -1 if lowest == -math.inf else unknown


@kernel
def next_to_work_out(tangents: Tangents, x: float, place: int, lowest: float) -> int:
    """The first later arm whose index may be that low and is not known; -1 if there is none."""
    for arm in range(place, len(tangents.indices)):
        if tangents.indices[arm] <= lowest and tangents.points[arm] != x:
            return arm
    return -1


@kernel
def lowest_arm_lazily(parameters: Any, state: Any, x: float, stream: Stream) -> int:
    """The arm with the lowest index at x; indices must be convex in x.

    The likeliest arms are computed first, and usually they are enough; if many arms are alike, the
    others follow in one pass.
    """
    tangents = state.tangents
    lower_bounds(tangents, x)
    lowest = math.inf
    done = 0
    arm = first_to_work_out(tangents, x)
    while arm >= 0:
        height, slope = index_at(parameters, state, arm, x)
        touch(tangents, arm, x, height, slope)
        lowest = min(lowest, height)
        done += 1
        if done < _LIKELIEST:
            arm = first_to_work_out(tangents, x)
        else:
            arm = next_to_work_out(tangents, x, arm + 1 if done > _LIKELIEST else 0, lowest)
    return argmin(tangents.indices, True, stream)


def indices_at(rule: Any, parameters: Any, state: Any, moments: Moments, x: float) -> Floats:
    """Every arm's index at x, computed by its rule; minus infinity before its first loss."""
    with interpreted():  # a look at the indices is not worth a compilation
        return np.array(
            [
                rule(parameters, state, arm, x)[0] if moments.counts[arm] > 0.0 else -math.inf
                for arm in range(len(moments.counts))
            ]
        )


@kernel
def lowest_arm_of_all(parameters: Any, state: Any, x: float, stream: Stream) -> int:
    """The arm with the lowest index at x, after computing all indices."""
    for arm in range(len(state.tangents.indices)):
        state.tangents.indices[arm] = index_at(parameters, state, arm, x)[0]
    return argmin(state.tangents.indices, True, stream)

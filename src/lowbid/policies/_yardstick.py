"""Losses measured relative to earlier ones: from the first loss, in units of the first difference.

A rule that works on these numbers does not depend on location or scale, whatever the unit of the
losses: two values become exactly 0 and 1 (or -1), and no loss is so large or so small that its cube
overflows or vanishes. The two lowest losses estimate how low losses can be.

A *clip* guards against gross errors: from the third loss on, a single loss may not widen the range
seen so far by more than its width. One outlier then counts like one or two of the worst ordinary
losses, and a range that is truly wide is reached after a few losses, since it may triple with each.

If the range of the losses is declared, they are measured from its lower end, in units of its width,
and nothing is clipped.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._base import require, require_finite

Yardstick = Floats
# What a yardstick holds. The last four are measured by the first two.
ORIGIN, UNIT, SEEN, LOWEST, SECOND, HIGHEST = range(6)

# The mean of losses that are all alike may be off by rounding: their squared deviations from it are
# below this, in a declared range of width 1.
ROUNDING = 1e-24
# Losses are at most this many units in size, so that their cubes can be added up; and two that
# differ by less than this part of their size do so by rounding.
_MOST, SAME = 1e60, 1e-14


@allocating_kernel
def yardstick_of(low: float, high: float) -> Yardstick:
    """Before the first loss; `low` and `high` are infinite if the range is not declared."""
    yardstick = np.array([0.0, 0.0, 0.0, math.inf, math.inf, -math.inf])
    if high < math.inf:
        yardstick[ORIGIN], yardstick[UNIT] = low, high - low
        yardstick[LOWEST], yardstick[SECOND], yardstick[HIGHEST] = 0.0, 0.0, 1.0
    return yardstick


@kernel
def measured(yardstick: Yardstick, loss: float) -> float:
    """A loss in the yardstick's unit, clipped; the yardstick is updated."""
    x = min(max(_in_units(yardstick, loss), -_MOST), _MOST)
    width = yardstick[HIGHEST] - yardstick[LOWEST]
    if yardstick[SEEN] >= 2.0 and width > 0.0:  # before the first loss it is minus infinity
        x = min(max(x, yardstick[LOWEST] - width), yardstick[HIGHEST] + width)
    yardstick[SEEN] += 1.0
    yardstick[SECOND] = min(yardstick[SECOND], max(x, yardstick[LOWEST]))
    yardstick[LOWEST] = min(yardstick[LOWEST], x)
    yardstick[HIGHEST] = max(yardstick[HIGHEST], x)
    return x


@kernel
def clipped(yardstick: Yardstick, loss: float) -> float:
    """A loss in its own unit, clipped; the yardstick is updated."""
    if yardstick[SEEN] >= 2.0 and yardstick[HIGHEST] > yardstick[LOWEST]:
        low = yardstick[ORIGIN] + yardstick[LOWEST] * yardstick[UNIT]
        high = yardstick[ORIGIN] + yardstick[HIGHEST] * yardstick[UNIT]
        loss = min(max(loss, low - (high - low)), high + (high - low))
    measured(yardstick, loss)
    return loss


@kernel
def _in_units(yardstick: Yardstick, loss: float) -> float:
    """A loss in the yardstick's unit; all are 0 until two differ."""
    if yardstick[UNIT] > 0.0:
        return (loss - yardstick[ORIGIN]) / yardstick[UNIT]
    if yardstick[SEEN] == 0.0:
        yardstick[ORIGIN] = loss
    difference = loss - yardstick[ORIGIN]
    if abs(difference) <= SAME * abs(loss):
        return 0.0
    yardstick[UNIT] = abs(difference)
    return 1.0 if difference > 0.0 else -1.0


@kernel
def reach_below(yardstick: Yardstick, x: float, margin: float) -> float:
    """How far below x losses may lie: down to the lowest seen, and a few spacings further."""
    spacing = yardstick[SECOND] - yardstick[LOWEST]
    return x - yardstick[LOWEST] + margin * spacing


@kernel
def are_alike(squares: float, count: float, high: float) -> bool:
    """Whether an arm's losses were all alike, of which only a declared range makes something."""
    return squares <= count * ROUNDING and high < math.inf


@kernel
def evidence_if_alike(yardstick: Yardstick, mean: float, gap: float) -> float:
    """The evidence of each of an arm's losses if it had two, that one and the lowest possible."""
    share = min(gap / (mean - yardstick[LOWEST]), 1.0 - 1.0 / (yardstick[SEEN] + 2.0))
    return -math.log1p(-share)


def require_ends(low: float | None, high: float | None) -> None:
    """Raise an error if a declared range is not valid."""
    require((low is None) == (high is None), f"low, high are {low!r}, {high!r}; give both or none.")
    if low is not None and high is not None:
        require_finite("low", low, above=-math.inf)
        require_finite("high", high, above=low)


def translation(yardstick: Yardstick, other: Yardstick) -> tuple[float, float]:
    """(a, b) such that x on the other yardstick is a + b x on this one."""
    if yardstick[UNIT] == 0.0:
        return 0.0, 0.0
    with np.errstate(over="ignore"):
        shift = (other[ORIGIN] - yardstick[ORIGIN]) / yardstick[UNIT]
    return float(np.clip(shift, -_MOST, _MOST)), float(other[UNIT] / yardstick[UNIT])


def merged_yardstick(first: Yardstick, second: Yardstick) -> Yardstick:
    """The yardstick of all losses of two, in the larger unit."""
    parts = [part for part in (first, second) if part[SEEN] > 0.0]
    if len(parts) < 2:
        return (parts[0] if parts else first).copy()
    both = max(parts, key=lambda part: float(part[UNIT])).copy()
    if both[UNIT] == 0.0:  # neither has seen two losses that differ
        both[UNIT] = abs(second[ORIGIN] - first[ORIGIN])
    both[SEEN] = first[SEEN] + second[SEEN]
    lows, highs = [], []
    for part in parts:
        shift, factor = translation(both, part)
        lows += [shift + factor * x for x in part[[LOWEST, SECOND]] if math.isfinite(x)]
        highs.append(shift + factor * part[HIGHEST])
    both[LOWEST], both[SECOND] = sorted(lows)[:2]
    both[HIGHEST] = max(highs)
    return both

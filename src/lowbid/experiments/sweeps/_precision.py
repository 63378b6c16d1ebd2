"""How many runs a cell needs for a mean of a given precision, decided without bias.

Adding runs until an interval is narrow enough stops too early where the runs so far happen to be
alike, and the interval then misses the mean too often. Here a pilot decides, and is then left out:
the first n0 runs say how many *further* runs N are needed, the mean and its interval are made from
these N runs alone. They are independent of the pilot, so that, whatever N is, the interval covers
the mean as often as one of a fixed number of runs. See docs/sweeps.md for what that was measured to
be, and for what stopping on the way would do.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid.experiments.sweeps._store import Window
from lowbid.experiments.sweeps._sweep import Precision
from lowbid.policies._base import Floats
from lowbid.simulation import estimates

# The pilot's spread may be too small by chance: this many more runs than it asks for.
_MARGIN = 1.3


def further_runs(pilot: Floats, precision: Precision) -> int:
    """How many runs after a pilot, (run, step), give every step's mean this precision.

    Each step has an interval from the pilot, which becomes narrower with the square root of the
    number of runs. At least as many runs as in the pilot, at most those of the limit.
    """
    n = len(pilot)
    most = max(n, precision.most_runs - n)
    found = estimates(pilot, at_least=0.0)
    half = np.maximum(found.high - found.mean, found.mean - found.low)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(half > 0.0, half / (precision.within * found.mean), 0.0)
    worst = float(np.max(ratio))
    if not math.isfinite(worst):
        return most
    return int(min(max(n, math.ceil(_MARGIN * n * worst**2)), most))


def window_of(runs: int, further: int | None) -> Window:
    """The runs that count: all, or, with a precision, those after the pilot."""
    return Window(0, runs) if further is None else Window(runs, runs + further)

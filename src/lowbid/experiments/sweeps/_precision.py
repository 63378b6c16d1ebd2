"""How many runs a cell needs for a mean of a given precision, decided without bias.

Adding runs until an interval is narrow enough stops too early where the runs so far happen to be
alike, and the interval then misses the mean too often. Here a pilot decides, and is then left out:
the first n0 runs decide how many *further* runs N are needed, and the mean and its interval are
computed from these N runs alone. They are independent of the pilot, so that, whatever N is, the
interval covers the mean as often as one of a fixed number of runs. See docs/sweeps.md for the
measured coverage, and for that of adding runs until the interval is narrow enough.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._random import normal_quantile
from lowbid.experiments.sweeps._store import Window
from lowbid.experiments.sweeps._sweep import Precision
from lowbid.simulation import CONFIDENCE

# Twice the runs that the pilot's spread calls for: it may be small by chance, and regret is skewed.
_MARGIN = 2.0
_QUANTILE = normal_quantile.uncompiled((1.0 - CONFIDENCE) / 2.0)


def further_runs(pilot: Floats, precision: Precision) -> int:
    """How many runs after a pilot, (run, step), give every step's mean this precision.

    They are at least as many as in the pilot, and at most as many as the limit allows.
    """
    n = len(pilot)
    most = max(n, precision.most_runs - n)
    mean, sd = pilot.mean(axis=0), pilot.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(sd > 0.0, _QUANTILE * sd / (precision.within * mean), 0.0)
    needed = _MARGIN * float(np.max(ratio**2))
    return int(min(max(n, math.ceil(min(needed, most))), most))


def window_of(runs: int, further: int | None) -> Window:
    """The runs that count: all, or, with a precision, those after the pilot."""
    return Window(0, runs) if further is None else Window(runs, runs + further)

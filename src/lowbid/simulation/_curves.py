"""Mean regret over time, with its uncertainty."""

from __future__ import annotations

from typing import NamedTuple

from lowbid.simulation._result import Result
from lowbid.simulation._statistics import Floats, estimates


class Curve(NamedTuple):
    """The mean regret of one policy at every checkpoint, with its 95% interval."""

    mean: Floats
    low: Floats
    high: Floats


def mean_curves(result: Result) -> dict[str, Curve]:
    """The curve of every policy, by name; with a single run, the band is as thin as the curve."""
    curves = {}
    for name, regret in zip(result.policies, result.regret, strict=True):
        found = estimates(regret, at_least=0.0)
        if len(regret) < 2:
            curves[name] = Curve(found.mean, found.mean, found.mean)
        else:
            curves[name] = Curve(found.mean, found.low, found.high)
    return curves

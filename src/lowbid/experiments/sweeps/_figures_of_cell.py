"""The figures of a cell in tables: its regret after a number of steps, over some runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid.environments import Arms
from lowbid.experiments.sweeps._cell import Cell, last_tenth
from lowbid.simulation import Result, estimate

# A run is stuck if its last tenth loses at least this fraction of the smallest gap per step.
_STUCK = 0.9


class Figures(NamedTuple):
    """The regret of one cell after a number of steps.

    Attributes
    ----------
    runs : int
        The number of runs.
    mean, sd, se, low, high : float
        See `lowbid.simulation.Estimate`.
    median, q95, worst : float
        The median, the 95% quantile and the maximum of the regret.
    stuck : float or None
        The share of runs that settle on a suboptimal arm; None where unknown: before the horizon,
        and if the arms differ from run to run.
    """

    runs: int
    mean: float
    sd: float
    se: float
    low: float
    high: float
    median: float
    q95: float
    worst: float
    stuck: float | None


def figures_of(cell: Cell, result: Result, first: int, last: int) -> dict[int, Figures]:
    """The figures of some runs, for each step that is judged."""
    regret = result.regret[0, first:last]
    steps = result.checkpoints.tolist()
    found = {}
    for step in cell.record:
        values = regret[:, steps.index(step)]
        median, q95 = np.quantile(values, [0.5, 0.95]).tolist()
        stuck = _stuck(cell, result.checkpoints, regret) if step == cell.horizon else None
        spread = estimate(values, at_least=0.0)
        found[step] = Figures(len(values), *spread, median, q95, float(values.max()), stuck)
    return found


def _stuck(cell: Cell, checkpoints: Ints, regret: Floats) -> float | None:
    """The share of runs whose last tenth loses nearly the smallest gap in every step, or more."""
    arms = cell.environment.environment
    if not isinstance(arms, Arms) or arms.n_arms < 2 or len(checkpoints) < 2:
        return None
    return float(stuck_runs(arms, checkpoints, regret).mean())


def stuck_runs(arms: Arms, checkpoints: Ints, regret: Floats) -> Floats:
    """Which runs, (run, checkpoint), settle on a suboptimal arm: 1 if they do, 0 otherwise."""
    means, horizon = np.sort(arms.means), int(checkpoints[-1])
    before = checkpoints.tolist().index(last_tenth(horizon))
    lost = regret[:, -1] - regret[:, before]
    steps = horizon - int(checkpoints[before])
    return (lost >= _STUCK * (means[1] - means[0]) * steps).astype(np.float64)

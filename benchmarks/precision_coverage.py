"""How often intervals cover the true mean when the number of runs is decided by a precision.

    python -m benchmarks.precision_coverage [--pool 10000] [--trials 2000] [--within 0.1]

For each setting of benchmarks/coverage.py, many runs stand for all runs. Then, many times over,
runs are drawn one after another and the number of them is decided in two ways: as sweeps do it (a
pilot of 20 runs decides how many further ones there are, and is left out), and by stopping as soon
as the interval of all runs so far is narrow enough. Prints the percentage of 95% intervals that
cover the mean, the percentage of the sweeps' intervals that are as narrow as requested, and the
number of runs.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from lowbid.experiments.sweeps._precision import further_runs
from lowbid.experiments.sweeps._sweep import Precision
from lowbid.simulation import estimate

from .coverage import SETTINGS, pools
from .table import table

PILOT, MOST = 20, 4_000


def two_stages(pool: np.ndarray, rng: np.random.Generator, within: float) -> tuple[bool, bool, int]:
    """Whether the interval covers the mean, and is narrow enough; and how many runs there were."""
    pilot = rng.choice(pool, PILOT)
    further = further_runs(pilot[:, np.newaxis], Precision(within, MOST))
    found = estimate(rng.choice(pool, further), at_least=0.0)
    narrow = max(found.high - found.mean, found.mean - found.low) <= within * found.mean
    return found.low <= pool.mean() <= found.high, narrow, PILOT + further


def stopping(pool: np.ndarray, rng: np.random.Generator, within: float) -> tuple[bool, int]:
    """The same if one looks after every ten runs and stops as soon as the interval is narrow."""
    runs = rng.choice(pool, PILOT)
    while True:
        found = estimate(runs, at_least=0.0)
        narrow = max(found.high - found.mean, found.mean - found.low) <= within * found.mean
        if narrow or len(runs) >= MOST:
            return found.low <= pool.mean() <= found.high, len(runs)
        runs = np.concatenate([runs, rng.choice(pool, 10)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pool", type=int, default=10_000, help="runs that stand for all runs")
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--within", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows, sums = [], []
    for name in SETTINGS:
        print(name, file=sys.stderr, flush=True)
        pool, _ = pools(name, given.pool, given.seed)
        rng = np.random.default_rng(given.seed)
        ours = [two_stages(pool, rng, given.within) for _ in range(given.trials)]
        theirs = [stopping(pool, rng, given.within) for _ in range(given.trials)]
        covers, narrow, runs = np.mean(ours, axis=0)
        other, fewer = np.mean(theirs, axis=0)
        figures = [100 * covers, 100 * other, 100 * narrow, runs, fewer]
        sums.append(figures)
        rows.append([name, *(f"{x:.0f}" for x in figures)])
    rows.append(["**mean**", *(f"{x:.0f}" for x in np.mean(sums, axis=0))])
    head = ["regret", "two stages cover", "stopping covers", "narrow enough", "runs", "if stopping"]
    print(table(head, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

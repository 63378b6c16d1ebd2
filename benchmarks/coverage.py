"""How often the 95% intervals of lowbid cover the true mean regret, with few runs and many.

    python -m benchmarks.coverage [--pool 10000] [--trials 4000] [--seed 1]

Each setting, a policy on some arms for 1,000 steps, is simulated `pool` times, and the mean of all
is taken as the truth. Then a few of these runs are drawn at random, `trials` times over, and
`lowbid.simulation.estimates`, which every table, band and verdict uses, makes an interval of them.
Prints the tables of docs/intervals.md, in about a minute: the percentage of intervals that cover
the truth, for a policy's own regret, and for its difference from that of UCB1 on the same losses.
The last line is for Student's interval.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np

import lowbid
from lowbid.simulation import estimates
from lowbid.simulation._statistics import student_quantile

from .table import table

HORIZON = 1000
RUNS = (5, 10, 20, 50, 100, 200)
RIVAL = "UCB1"

SETTINGS: dict[str, tuple[lowbid.Policy, lowbid.Environment]] = {
    "BatchEnsemble, paper's test 1": (lowbid.BatchEnsemble(), lowbid.paper_test(1)),
    "BatchEnsemble, 2 batches, test 2": (lowbid.BatchEnsemble(2), lowbid.paper_test(2)),
    "BatchEnsemble, 1 batch, test 3": (lowbid.BatchEnsemble(1), lowbid.paper_test(3)),
    "BatchEnsemble, test 4": (lowbid.BatchEnsemble(), lowbid.paper_test(4)),
    "UCB-Tuned, test 3": (lowbid.UCBTuned(), lowbid.paper_test(3)),
    "KL-UCB, test 2": (lowbid.KLUCB.bernoulli(), lowbid.paper_test(2)),
    "IMED, test 5": (lowbid.IMED.exponential(), lowbid.paper_test(5)),
    "NPTS, test 1": (lowbid.NPTS(), lowbid.paper_test(1)),
    "Thompson, coins 0.45, 0.5": (lowbid.BetaThompson(), lowbid.Bernoulli([0.45, 0.5])),
    "Thompson, rare losses": (lowbid.BetaThompson(), lowbid.Bernoulli([0.01, 0.02, 0.02, 0.05])),
    "ε-greedy, coins 0.4 to 0.6": (
        lowbid.DecreasingEpsilonGreedy(),
        lowbid.Bernoulli([0.4, 0.5, 0.6]),
    ),
    "greedy, coins 0.4, 0.5": (lowbid.Greedy(), lowbid.Bernoulli([0.4, 0.5])),
    "LB-SDA, Gaussian arms": (lowbid.LBSDA(), lowbid.Gaussian([0.0, 0.5])),
    "explore then commit, Gaussian arms": (
        lowbid.ExploreThenCommit(20),
        lowbid.Gaussian([0.0, 0.5]),
    ),
}


class Covered(NamedTuple):
    """The share of intervals that cover the truth, by the number of runs."""

    skewness: float
    ours: dict[int, float]
    student: dict[int, float]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pool", type=int, default=10_000, help="runs that stand for all runs")
    parser.add_argument("--trials", type=int, default=4_000, help="intervals for each figure")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    regret: dict[str, Covered] = {}
    difference: dict[str, Covered] = {}
    for name in SETTINGS:
        print(name, file=sys.stderr, flush=True)
        ours, gap = pools(name, given.pool, given.seed)
        regret[name] = coverage(ours, given.trials, given.seed, at_least=0.0)
        difference[name] = coverage(gap, given.trials, given.seed)
    print(markdown("regret (`summary`, bands)", regret), end="\n\n")
    print(markdown("difference from UCB1 (`difference`)", difference))
    return 0


def pools(setting: str, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The regret of many runs, and the difference from that of UCB1 in the same runs."""
    policy, arms = SETTINGS[setting]
    both = {setting: policy, RIVAL: lowbid.UCB1()}
    result = lowbid.simulate(both, arms, HORIZON, runs, seed, checkpoints=[HORIZON])
    ours, theirs = result.regret[:, :, -1]
    return ours, ours - theirs


def coverage(
    pool: np.ndarray, trials: int, seed: int, at_least: float = -np.inf, sizes: tuple = RUNS
) -> Covered:
    """How often intervals made from few of the pool's numbers cover the mean of all."""
    truth, rng = pool.mean(), np.random.default_rng(seed)
    ours, student = {}, {}
    for runs in sizes:
        found = estimates(pool[rng.integers(len(pool), size=(runs, trials))], at_least=at_least)
        half = student_quantile(0.975, runs - 1) * found.se
        ours[runs] = float(np.mean((found.low <= truth) & (truth <= found.high)))
        student[runs] = float(np.mean(np.abs(found.mean - truth) <= half))
    skewness = float(np.mean(((pool - truth) / pool.std()) ** 3))
    return Covered(skewness, ours, student)


def markdown(what: str, found: dict[str, Covered]) -> str:
    """A table of percentages."""
    rows = [
        [name, f"{row.skewness:.1f}", *(f"{100 * part:.0f}" for part in row.ours.values())]
        for name, row in found.items()
    ]
    for label, method in (("**mean**", "ours"), ("mean of Student's interval", "student")):
        columns = zip(*(getattr(row, method).values() for row in found.values()), strict=True)
        rows.append([label, "", *(f"{100 * np.mean(column):.0f}" for column in columns)])
    return table([what, "skewness", *(f"{runs} runs" for runs in RUNS)], rows)


if __name__ == "__main__":
    sys.exit(main())

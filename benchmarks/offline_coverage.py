"""How often the intervals of `evaluate` and `replay` cover the truth, on logs whose truth is known.

    python -m benchmarks.offline_coverage [--trials 200] [--methods ips,dr] [--seed 1]

Logs of several sizes are made by four ways to choose among three arms: uniformly; mostly the first
arm; with probabilities that differ from line to line; and by epsilon-greedy, which learns. The
evaluated policy plays the last two arms, 80% and 20%. Prints the tables of docs/what-if.md, in
about a minute: the percentage of 95% intervals that cover the true mean, and in brackets the
percentage of logs that were too poor for an interval, if any were. A star marks figures from fewer
than 40 intervals. The limits of the intervals were chosen on the first five kinds of values; the
last two were measured only afterwards.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import lowbid
from lowbid.offline._estimators import ESTIMATORS, Weighted
from lowbid.offline._interval import interval_of

from .table import table

SIZES = (200, 1000, 5000)
METHODS = "ips,dr"
TARGET = np.array([0.0, 0.8, 0.2])
EPSILON = 0.2
FEWEST = 40  # intervals of which a figure is more than a hint

Rng = np.random.Generator


class Values(NamedTuple):
    """The values of three arms: their true means, and how to draw one of each for many lines."""

    means: np.ndarray
    draw: Callable[[Rng, int], np.ndarray]


def coins(*chances: float) -> Values:
    means = np.array(chances)
    return Values(means, lambda rng, n: (rng.random((n, 3)) < means).astype(float))


def orders(*chances: float, sd: float) -> Values:
    """Most visitors order nothing; the logarithm of an order is Gaussian."""
    means = np.array(chances)

    def draw(rng: Rng, n: int) -> np.ndarray:
        return (rng.random((n, 3)) < means) * rng.lognormal(0.0, sd, (n, 3))

    return Values(means * np.exp(sd**2 / 2), draw)


def gaussian(*means: float) -> Values:
    return Values(np.array(means), lambda rng, n: rng.normal(means, 1.0, (n, 3)))


def exponential(*means: float) -> Values:
    return Values(np.array(means), lambda rng, n: rng.exponential(means, (n, 3)))


def pareto(*chances: float, index: float) -> Values:
    """Most values are 0; the others have a finite variance and an infinite third moment."""
    means = np.array(chances)

    def draw(rng: Rng, n: int) -> np.ndarray:
        return (rng.random((n, 3)) < means) * (1.0 + rng.pareto(index, (n, 3)))

    return Values(means * index / (index - 1.0), draw)


VALUES = {
    "coins 0.3, 0.5, 0.4": coins(0.3, 0.5, 0.4),
    "clicks 2%, 3%, 2.5%": coins(0.02, 0.03, 0.025),
    "Gaussian 0, 1, 0.5": gaussian(0.0, 1.0, 0.5),
    "orders 5%, lognormal sd 1": orders(0.05, 0.06, 0.05, sd=1.0),
    "orders 50%, lognormal sd 1.5": orders(0.5, 0.6, 0.5, sd=1.5),
    "exponential 1, 1.5, 1.2": exponential(1.0, 1.5, 1.2),
    "visits 20%, Pareto of index 3": pareto(0.2, 0.25, 0.2, index=3.0),
}


def uniformly(rng: Rng, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(values)
    return rng.integers(3, size=n), np.full(n, 1 / 3)


def mostly_the_first(rng: Rng, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    chances = np.array([0.8, 0.1, 0.1])
    arms = rng.choice(3, len(values), p=chances)
    return arms, chances[arms]


def line_by_line(rng: Rng, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(values)
    chances = 0.1 / 3 + 0.9 * rng.dirichlet(np.ones(3), n)
    arms = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1).clip(max=2)
    return arms, chances[np.arange(n), arms]


def epsilon_greedily(rng: Rng, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(values)
    arms, chances = np.zeros(n, int), np.zeros(n)
    explore, other = rng.random(n) < EPSILON, rng.integers(3, size=n)
    sums, counts = [0.0] * 3, [0] * 3
    for i in range(n):
        means = [s / c if c else np.inf for s, c in zip(sums, counts, strict=True)]
        best = means.index(max(means))
        arm = other[i] if explore[i] else best
        arms[i], chances[i] = arm, EPSILON / 3 + (1 - EPSILON) * (arm == best)
        sums[arm] += values[i, arm]
        counts[arm] += 1
    return arms, chances


LOGS = {
    "uniform": uniformly,
    "mostly the first": mostly_the_first,
    "line by line": line_by_line,
    "epsilon-greedy": epsilon_greedily,
}


def covered(
    values: Values, choose: Callable, n: int, methods: list[str], trials: int, seed: int
) -> dict:
    """For each method, the shares of intervals that cover the truth and that are infinite."""
    rng = np.random.default_rng([seed, n])
    truth = float(TARGET @ values.means)
    hits, silent = dict.fromkeys(methods, 0), dict.fromkeys(methods, 0)
    for _ in range(trials):
        drawn = values.draw(rng, n)
        arms, chances = choose(rng, drawn)
        seen = drawn[np.arange(n), arms]
        log = Weighted(arms, seen, TARGET[arms] / chances, TARGET, n**0.5)
        used = int((log.weights > 0.0).sum())
        for method in methods:
            found = ESTIMATORS[method](log)
            around = interval_of(found.errors, used, 0.95)
            low = found.value - around.below + min(found.lost * seen.min(), 0.0)
            high = found.value + around.above + max(found.lost * seen.max(), 0.0)
            silent[method] += np.isinf(around.below)
            hits[method] += np.isfinite(around.below) and low <= truth <= high
    return {
        method: (hits[method] / max(trials - silent[method], 1), silent[method] / trials)
        for method in methods
    }


def cell(part: float, silent: float, trials: int) -> str:
    """The percentage of intervals that cover the truth, with a star if there are few."""
    intervals = round((1.0 - silent) * trials)
    star = "*" if intervals < FEWEST else ""
    shown = f"{100 * part:.0f}{star}" if intervals else "–"
    return shown + (f" ({100 * silent:.0f})" if silent >= 0.005 else "")


def evaluation_table(methods: list[str], trials: int, seed: int) -> str:
    rows = []
    for what, values in VALUES.items():
        for how, choose in LOGS.items():
            print(f"{what}; {how}", file=sys.stderr, flush=True)
            found = [covered(values, choose, n, methods, trials, seed) for n in SIZES]
            cells = [cell(*by_size[method], trials) for method in methods for by_size in found]
            rows.append([what, how, *cells])
    heads = [f"{method}, {n}" for method in methods for n in SIZES]
    return table(["values", "log", *heads], rows)


def replay_table(trials: int, seed: int) -> str:
    """The same for `replay`: two arms, 50 steps, against the mean of many simulated runs."""
    policies = {"UCB1": lowbid.UCB1(), "BatchLikelihood": lowbid.BatchLikelihood()}
    arms, horizon = lowbid.Bernoulli([0.3, 0.6]), 50
    many = lowbid.simulate(policies, arms, horizon, runs=100_000, seed=seed)
    best = 1 - float(arms.means.min())
    truths = {name: best - float(many[name].regret[0, :, -1].mean()) / horizon for name in policies}
    rows = []
    for how, first in (("uniform", 0.5), ("propensities 0.8, 0.2", 0.8)):
        for n in (2_000, 5_000, 20_000):
            rng, hits, runs = np.random.default_rng([seed, n]), dict.fromkeys(policies, 0), []
            for trial in range(trials):
                chosen = (rng.random(n) >= first).astype(int)
                log = {
                    "arm": chosen,
                    "reward": (rng.random(n) >= arms.means[chosen]).astype(float),
                    "propensity": np.where(chosen == 0, first, 1 - first),
                }
                found = lowbid.replay(policies, log, horizon, seed=trial, reward_range=(0, 1))
                runs.append(found.runs)
                for name, truth in truths.items():
                    mean = found.mean(name)
                    hits[name] += mean.low <= truth <= mean.high
            cells = [f"{100 * hits[name] / trials:.0f}" for name in policies]
            rows.append([how, f"{n:,}", f"{np.mean(runs):.0f}", *cells])
    return table(["log", "decisions", "runs", *policies], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=200, help="logs for each figure")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(evaluation_table(given.methods.split(","), given.trials, given.seed), end="\n\n")
    print(replay_table(max(given.trials // 5, 1), given.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())

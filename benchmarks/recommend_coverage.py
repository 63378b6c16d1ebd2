"""How often the intervals of `Bandit.recommend` miss, if no range was declared.

Two arms with a different chance of an order get the same number of visitors. After each visitor
(beyond 1,000, after each 0.2% more of them) both intervals are looked at. A run has missed if an
interval ever excluded its arm's true mean; it was wrong if it was ever sure of the worse arm.
Prints the table of docs/how-to/see-inside.md, in about ten minutes on one core:

    python -m benchmarks.recommend_coverage --runs 1000
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lowbid._compile import kernel
from lowbid.online._ledger import empty_ledger, record
from lowbid.online._sequences import intervals

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

CONFIDENCES = (0.9, 0.95)


@dataclass(frozen=True)
class Setting:
    """Orders of two arms: the chance of one, and how large it is."""

    name: str
    chances: tuple[float, float]
    draw: Draw
    mean: float

    def values(self, rng: np.random.Generator, arm: int, shape: tuple[int, int]) -> Floats:
        """The outcomes of visitors: mostly 0."""
        ordered = rng.random(shape) < self.chances[arm]
        values = np.zeros(shape)
        values[ordered] = self.draw(rng, int(ordered.sum()))
        return values


def lognormal(sd: float, returned: float = 0.0) -> tuple[Draw, float]:
    """Orders whose logarithm is Gaussian; some are returned, and then cost their size."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        signs = np.where(rng.random(n) < returned, -1.0, 1.0)
        return signs * rng.lognormal(0.0, sd, n)

    return draw, (1.0 - 2.0 * returned) * math.exp(sd**2 / 2)


def exponential(rng: np.random.Generator, n: int) -> Floats:
    return rng.exponential(1.0, n)


def settings() -> list[Setting]:
    """Conversions of 0.5 to 5%, and half as many again for the better arm."""
    found = []
    for percent in (0.5, 1.0, 2.0, 5.0):
        chances = (percent / 100, 1.5 * percent / 100)
        for sd in (1.0, 1.5):
            name = f"{percent:g}%, lognormal, sd {sd:g}"
            found.append(Setting(name, chances, *lognormal(sd)))
        found.append(Setting(f"{percent:g}%, exponential", chances, exponential, 1.0))
        name = f"{percent:g}%, lognormal, sd 1, 10% returned"
        found.append(Setting(name, chances, *lognormal(1.0, returned=0.1)))
    found.append(Setting("exponential, every visitor", (1.0, 1.0), exponential, 1.0))
    found.append(Setting("lognormal, sd 1.5, every visitor", (1.0, 1.0), *lognormal(1.5)))
    return found


@kernel
def record_all(ledger: Floats, values: Floats) -> None:
    for step in range(values.shape[1]):
        for row in range(values.shape[0]):
            record(ledger, row, values[row, step], 0.0, 0.0)


def looks(visitors: int) -> list[int]:
    """After how many visitors intervals are looked at."""
    found = [1]
    while found[-1] < visitors:
        found.append(min(max(found[-1] + 1, int(1.002 * found[-1])), visitors))
    return found


@dataclass
class Outcome:
    """What happened in each run."""

    missed: npt.NDArray[np.bool_]
    wrong: npt.NDArray[np.bool_]
    sure_at: Floats  # infinite if never

    def look(self, ledger: Floats, means: Floats, error: float, visitors: int) -> None:
        """Look at the intervals of the two arms of every run."""
        bounds = intervals(ledger, None, error / 2).reshape(2, -1, 2)
        outside = (bounds[:, :, 0] > means[:, None]) | (bounds[:, :, 1] < means[:, None])
        self.missed |= outside.any(axis=0)
        self.wrong |= bounds[0, :, 0] > bounds[1, :, 1]
        sure = bounds[1, :, 0] > bounds[0, :, 1]
        self.sure_at[sure & np.isinf(self.sure_at)] = visitors


def measure(setting: Setting, visitors: int, runs: int, seed: int) -> dict[float, Outcome]:
    """Play all runs at once, and look."""
    rng = np.random.default_rng(seed)
    means = setting.mean * np.array(setting.chances)
    ledger = empty_ledger(2 * runs)
    none = np.zeros(runs, bool)
    outcomes = {c: Outcome(none.copy(), none.copy(), np.full(runs, np.inf)) for c in CONFIDENCES}
    before = 0
    for visited in looks(visitors):
        shape = (runs, visited - before)
        values = np.concatenate([setting.values(rng, arm, shape) for arm in (0, 1)])
        record_all(ledger, values)
        for confidence, outcome in outcomes.items():
            outcome.look(ledger, means, 1.0 - confidence, visited)
        before = visited
    return outcomes


def row(setting: Setting, outcomes: dict[float, Outcome]) -> str:
    missed = [f"{100 * outcomes[c].missed.mean():.1f}%" for c in CONFIDENCES]
    last = outcomes[CONFIDENCES[-1]]
    sure = [""] * 3
    if setting.chances[0] < setting.chances[1]:
        median = np.median(last.sure_at)
        at = f"{median:,.0f}" if np.isfinite(median) else "later"
        sure = [f"{100 * last.wrong.mean():.1f}%", f"{100 * np.isfinite(last.sure_at).mean():.0f}%"]
        sure.append(at)
    return f"| {setting.name} | {' | '.join([*missed, *sure])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--visitors", type=int, default=100_000, help="of each arm")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    promised = " | ".join(f"missed, {100 * (1 - c):.0f}% allowed" for c in CONFIDENCES)
    print(f"| outcomes | {promised} | wrongly sure | sure at the end | sure after (median) |")
    print("|---|---|---|---|---|---|")
    for setting in settings():
        outcomes = measure(setting, given.visitors, given.runs, given.seed)
        print(row(setting, outcomes), flush=True)


if __name__ == "__main__":
    main()

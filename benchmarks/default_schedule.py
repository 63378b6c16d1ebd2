"""Which schedule should `BatchEnsemble()` use? Decided by the smallest worst-case ratio.

Every schedule plays the paper's five test environments up to a million steps. For each
environment and horizon its mean regret is divided by that of the best schedule there; a schedule
is as good as its worst ratio. Prints the table of docs/batch-ensemble.md, in about half an hour on
one core:

    python benchmarks/default_schedule.py --runs 500
"""

from __future__ import annotations

import argparse

import numpy as np

import lowbid
from lowbid.schedules import Anytime, Logarithmic

HORIZONS = (1_000, 10_000, 100_000, 1_000_000)

ENVIRONMENTS = {
    "1 low-variance best arm": lowbid.paper_test(1),
    "2 high losses": lowbid.paper_test(2),
    "3 random Bernoulli": lowbid.paper_test(3),
    "4 random Gaussian": lowbid.paper_test(4),
    "5 random exponential": lowbid.paper_test(5),
}

SCHEDULES = {
    **{f"{batches} fixed": batches for batches in (1, 2, 3, 4, 6, 8, 12)},
    **{
        f"{c:g} log t": Logarithmic(c) for c in (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1.0, 2.0)
    },
    "8 log t (theorem)": Anytime(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()

    policies = {name: lowbid.BatchEnsemble(batches=s) for name, s in SCHEDULES.items()}
    regret = []
    for title, environment in ENVIRONMENTS.items():
        result = lowbid.simulate(
            policies,
            environment,
            horizon=HORIZONS[-1],
            runs=given.runs,
            seed=given.seed,
            checkpoints=HORIZONS,
            workers=given.workers,
        )
        regret.append(result.regret)
        errors = result.regret.std(axis=1, ddof=1) / np.sqrt(given.runs)
        print_regret(title, result.regret.mean(axis=1), errors)
    print_ratios(np.stack(regret))


def print_regret(title: str, means: np.ndarray, errors: np.ndarray) -> None:
    print(f"\n### Test {title}: mean regret (standard error)\n")
    print("| batches | " + " | ".join(f"T = {horizon:,}" for horizon in HORIZONS) + " |")
    print("|---|" + "---:|" * len(HORIZONS))
    for name, mean, error in zip(SCHEDULES, means, errors, strict=True):
        cells = (f"{m:.1f} ({e:.1f})" for m, e in zip(mean, error, strict=True))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def worst_ratios(regret: np.ndarray) -> np.ndarray:
    """From (test, schedule, run, horizon) to the worst ratio over tests, (schedule, horizon)."""
    means = regret.mean(axis=2)
    return (means / means.min(axis=1, keepdims=True)).max(axis=0)


def print_ratios(regret: np.ndarray) -> None:
    """The worst ratios, and how far they can be trusted: the runs drawn again 500 times."""
    worst = worst_ratios(regret)
    rng = np.random.default_rng(0)
    drawn = np.stack(
        [
            worst_ratios(regret[:, :, rng.integers(regret.shape[2], size=regret.shape[2])])
            for _ in range(500)
        ]
    ).max(axis=2)
    wins = np.bincount(drawn.argmin(axis=1), minlength=len(SCHEDULES)) / len(drawn)
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    print("\n### Worst ratio to the best schedule, over the five tests\n")
    head = [*(f"T = {horizon:,}" for horizon in HORIZONS), "overall", "90% of redraws", "wins"]
    print("| batches | " + " | ".join(head) + " |")
    print("|---|" + "---:|" * len(head))
    for place in worst.max(axis=1).argsort():
        cells = [f"{ratio:.2f}" for ratio in [*worst[place], worst[place].max()]]
        cells += [f"{low[place]:.1f} to {high[place]:.1f}", f"{wins[place]:.0%}"]
        print(f"| {list(SCHEDULES)[place]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

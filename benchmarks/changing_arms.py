"""What works on arms that change: the settings of the sliding-window LB-SDA paper, and drift.

    python -m benchmarks.changing_arms [--runs 500] [--pictures docs/images]

Prints the dynamic regret of each policy in each setting, and draws it. The first three settings
are those of the code that the paper's authors published (github.com/YRussac/LB-SDA, notebooks
expe_Bernoulli and expe_Gaussian): arms, change points, horizon, windows and discounts. A reward x
there is a loss of 1 - x here. The last two settings are our own.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import lowbid
from lowbid._arrays import Ints
from lowbid._compile import kernel, specialise
from lowbid.policies import Kernels, batch_ensemble, tuned_discount, tuned_window
from lowbid.policies import windowed_batch_ensemble as windowed
from lowbid.policies._batches import Batches
from lowbid.policies.windowed_batch_ensemble import forget
from lowbid.report import Chart, save_panel, styles
from lowbid.simulation import Result, Summary

HORIZON = 10_000
STRETCHES = "Batch Ensemble, 2 batches in order of time"
# Mean rewards before and after each change.
COINS = [[0.5, 0.3, 0.4], [0.3, 0.7, 0.2], [0.5, 0.3, 0.6]]
NORMAL = [[0.9, 0.5, 0.4], [0.4, 0.8, 0.5], [0.3, 0.2, 0.7], [0.9, 0.8, 0.4]]
MIDDLE = [0.5, 0.5, 0.5]
# Of those that forget nothing one is enough in the picture, and the others would squeeze the rest.
UNDRAWN = ("UCB1", "Batch Ensemble", STRETCHES)


@kernel
def same_batch(batches: Batches, arm: int) -> int:
    """The current batch, until its time is over."""
    return int(batches.rows[arm, 0])


@kernel
def forget_and_fill(lifetimes: Ints, batches: Batches, part: int, step: int) -> None:
    """Empty the oldest batch, and let it take all losses from now on."""
    forget(lifetimes, batches, part, step)
    youngest = 0
    for batch in range(1, batches.in_use[0]):
        if lifetimes[1 + batch] > lifetimes[1 + youngest]:
            youngest = batch
    for arm in range(len(batches.rows)):
        batches.rows[arm, 0] = youngest


@dataclass(frozen=True)
class BatchesInOrder(lowbid.WindowedBatchEnsemble):
    """An alternative kind of window: batches are filled one after another, not round-robin."""

    kernels = Kernels(
        windowed.init,
        specialise(windowed.select, forget=forget_and_fill),
        specialise(batch_ensemble.update, next_batch=same_batch),
    )


class Setting(NamedTuple):
    """Arms, how often they change, and the largest standard deviation; 0 for coins."""

    key: str
    title: str
    arms: lowbid.Changing
    changes: int
    sd: float


def losses(rewards: list[float]) -> list[float]:
    return [1.0 - reward for reward in rewards]


def gaussian(sds: list[float]) -> lowbid.Switching:
    arms = [lowbid.Gaussian(losses(row), sd) for row, sd in zip(NORMAL, sds, strict=True)]
    return lowbid.Switching(arms, after=[2500, 4500, 7000])


SETTINGS = [
    Setting(
        "bernoulli",
        "Bernoulli, 2 changes",
        lowbid.Switching([lowbid.Bernoulli(losses(row)) for row in COINS], after=[3000, 5000]),
        2,
        0.0,
    ),
    Setting("gaussian", "Gaussian, sd 0.5, 3 changes", gaussian([0.5] * 4), 3, 0.5),
    Setting(
        "gaussian-sd",
        "Gaussian, sd 0.5, 0.25, 1, 0.5",
        gaussian([0.5, 0.25, 1.0, 0.5]),
        3,
        1.0,
    ),
    Setting(
        "wave",
        "Bernoulli, means in waves of 5,000 steps",
        lowbid.Drifting(lowbid.Bernoulli(MIDDLE), lowbid.Wave(0.4, period=5000)),
        6,
        0.0,
    ),
    Setting(
        "walk",
        "Bernoulli, means in random walks, sd 0.005",
        lowbid.Drifting(lowbid.Bernoulli(MIDDLE), lowbid.RandomWalk(0.005)),
        6,
        0.0,
    ),
]


def policies(setting: Setting) -> dict[str, lowbid.Policy]:
    """The paper's tuning for this many changes; that of UCB allows for the reach of Gaussians."""
    window = tuned_window(HORIZON, setting.changes)
    discount = tuned_discount(HORIZON, setting.changes)
    reach, sd = 1.0 + 2.0 * setting.sd, setting.sd
    if sd > 0.0:
        ucbs: dict[str, lowbid.Policy] = {
            "SW-UCB": lowbid.SlidingWindowUCB(
                tuned_window(HORIZON, setting.changes, reach), xi=2.0, scale=sd
            ),
            "D-UCB": lowbid.DiscountedUCB(
                tuned_discount(HORIZON, setting.changes, reach), xi=2.0, scale=sd / 2.0
            ),
            "SW-TS": lowbid.SlidingWindowGaussianThompson(window, sd=sd),
            "D-TS": lowbid.DiscountedGaussianThompson(discount, sd=sd),
        }
    else:
        ucbs = {
            "SW-UCB": lowbid.SlidingWindowUCB(window),
            "D-UCB": lowbid.DiscountedUCB(discount),
            "SW-TS": lowbid.SlidingWindowBetaThompson(window),
            "D-TS": lowbid.DiscountedBetaThompson(discount),
        }
    return {
        "SW-LB-SDA": lowbid.SlidingWindowLBSDA(window),
        "Batch Ensemble, window": lowbid.WindowedBatchEnsemble(window=window),
        "Batch Ensemble, window, 2 batches": lowbid.WindowedBatchEnsemble(batches=2, window=window),
        STRETCHES: BatchesInOrder(batches=2, window=window),
        **ucbs,
        "LB-SDA": lowbid.LBSDA(),
        "UCB1": lowbid.UCB1(scale=sd or 1.0),
        "Batch Ensemble": lowbid.BatchEnsemble(),
    }


def table(results: dict[str, Result]) -> str:
    """A row for each policy, best in the first setting first."""
    summaries = [result.summary() for result in results.values()]
    lines = ["| policy | " + " | ".join(results) + " |", "| --- |" + " ---: |" * len(results)]
    for first in summaries[0]:
        cells = [cell(summary, first.policy) for summary in summaries]
        lines.append(f"| {first.policy} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(summary: Summary, policy: str) -> str:
    """A mean and the wider side of its interval, bold if it is the lowest of all."""
    row = summary.row(policy)
    text = f"{row.mean:.0f} ± {max(row.high - row.mean, row.mean - row.low):.0f}"
    return f"**{text}**" if row.policy == summary[0].policy else text


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500, help="runs of each policy")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same table")
    parser.add_argument("--pictures", type=Path, help="the folder to draw into")
    given = parser.parse_args(arguments)
    results = {
        setting.key: lowbid.simulate(
            policies(setting), setting.arms, HORIZON, given.runs, given.seed, progress=setting.key
        )
        for setting in SETTINGS
    }
    print(f"dynamic regret after {HORIZON:,} steps, {given.runs} runs\n")
    print(table(results))
    if given.pictures is not None:
        charts = [
            Chart(
                setting.key,
                setting.title,
                results[setting.key][[name for name in policies(setting) if name not in UNDRAWN]],
                {"the arms change after": getattr(setting.arms, "after", None) or ()},
            )
            for setting in SETTINGS
        ]
        for path in save_panel(charts, styles(charts), given.pictures, "changing-arms"):
            if path.suffix == ".svg":
                path.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What the driver of a sweep costs, and what a second process gains.

    python -m benchmarks.sweep_overhead [--repeats 5] [--check]

Overhead: a sweep of tasks of about a second each, on one worker thread, beside the same runs played
one after another in a bare loop; the part of the time that is not playing. Two processes: the same
sweep on one local process and on two. Ratios of the same turn, their medians over the turns, with
the lowest and the highest. With --check, exits with 1 if the overhead is 5% or more, or two
processes are less than 1.8 times as fast as one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import lowbid
from lowbid.experiments.sweeps import Sweep, SweptEnvironment, SweptPolicy, Tier
from lowbid.experiments.sweeps._driver import Driver
from lowbid.experiments.sweeps._engines import Engine, Processes, Threads, running
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import CellStore
from lowbid.simulation._share import play_share

MOST_OVERHEAD, LEAST_GAIN = 0.05, 1.8
HORIZON, CELLS = 100_000, 8


def sweep_of(seconds: float, cells: int) -> Sweep:
    """A sweep whose cells take one worker about so long."""
    policy = SweptPolicy("UCB1", "UCB1", lowbid.UCB1())
    arms = [
        SweptEnvironment(f"arms {i}", lowbid.Bernoulli([0.1, 0.2 + i / 100])) for i in range(cells)
    ]
    probe = Sweep("probe", "probe", [policy], arms[:1], [Tier(HORIZON, 2)], 2).cells[0]
    play_share(probe.share(0, 2))
    per_run = play_share(probe.share(0, 10)).seconds / 10
    runs = max(2, round(seconds / per_run))
    return Sweep("sweep", "sweep", [policy], arms, [Tier(HORIZON, runs)], runs)


def driven(sweep: Sweep, engine: Engine) -> float:
    """Seconds that a sweep takes on an engine that is at work already."""
    with tempfile.TemporaryDirectory() as folder:
        rates = Rates()
        rates.calibrate(sweep.cells, engine)
        driver = Driver(sweep.cells, CellStore(Path(folder)), engine, rates)
        began = time.perf_counter()
        driver.run()
        return time.perf_counter() - began


def bare(sweep: Sweep) -> float:
    """Seconds that the same runs take one after another, without anything around them."""
    began = time.perf_counter()
    for cell in sweep.cells:
        play_share(cell.share(0, cell.runs))
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a cell takes")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    given = parser.parse_args()
    sweep = sweep_of(given.seconds, CELLS)
    overheads, gains = [], []
    with running(Threads(1)) as thread, running(Processes(1)) as one, running(Processes(2)) as two:
        for engine in (one, two):
            driven(sweep_of(0.05, 4), engine)  # compiles
        for turn in range(given.repeats):
            alone = bare(sweep)
            overheads.append(driven(sweep, thread) / alone - 1.0)
            gains.append(driven(sweep, one) / driven(sweep, two))
            print(f"turn {turn + 1}: {overheads[-1]:+.1%}, {gains[-1]:.2f} x", file=sys.stderr)
    print("| | median | lowest | highest | goal |\n| --- | ---: | ---: | ---: | ---: |")
    for what, found, form, goal in (
        ("driver's overhead, tasks of a second", overheads, "{:+.1%}", "below 5%"),
        ("two processes beside one", gains, "{:.2f} x", "1.8 x"),
    ):
        cells = [form.format(f(found)) for f in (statistics.median, min, max)]
        print(f"| {what} | {' | '.join(cells)} | {goal} |")
    good = statistics.median(overheads) < MOST_OVERHEAD and statistics.median(gains) >= LEAST_GAIN
    return 0 if good or not given.check else 1


if __name__ == "__main__":
    sys.exit(main())

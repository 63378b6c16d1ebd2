"""Speed and memory of the core, as ratios within one run.

    python benchmarks/core.py [--quick]

Compiles benchmarks/c/batch_ensemble.c with gcc -O3 and runs both by turns, so that a noisy machine
disturbs both alike; prints one line for each promise. Exits 1 if one is not kept.
"""

from __future__ import annotations

import argparse
import functools
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lowbid

HERE = Path(__file__).parent
POLICY = lowbid.BatchEnsemble(batches=12)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no memory check")
    given = parser.parse_args()
    checks = [against_c, growth_with_arms, two_workers, first_result]
    if not given.quick:
        checks.append(memory_of_append)
    repeats = 5 if given.quick else 15
    print(f"{'what':58}  {'measured':>10}  {'promised':>12}")
    kept = [check(repeats) for check in checks]
    return 0 if all(kept) else 1


def report(what: str, measured: float, bound: float, *, at_least: bool = False) -> bool:
    good = measured >= bound if at_least else measured <= bound
    promise = f"{'>=' if at_least else '<='} {bound:g}"
    print(f"{what:58}  {measured:10.2f}  {promise:>12}  {'' if good else 'NOT KEPT'}", flush=True)
    return good


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """CPU seconds, so that what else runs on the machine does not count."""
    began = clock()
    work()
    return clock() - began


def evenly_spread(n_arms: int) -> lowbid.Bernoulli:
    return lowbid.Bernoulli(np.linspace(0.1, 0.9, n_arms))


def against_c(repeats: int) -> bool:
    """Steps a second, as a part of the C loop's, on one core: K = 10, 12 batches, T = 2000."""
    runs = 500
    arms = evenly_spread(10)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "batch_ensemble"
        source = HERE / "c" / "batch_ensemble.c"
        subprocess.run(["gcc", "-O3", "-o", program, source, "-lm"], check=True)

        def c_loop() -> tuple[float, float]:
            command = [program, "10", "12", "2000", str(runs)]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            taken, regret = out.split()
            return float(taken), float(regret)

        def ours() -> lowbid.Result:
            return lowbid.simulate(POLICY, arms, horizon=2000, runs=runs, workers=1)

        check_same_work(c_loop()[1], ours())
        ratios = [c_loop()[0] / seconds(ours) for _ in range(repeats)]
    return report("speed against the C loop", statistics.median(ratios), 0.6, at_least=True)


def check_same_work(regret_in_c: float, result: lowbid.Result) -> None:
    row = result.summary()[0]
    if abs(regret_in_c - row.mean) > 5 * row.se * 2**0.5:
        sys.exit(f"not the same work: mean regret {regret_in_c:.2f} in C, {row.mean:.2f} here")


def step_time(n_arms: int, repeats: int) -> float:
    """CPU seconds for one step, between 40 and 80 plays per arm: every arm has been played."""
    arms = evenly_spread(n_arms)
    warm = 40 * n_arms
    runs = max(1, 2_000_000 // warm)

    def play(horizon: int) -> float:
        simulate = functools.partial(lowbid.simulate, checkpoints=[horizon], workers=1)
        return min(
            seconds(lambda: simulate(POLICY, arms, horizon, runs=runs)) for _ in range(repeats)
        )

    return (play(2 * warm) - play(warm)) / (warm * runs)


def growth_with_arms(repeats: int) -> bool:
    repeats = max(3, repeats // 4)
    step_time(10, 1)
    ten = step_time(10, repeats)
    good = [
        report(
            f"time per step at K = {n:,} over that at K = 10", step_time(n, repeats) / ten, bound
        )
        for n, bound in ((1_000, 3.0), (100_000, 8.0))
    ]
    return all(good)


def two_workers(repeats: int) -> bool:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if (cores or 1) < 2:
        print("two workers: only one core here, not measured")
        return True
    arms = evenly_spread(10)

    def run(workers: int) -> Callable[[], object]:
        return lambda: lowbid.simulate(POLICY, arms, horizon=2000, runs=4000, workers=workers)

    wait = time.perf_counter
    ratios = [seconds(run(1), wait) / seconds(run(2), wait) for _ in range(repeats)]
    return report("speed of two workers over one", statistics.median(ratios), 1.7, at_least=True)


def in_new_process(code: str) -> float:
    """CPU seconds of a new process: the wait on an idle machine, whatever else runs on this one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_result(repeats: int) -> bool:
    """From a new process to a first result, the cache being warm."""
    simulate = (
        "import lowbid; lowbid.simulate([lowbid.BatchEnsemble(batches=12), lowbid.UCB1()], "
        "lowbid.Bernoulli([0.1, 0.5]), horizon=100, runs=2)"
    )
    help_text = (
        "import sys; from lowbid.cli import main; sys.stdout = open('/dev/null', 'w'); "
        "sys.argv = ['lowbid', '--help']\ntry: main()\nexcept SystemExit: pass"
    )
    bounds = {"first result": (simulate, 1.0), "import": ("import lowbid", 0.2)}
    bounds["--help"] = (help_text, 0.3)
    good = True
    for what, (code, bound) in bounds.items():
        in_new_process(code)
        taken = statistics.median(in_new_process(code) for _ in range(repeats))
        good &= report(f"seconds from a new process to {what}", taken, bound)
    return good


def memory_of_append(repeats: int) -> bool:
    """Growth of resident memory from T = 10^4 to T = 10^7, in MB."""
    code = (
        "import lowbid, resource, sys; arms = lowbid.Bernoulli([0.1, 0.2, 0.3] * 3); "
        "policy = lowbid.BatchEnsemble(growth='append')\n"
        "lowbid.simulate(policy, arms, horizon=int(sys.argv[1]), runs=1)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code]
    peaks = [
        int(subprocess.run([*command, horizon], capture_output=True, text=True, check=True).stdout)
        for horizon in ("10000", "10000", "10000000")
    ]
    return report(
        "MB more at T = 10^7 than at T = 10^4, append", (peaks[2] - peaks[1]) / 1024, 50.0
    )


if __name__ == "__main__":
    sys.exit(main())

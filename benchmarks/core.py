"""The promises of the core, one line each.

    python -m benchmarks.core [--parts c,arms,rules,workers,first,memory] [--repeats 15]

Speed against C, time per step with many arms and of the rules that race, two workers, the wait for
a first result, and memory.
Exits with 1 if a promise is not kept. On a busy machine, waits and the gain of two workers say more
about the machine than about the library.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

import lowbid

from . import c_loops, growth
from .measure import new_process
from .policies import arms, ns_per_step

FIRST_RESULT = """
import lowbid
policies = [lowbid.BatchEnsemble(batches=12), lowbid.UCB1()]
lowbid.simulate(policies, lowbid.Bernoulli([0.1, 0.5]), horizon=100, runs=2)
"""
APPEND = """
import lowbid
arms = lowbid.Bernoulli([0.1, 0.2, 0.3] * 3)
lowbid.simulate(lowbid.BatchEnsemble(growth="append"), arms, horizon={horizon}, runs=1)
"""


def main(arguments: list[str] | None = None) -> int:
    checks = {
        "c": against_c,
        "arms": growth_with_arms,
        "rules": racing_rules,
        "workers": two_workers,
        "first": first_result,
        "memory": memory_of_append,
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parts", default=",".join(checks), help="what to measure")
    parser.add_argument("--repeats", type=int, default=15, help="turns of each comparison")
    given = parser.parse_args(arguments)
    print(f"{'what':58}  {'measured':>10}  {'promised':>12}")
    kept = [checks[part](given.repeats) for part in given.parts.split(",")]
    return 0 if all(kept) else 1


def report(what: str, measured: float, bound: float, *, at_least: bool = False) -> bool:
    good = measured >= bound if at_least else measured <= bound
    promise = f"{'>=' if at_least else '<='} {bound:g}"
    print(f"{what:58}  {measured:10.2f}  {promise:>12}  {'' if good else 'NOT KEPT'}", flush=True)
    return good


def against_c(repeats: int) -> bool:
    found = c_loops.measure(repeats)
    kept = [
        report(f"{name}: part of C's speed", row["part"].median, c_loops.PART_OF_C, at_least=True)
        for name, row in found.items()
        if name != c_loops.REMEMBERING
    ]
    return all(kept)


def growth_with_arms(repeats: int) -> bool:
    sizes = (10, *growth.MOST_TIMES)
    ten, *others = growth.over_sizes(growth.BATCH_ENSEMBLE, sizes, repeats)
    kept = [
        report(f"time per step at K = {n:,} over that at K = 10", ns / ten[1], bound)
        for (n, ns), bound in zip(others, growth.MOST_TIMES.values(), strict=True)
    ]
    return all(kept)


def racing_rules(repeats: int) -> bool:
    """Processor nanoseconds per step, the lowest of some turns: other programs only add to it."""

    def least(policy: lowbid.Policy, n_arms: int) -> float:
        environment = arms("coins", n_arms)
        return min(ns_per_step(policy, environment, 20_000, 0.2) for _ in range(repeats))

    moments, batches, duels = lowbid.MomentIMED(), lowbid.BatchLikelihood(), lowbid.RBSDA()
    many = least(moments, 100) / least(duels, 100)
    kept = [
        report("MomentIMED: ns per step, K = 10", least(moments, 10), 80.0),
        report("BatchLikelihood: ns per step, K = 10", least(batches, 10), 100.0),
        report("MomentIMED: time per step over RB-SDA's, K = 100", many, 0.5),
    ]
    return all(kept)


def two_workers(repeats: int) -> bool:
    if (os.cpu_count() or 1) < 2:
        print("two workers: there is one core here, not measured")
        return True
    ratio = growth.speed_with_workers(repeats)["2"].median
    return report("speed of two workers over one", ratio, 1.7, at_least=True)


def first_result(repeats: int) -> bool:
    """From a new process to a first result, with compiled code on disk."""
    promises = {
        "a first result": (["-c", FIRST_RESULT], 1.0),
        "import lowbid": (["-c", "import lowbid"], 0.2),
        "lowbid --help": (["-m", "lowbid", "--help"], 0.3),
    }
    kept = [_waits(what, code, bound, repeats) for what, (code, bound) in promises.items()]
    return all(kept)


def _waits(what: str, arguments: list[str], bound: float, repeats: int) -> bool:
    command = [sys.executable, *arguments]
    new_process(command)
    waits = [new_process(command).clock for _ in range(repeats)]
    return report(f"seconds from a new process to {what}", statistics.median(waits), bound)


def memory_of_append(repeats: int) -> bool:
    """Once: memory does not vary from one time to the next."""
    few, many = (
        new_process([sys.executable, "-c", APPEND.format(horizon=horizon)]).peak
        for horizon in (10**4, 10**7)
    )
    return report("MB more at T = 10^7 than at T = 10^4, append", many - few, 50.0)


if __name__ == "__main__":
    sys.exit(main())

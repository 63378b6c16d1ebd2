"""Loops that lowbid compiles itself beside the same loops compiled by numba, for every policy.

    python -m benchmarks.loops [--repeats 3] [--only TEXT] [--variants]

Processor seconds to compile a loop with nothing on disk, and nanoseconds per step, by turns:
10 arms, coins for losses, 20,000 steps. Both must play the same arms.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from lowbid._compile._build import build
from lowbid._compile._compiler import compiled_for

from lowbid import policies
from lowbid._random import key
from lowbid.policies import Policy
from lowbid.simulation._loop import loop_for
from lowbid.simulation._share import gaps_of

from .first_second import empty_cache
from .policies import arms

HORIZON = 20_000


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3, help="turns of each comparison")
    parser.add_argument("--only", default="", help="policies whose names contain this")
    parser.add_argument("--variants", action="store_true", help="all variants of each policy")
    given = parser.parse_args(arguments)
    os.environ["LOWBID_LOOPS"] = "own"
    print("| policy | numba, s | own, s | numba, ns per step | own, ns per step | own / numba |")
    print("|---|---:|---:|---:|---:|---:|")
    totals, ratios = np.zeros(2), []
    for policy in _policies(given.only, None if given.variants else 1):
        seconds, steps = compare(policy, given.repeats)
        totals += seconds
        ratios.append(steps[1] / steps[0])
        row = [*(f"{each:.2f}" for each in seconds), *(f"{each:.0f}" for each in steps)]
        print(f"| {policy.name} | {' | '.join(row)} | {ratios[-1]:.2f} |", flush=True)
    row = [*(f"{each:.1f}" for each in totals), "", "", f"{statistics.median(ratios):.2f}"]
    print(f"| all; median ratio | {' | '.join(row)} |")
    return 0


def _policies(only: str, most: int | None) -> list[Policy]:
    """The first variants of all policies."""
    classes = [getattr(policies, name) for name in policies.__all__]
    variants = (each for policy in classes for each in policy.variants()[:most])
    return [each for each in variants if only.lower() in each.name.lower()]


def compare(policy: Policy, repeats: int) -> tuple[list[float], list[float]]:
    """Seconds to compile, and nanoseconds per step: numba's, and our own."""
    environment = arms("coins", 10)
    loop, _ = loop_for(policy, environment, None, 0)
    parameters = policy.parameters(10, HORIZON, HORIZON)
    table = environment.table(0, 1)

    def played(run: Callable[..., Any]) -> tuple[float, Any]:
        pulls = np.zeros((1, 10), np.int64)
        given = arguments(pulls)
        began = time.process_time()
        run(*given)
        return (time.process_time() - began) / HORIZON * 1e9, pulls

    def arguments(pulls: Any) -> tuple[Any, ...]:
        keys = key(0, "losses"), key(0, policy.stream_name)
        where = np.array([HORIZON]), np.zeros((1, 1)), pulls, np.zeros(1, np.int64)
        stop: Any = np.zeros(1, np.int64)
        return parameters, table, gaps_of(environment, table), *keys, 0, *where, stop, ()

    runs, seconds = [], []
    sample = arguments(np.zeros((1, 10), np.int64))
    with empty_cache():
        for make in (lambda: compiled_for(loop.compiled, sample), lambda: build(loop, sample)):  # type: ignore[attr-defined]
            began = time.process_time()
            runs.append(make())
            seconds.append(time.process_time() - began)
    steps: list[list[float]] = [[], []]
    for _ in range(repeats):
        results = [played(run) for run in runs]
        assert (results[0][1] == results[1][1]).all(), policy
        for taken, (ns, _) in zip(steps, results, strict=True):
            taken.append(ns)
    return seconds, [min(taken) for taken in steps]


if __name__ == "__main__":
    sys.exit(main())

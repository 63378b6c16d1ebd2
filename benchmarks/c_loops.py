"""The limit: the same loops in C, compiled here with gcc -O3 and run in turns with ours.

Both play 10 Bernoulli arms for 2,000 steps, 2,000 times, on one core, and record the regret at the
end of each run. The loops in C (benchmarks/c) use the library's random streams and rules, without
its options.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import lowbid

from .measure import by_turns, processor_seconds, ratios, spread

SOURCES = Path(__file__).parent / "c"
ARMS, BATCHES, HORIZON = 10, 12, 2000
PART_OF_C = 0.6  # what is promised
ENSEMBLE = lowbid.BatchEnsemble(batches=BATCHES)
# The library remembers a lone winner; the plain loop, to which the promise refers, does not.
REMEMBERING = f"Batch Ensemble, {BATCHES} batches, C remembers the winner too"
# And it keeps no estimates, which would be half as much memory again.
SUMS_ONLY = f"{REMEMBERING}, and keeps sums only"
POLICIES = {
    "UCB1": (lowbid.UCB1(), "ucb1", ()),
    f"Batch Ensemble, {BATCHES} batches": (ENSEMBLE, "batch_ensemble", ()),
    REMEMBERING: (ENSEMBLE, "batch_ensemble", ("-DWINNER",)),
    SUMS_ONLY: (ENSEMBLE, "batch_ensemble", ("-DWINNER", "-DSUMS")),
    "RB-SDA": (lowbid.RBSDA(), "rb_sda", ()),
    "KL-UCB": (lowbid.KLUCB.bernoulli(), "kl_ucb", ()),
    "IMED": (lowbid.IMED.bernoulli(), "imed", ()),
}


def measure(repeats: int, runs: int = 2000) -> dict[str, Any]:
    """Nanoseconds per step of both loops, and the C loop's time as a fraction of ours."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (policy, source, flags) in POLICIES.items():
            program = Path(folder) / "-".join([source, *flags])
            command = ["gcc", "-O3", *flags, "-o", program, SOURCES / f"{source}.c", "-lm"]
            subprocess.run(command, check=True)
            found[name] = _compare(program, policy, runs, repeats)
    return found


def _compare(program: Path, policy: lowbid.Policy, runs: int, repeats: int) -> dict[str, Any]:
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, ARMS))

    def in_c() -> tuple[float, float]:
        command = [program, *map(str, (ARMS, BATCHES, HORIZON, runs))]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        taken, regret = map(float, out.split())
        return taken, regret

    def ours() -> lowbid.Result:
        return lowbid.simulate(policy, arms, HORIZON, runs, checkpoints=[HORIZON], workers=1)

    check_same_work(in_c()[1], ours())
    works = {"C": lambda: in_c()[0], "lowbid": lambda: processor_seconds(ours)}
    taken = by_turns(works, repeats)
    per_step = 1e9 / (HORIZON * runs)
    return {
        "C": spread(seconds * per_step for seconds in taken["C"]),
        "lowbid": spread(seconds * per_step for seconds in taken["lowbid"]),
        "part": ratios(taken["C"], taken["lowbid"]),
    }


def check_same_work(regret_in_c: float, result: lowbid.Result) -> None:
    row = result.summary()[0]
    if abs(regret_in_c - row.mean) > 4 * row.se * 2**0.5:
        sys.exit(f"not the same work: mean regret {regret_in_c:.2f} in C, {row.mean:.2f} here")

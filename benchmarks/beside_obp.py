"""The estimates of `evaluate` compared with those of Open Bandit Pipeline 0.4.1 on the same tables.

    python -m benchmarks.beside_obp [--decisions 10000] [--seed 1]

obp is installed under benchmarks/.peers in an environment of its own, without PyTorch: see
benchmarks/tasks/estimate_by_obp.py. Prints the table of docs/what-if.md, and exits with 1 if an
estimate differs by more than 1e-9 of its size.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import lowbid
from lowbid.offline._estimators import arm_means

from .peers import python_of
from .table import table

SCRIPT = Path(__file__).resolve().parent / "tasks" / "estimate_by_obp.py"
ALLOWED = 1e-9
CAP = 4.0  # low enough to matter


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    rows, furthest, version = [], 0.0, ""
    for name, (log, policy) in tables(given.decisions, given.seed).items():
        ours = lowbid.evaluate(policy, log, cap=CAP)
        theirs = asked(log, policy, ours.cap)
        version = theirs["version"]
        for method, estimate in ours.items():
            other = theirs["answers"][method]
            apart = abs(estimate.value - other) / max(abs(other), 1.0)
            furthest = max(furthest, apart)
            rows.append([name, method, f"{estimate.value:.12f}", f"{other:.12f}", f"{apart:.1e}"])
    print(table(["log", "method", "lowbid", f"obp {version}", "difference"], rows))
    print(f"\nLargest difference: {furthest:.1e}; allowed: {ALLOWED:g}.")
    return 0 if furthest <= ALLOWED else 1


def tables(n: int, seed: int) -> dict[str, tuple[dict[str, Any], Any]]:
    """Logs of rewards, and the policies to evaluate on them."""
    rng = np.random.default_rng(seed)
    arms = rng.integers(4, size=n)
    uniform = {"arm": arms, "reward": rng.normal(arms, 1.0), "propensity": np.full(n, 0.25)}
    chances = 0.02 / 3 + 0.98 * rng.dirichlet([2.0, 1.0, 0.5], n)
    chosen = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1).clip(max=2)
    varying = {
        "arm": chosen,
        "reward": rng.random(n) < 0.1 * (1 + chosen),
        "propensity": chances[np.arange(n), chosen],
    }
    return {
        "uniform, one arm": (uniform, 2),
        "uniform, a mixture": (uniform, {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}),
        "line by line, one arm": (varying, 1),
        "line by line, a mixture": (varying, {0: 0.5, 2: 0.5}),
    }


def asked(columns: dict[str, Any], policy: Any, cap: float) -> Any:
    """The estimates of obp."""
    log = lowbid.read_log(columns)
    chances = policy if isinstance(policy, dict) else {policy: 1.0}
    question = {
        "arms": log.choices.tolist(),
        "values": log.values.tolist(),
        "propensities": log.propensities.tolist(),
        "target": [chances.get(arm, 0.0) for arm in log.arms],
        "cap": cap,
        "means": arm_means(log.choices, log.values, len(log.arms))[0].tolist(),
    }
    command = [python_of("obp"), SCRIPT]
    done = subprocess.run(
        command, input=json.dumps(question), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"obp failed:\n{done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())

"""Nanoseconds per step of every policy in the registry, as a table.

A step is a choice, a loss and an update, in the compiled simulation on one thread. Time is
processor time, on which other programs have little influence; compilation is left out. The means of
the arms are spread evenly over [0.1, 0.9]; losses are coins (0 or 1), or uniform around the mean.

    python benchmarks/policies.py [--losses coins|uniform] [--seconds 0.2] [--only TEXT]
"""

import argparse
import time

import numpy as np

import lowbid
from lowbid import policies
from lowbid.policies import Policy

SIZES = [(10, 2_000), (10, 20_000), (100, 2_000), (100, 20_000)]


def arms(losses: str, n_arms: int) -> lowbid.Environment:
    means = np.linspace(0.1, 0.9, n_arms)
    if losses == "coins":
        return lowbid.Bernoulli(means)
    half_width = np.minimum(means, 1.0 - means)
    return lowbid.Uniform(means - half_width, means + half_width)


def seconds_for(policy: Policy, environment: lowbid.Environment, horizon: int, runs: int) -> float:
    began = time.process_time()
    lowbid.simulate(
        policy, environment, horizon, runs, checkpoints=[horizon], workers=1, progress=False
    )
    return time.process_time() - began


def ns_per_step(
    policy: Policy, environment: lowbid.Environment, horizon: int, seconds: float
) -> float:
    seconds_for(policy, environment, 10, 1)  # compile
    once = seconds_for(policy, environment, horizon, 1)
    runs = int(min(max(1, seconds / max(once, 1e-9)), 10_000))
    taken = seconds_for(policy, environment, horizon, runs) if runs > 1 else once
    return taken / (runs * horizon) * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--losses", choices=["coins", "uniform"], default="coins")
    parser.add_argument("--seconds", type=float, default=0.2, help="to spend on each figure")
    parser.add_argument("--only", default="", help="policies whose names contain this")
    given = parser.parse_args()
    environments = {n_arms: arms(given.losses, n_arms) for n_arms, _ in SIZES}
    print("| policy | " + " | ".join(f"K = {k}, T = {t:,}" for k, t in SIZES) + " |")
    print("|---|" + "---:|" * len(SIZES))
    for name in policies.__all__:
        for policy in getattr(policies, name).variants():
            if given.only.lower() in policy.name.lower():
                row = [
                    f"{ns_per_step(policy, environments[n_arms], horizon, given.seconds):,.0f}"
                    for n_arms, horizon in SIZES
                ]
                print(f"| {policy.name} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()

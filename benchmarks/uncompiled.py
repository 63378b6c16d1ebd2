"""What it costs to run uncompiled: time per call and per step over that of compiled code.

    python -m benchmarks.uncompiled [--repeats 5]

A call is one select and update of a bandit with 10 arms, a step one of a simulation with 10
Bernoulli arms; in turns, processor time, the median. The warning about a kernel that runs
uncompiled says these factors (`UNCOMPILED_COST`).
"""

from __future__ import annotations

import argparse
import functools
import sys
import time

import lowbid
from lowbid import Policy
from lowbid._compile import compiling

from .measure import by_turns, spread
from .policies import arms, ns_per_step

POLICIES = {"UCB1": lowbid.UCB1(), "BatchEnsemble": lowbid.BatchEnsemble(), "the default": None}
CALLS = {"never": 500, "now": 50_000}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    given = parser.parse_args(arguments)
    print("| policy | call, µs | uncompiled, µs | factor | step, ns | uncompiled, ns | factor |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, policy in POLICIES.items():
        works = {
            f"{what} {when}": functools.partial(measure, policy, when)
            for what, measure in (("call", call), ("step", step))
            for when in CALLS
        }
        taken = by_turns(works, given.repeats)
        found = {what: spread(each).median for what, each in taken.items()}
        cells = []
        for what, unit in (("call", 1e6), ("step", 1e9)):
            fast, slow = found[f"{what} now"], found[f"{what} never"]
            cells += [f"{unit * fast:.3g}", f"{unit * slow:.3g}", f"{slow / fast:.0f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


def call(policy: Policy | None, when: str) -> float:
    """Processor seconds of a select and an update."""
    bandit = lowbid.Bandit(10, policy, seed=0, reward_range=(0.0, 1.0), compiled=when)  # type: ignore[arg-type]
    for _ in range(20):
        bandit.update(bandit.select(), reward=0.5)
    rewards = [i % 7 / 7.0 for i in range(CALLS[when])]
    began = time.process_time()
    for reward in rewards:
        bandit.update(bandit.select(), reward=reward)
    return (time.process_time() - began) / len(rewards)


def step(policy: Policy | None, when: str) -> float:
    """Processor seconds of a simulated step."""
    played = policy or lowbid.Bandit(10, reward_range=(0.0, 1.0)).policy
    with compiling(when):  # type: ignore[arg-type]
        return 1e-9 * ns_per_step(played, arms("coins", 10), 1000, 0.1)


if __name__ == "__main__":
    sys.exit(main())

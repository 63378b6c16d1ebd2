"""One select + update from Python: lowbid beside river, MABWiser and SMPyBandits.

Run ``python benchmarks/online.py``. The peers get virtual environments of their own, made on first
use. All libraries are timed in turn, several times over, on the same task: K arms, the same losses
(rewards for the peers), and one choice and one update at a time. What counts is the ratio in the
same round, each time being the best of 20 stretches of 1000 steps, since other work on the machine
only ever adds; the table shows the median over rounds, and the smallest and largest.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tracemalloc

import peers

REPEATS, STEPS = 20, 1000
TIMER = """
import time
rewards = [(i * 7 % 10) / 10 for i in range({steps})]
def seconds(step):
    best = float("inf")
    for _ in range({repeats}):
        begin = time.perf_counter()
        for reward in rewards:
            step(reward)
        best = min(best, time.perf_counter() - begin)
    return best / len(rewards)
"""
CODE = {
    "lowbid, Batch Ensemble": """
import lowbid
bandit = lowbid.Bandit({arms}, seed=0)
def step(reward):
    bandit.update(bandit.select(), reward=reward)
""",
    "lowbid, UCB1": """
import lowbid
bandit = lowbid.Bandit({arms}, lowbid.UCB1(), seed=0)
def step(reward):
    bandit.update(bandit.select(), reward=reward)
""",
    "river, UCB1": """
from river import bandit
policy = bandit.UCB(delta=1.0, seed=0)
arms = list(range({arms}))
def step(reward):
    policy.update(policy.pull(arms), reward)
""",
    "mabwiser, UCB1": """
from mabwiser.mab import MAB, LearningPolicy
mab = MAB(arms=list(range({arms})), learning_policy=LearningPolicy.UCB1(alpha=1.0), seed=0)
mab.fit(decisions=list(range({arms})), rewards=[0.5] * {arms})
def step(reward):
    mab.partial_fit([mab.predict()], [reward])
""",
    "SMPyBandits, UCB1": """
import sys, io
sys.stdout, out = io.StringIO(), sys.stdout
from SMPyBandits.Policies import UCB
sys.stdout = out
policy = UCB({arms})
policy.startGame()
def step(reward):
    policy.getReward(policy.choice(), reward)
""",
}


def microseconds(name: str, arms: int) -> float:
    """The cost of one select and update, in a process of its own."""
    code = CODE[name].format(arms=arms) + TIMER.format(steps=STEPS, repeats=REPEATS)
    code += "print(seconds(step) * 1e6)"
    library = name.partition(",")[0]
    if library == "lowbid":
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return float(done.stdout)
    return float(peers.run(library, code))


def table(arms: int, rounds: int, libraries: list[str]) -> dict[str, list[float]]:
    """Every library's cost in each round; one that does not run is reported and left out."""
    costs: dict[str, list[float]] = {name: [] for name in libraries}
    for _ in range(rounds):
        for name in list(costs):
            try:
                costs[name].append(microseconds(name, arms))
            except peers.NotInstalledError as error:
                print(f"{name}: not measured: {error}")
                del costs[name]
    print(f"\nK = {arms}: microseconds for one select + update; median (smallest to largest)")
    for name, found in costs.items():
        spread = f"({min(found):.2f} to {max(found):.2f})"
        print(f"  {name:24} {statistics.median(found):8.2f}  {spread}")
    return costs


def ratios(one: list[float], other: list[float]) -> str:
    found = [b / a for a, b in zip(one, other, strict=True)]
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def memory() -> None:
    """What a million updates leave behind, beyond what the first thousand did."""
    import lowbid

    bandit = lowbid.Bandit(10, lowbid.BatchEnsemble(batches=8, baseline="minimum"), seed=0)
    for i in range(1000):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for i in range(1_000_000):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    after, _ = tracemalloc.get_traced_memory()
    print(f"\nmemory left behind by a million updates: {after - before} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    few = table(10, rounds, list(CODE))
    rivals = {name: found for name, found in few.items() if not name.startswith("lowbid")}
    fastest = min(rivals, key=lambda name: statistics.median(rivals[name]))
    for ours in ("lowbid, Batch Ensemble", "lowbid, UCB1"):
        print(f"  {fastest} takes {ratios(few[ours], rivals[fastest])} times as long as {ours}")
    many = table(10_000, rounds, ["lowbid, Batch Ensemble"])
    ours = "lowbid, Batch Ensemble"
    print(f"  at K = 10,000 it takes {ratios(few[ours], many[ours])} times as long as at K = 10")
    memory()


if __name__ == "__main__":
    main()

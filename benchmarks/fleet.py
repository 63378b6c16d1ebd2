"""Fleets: what a decision costs beside a bandit of one process, an exchange, and regret.

    python -m benchmarks.fleet                  # cost, in half a minute
    python -m benchmarks.fleet --regret         # and regret over processes and exchanges
    python -m benchmarks.fleet --postgresql URL

A cycle is a decision and its outcome. A ratio is that of one turn; the median is shown with the
lowest and the highest. Regret is that of a whole fleet whose processes take turns in a random
order and exchange all at once, after every so many decisions of the fleet.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator

import numpy as np

import lowbid
from benchmarks.measure import by_turns, clock_seconds, spread
from lowbid._compile import background

ARMS = [f"arm {number}" for number in range(10)]
RATES = [0.06, 0.05, 0.05, 0.05]
POLICIES = {
    "BatchEnsemble": lowbid.BatchEnsemble(),
    "BatchLikelihood, the default": lowbid.BatchLikelihood(),
    "BetaThompson": lowbid.BetaThompson(),
}


def fleet_at(url: str, exchange: float | str, arms: list[str] = ARMS, **settings: object):
    name = secrets.token_hex(4)
    return lowbid.open(url, name, arms, reward_range=(0, 1), exchange=exchange, **settings)


def cycles(bandit, count: int) -> None:
    for i in range(count):
        bandit.update(bandit.decide(), reward=float(i % 2))


def warmed_up(bandit) -> None:
    cycles(bandit, 50)
    background.wait(60.0)
    cycles(bandit, 50)


def decisions(url: str, count: int, repeats: int) -> None:
    """Print how long a cycle takes, alone and in a fleet, and how long the slowest ones do."""
    alone = lowbid.Bandit(ARMS, reward_range=(0, 1))
    fleet = fleet_at(url, "1s")
    for bandit in (alone, fleet):
        warmed_up(bandit)
    turns = by_turns(
        {
            "alone": lambda: clock_seconds(lambda: cycles(alone, count)),
            "fleet": lambda: clock_seconds(lambda: cycles(fleet, count)),
        },
        repeats,
    )
    fleet.close()
    ratio = spread(a / b for a, b in zip(turns["alone"], turns["fleet"], strict=True))
    print("\n| one process | µs per cycle |\n|---|---:|")
    for name, seconds in turns.items():
        print(f"| {name} | {1e6 * statistics.median(seconds) / count:.1f} |")
    print(f"| alone / fleet | {ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) |")


def slowest(url: str, count: int) -> None:
    """Print the distribution of single cycles while a process exchanges all the time."""
    fleet = fleet_at(url, 0.05)
    warmed_up(fleet)
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        cycles(fleet, 1)
        taken.append(time.perf_counter() - began)
    fleet.close()
    p50, p99, p999 = (1e6 * q for q in np.quantile(taken, [0.5, 0.99, 0.999]))
    print(f"\ncycles while exchanging every 50 ms: median {p50:.0f} µs, 99% {p99:.0f} µs, ", end="")
    print(f"99.9% {p999:,.0f} µs, slowest {1e6 * max(taken):,.0f} µs")


def exchanges(url: str, repeats: int) -> None:
    """Print how long an exchange takes that reads the new rows of so many processes."""
    print("\n| rows that changed | ms per exchange |\n|---:|---:|")
    for rows in (1, 10, 100):
        name = secrets.token_hex(4)
        settings = {"reward_range": (0, 1), "exchange": "1d"}
        others = [lowbid.open(url, name, ARMS, **settings) for _ in range(rows)]
        reader = lowbid.open(url, name, ARMS, **settings)
        seconds = []
        for _ in range(repeats):
            for other in others:
                cycles(other, 5)
                other.exchange()
            seconds.append(clock_seconds(reader.exchange))
        print(f"| {rows} | {1e3 * statistics.median(seconds):.1f} |")
        for bandit in (reader, *others):
            bandit.close()


def regrets(url: str, horizon: int, runs: int) -> None:
    """Print the regret of fleets, relative to that of one process that sees everything."""
    print(f"\nRegret of {horizon:,} decisions, rewards with rates {RATES}, {runs} runs\n")
    print("| policy | processes | an exchange every | regret | standard error |")
    print("|---|---:|---:|---:|---:|")
    for name, policy in POLICIES.items():
        for processes, every in ((1, 1), (10, 100), (10, 1000), (100, 1000), (100, 10000)):
            found = [regret(url, policy, processes, every, horizon, run) for run in range(runs)]
            error = statistics.stdev(found) / runs**0.5
            print(
                f"| {name} | {processes} | {every:,} | {statistics.mean(found):.0f} | {error:.0f} |"
            )


def regret(url: str, policy, processes: int, every: int, horizon: int, run: int) -> float:
    draws = np.random.default_rng(run)
    if processes == 1:
        members = [lowbid.Bandit(len(RATES), policy, run, reward_range=(0, 1), compiled="now")]
    else:
        settings = {"reward_range": (0, 1), "policy": policy, "seed": run, "exchange": "1d"}
        name = secrets.token_hex(4)
        members = [lowbid.open(url, name, len(RATES), **settings) for _ in range(processes)]
    lost = 0.0
    turns, coins = draws.integers(processes, size=horizon), draws.random(horizon)
    for i, (member, coin) in enumerate(zip(turns, coins, strict=True), start=1):
        decision = members[member].decide()
        members[member].update(decision, reward=float(coin < RATES[decision.arm]))
        lost += max(RATES) - RATES[decision.arm]
        if i % every == 0 and processes > 1:
            for each in (*members, *members):
                each.exchange()
    for each in fleets(members):
        each.close()
    return lost


def fleets(members: list) -> Iterator[lowbid.shared.FleetBandit]:
    return (member for member in members if hasattr(member, "close"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--postgresql", metavar="URL", help="a server to use instead of SQLite")
    parser.add_argument("--regret", action="store_true", help="also measure regret")
    parser.add_argument("--horizon", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = given.postgresql or f"sqlite:///{folder}/fleet.db"
        decisions(url, 20_000, given.repeats)
        slowest(url, 50_000)
        exchanges(url, given.repeats)
        if given.regret:
            regrets(url, given.horizon, given.runs)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

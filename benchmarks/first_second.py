"""The first second: real processes, with an empty folder for compiled code or a full one.

    python -m benchmarks.first_second [--repeats 5] [--policies]

- A first decision, over ``import numpy`` in the same turns, and the README's example: processor
  times, on which other programs have little influence.
- From the first decision of the default bandit with 10 arms until it is at full speed: until 1,000
  calls in a row, of a select and an update, have taken 3 microseconds each at most by the median.
  Bounds: 1 s with an empty folder, 0.3 s with a full one, and 20 ms for the longest call till then.
  This is wall time: on a busy machine it says more about the machine.

With --policies, also each policy's first simulation. Exits with 1 if a bound is not kept.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lowbid import policies

from .core import report
from .measure import by_turns, new_process, ratios

PAGE = Path(__file__).parents[1] / "README.md"
DECISION = "import lowbid; lowbid.Bandit(['blue', 'green', 'red']).select()"
SIMULATION = """
import lowbid
policy = lowbid.{name}.variants()[0]
arms = lowbid.testing._policies.suitable_arms(policy)[0]
lowbid.simulate(lowbid.testing._policies.informed_of(policy, arms), arms, horizon=100, runs=2)
"""
# Plays until it is at full speed; prints the seconds from the first decision until then, and the
# longest call before, in milliseconds.
PLAYING = """
import random, statistics, time
import lowbid
bandit = lowbid.Bandit(10)
now, calls = time.perf_counter, []
first = now()
while now() - first < 60.0:
    begin = now()
    bandit.update(bandit.select(), loss=random.random())
    calls.append(now() - begin)
    if len(calls) % 100 == 0 and len(calls) >= 1000:
        if statistics.median(calls[-1000:]) <= {fast}:
            break
print(now() - first, 1000.0 * max(calls))
"""
FULL_SPEED = 3e-6  # seconds per call
# Bounds
DECISION_PER_NUMPY = 2.0
README_EXAMPLE = 4.0  # s
FIRST_SIMULATION = 2.0  # s
UNTIL_FULL_SPEED = {"an empty": 1.0, "a full": 0.3}  # s
SLOWEST_CALL = 20.0  # ms


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--policies", action="store_true", help="each policy's first simulation")
    given = parser.parse_args(arguments)
    print(f"{'what':58}  {'measured':>10}  {'promised':>12}")
    kept = [*imports(given.repeats), *until_full_speed(given.repeats)]
    if given.policies:
        kept.append(first_simulations())
    return 0 if all(kept) else 1


@contextmanager
def empty_cache() -> Iterator[None]:
    before = os.environ.get("LOWBID_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LOWBID_CACHE_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["LOWBID_CACHE_DIR"]
            if before is not None:
                os.environ["LOWBID_CACHE_DIR"] = before


def seconds(code: str) -> float:
    """The seconds that a new process takes for some code, with nothing compiled before."""
    with empty_cache():
        return new_process([sys.executable, "-c", code]).processor


def readme_example() -> str:
    """The README's one example of a simulation; the import stands in an example above it."""
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (simulation,) = (code for code in examples if "lowbid.simulate(" in code)
    return f"import lowbid\n{simulation}"


def imports(repeats: int) -> list[bool]:
    codes = {"import numpy": "import numpy", "decision": DECISION, "readme": readme_example()}
    works = {name: lambda code=code: seconds(code) for name, code in codes.items()}
    taken = by_turns(works, repeats)  # type: ignore[arg-type]
    for name in ("import numpy", "decision"):
        print(f"{'processor seconds: ' + name:58}  {statistics.median(taken[name]):10.2f}")
    decision = ratios(taken["decision"], taken["import numpy"]).median
    readme = statistics.median(taken["readme"])
    return [
        report("a first decision over import numpy", decision, DECISION_PER_NUMPY),
        report("processor seconds: the README's example", readme, README_EXAMPLE),
    ]


def until_full_speed(repeats: int) -> list[bool]:
    """Each turn plays in an empty folder, and again in the same folder."""
    taken: dict[str, list[tuple[float, float]]] = {which: [] for which in UNTIL_FULL_SPEED}
    for _ in range(repeats):
        with empty_cache():
            for which in UNTIL_FULL_SPEED:
                taken[which].append(_played())
    kept = []
    for which, bound in UNTIL_FULL_SPEED.items():
        until, slowest = map(statistics.median, zip(*taken[which], strict=True))
        kept += [
            report(f"s: first decision to full speed, {which} folder", until, bound),
            report(f"ms: longest call until then, {which} folder", slowest, SLOWEST_CALL),
        ]
    return kept


def _played() -> tuple[float, float]:
    """Seconds until full speed, and the longest call in milliseconds."""
    code = PLAYING.format(fast=FULL_SPEED)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    until, slowest = map(float, done.stdout.split())
    return until, slowest


def first_simulations() -> bool:
    """Each policy once: what varies from one to the next is more than the machine's noise."""
    times = {name: seconds(SIMULATION.format(name=name)) for name in policies.__all__}
    for name, taken in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{'  ' + name:58}  {taken:10.2f} s")
    print(f"{'processor seconds: median policy':58}  {statistics.median(times.values()):10.2f}")
    longest = max(times, key=lambda name: times[name])
    what = f"processor seconds: the longest first simulation, {longest}"
    return report(what, times[longest], FIRST_SIMULATION)


if __name__ == "__main__":
    sys.exit(main())

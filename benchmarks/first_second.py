"""The first second: real processes, each with an empty folder for compiled code.

    python -m benchmarks.first_second [--repeats 5] [--policies]

Prints how long a first decision, a first simulation and the README's example take, as multiples of
``import numpy`` and ``import numba`` in the same turns, and the slowest call of a bandit while it
is compiled in the background. With --policies, also each policy's first simulation. Exits with 1 if
a bound is not kept. Times are processor times, on which other programs have little influence; only
the slowest call is wall time: on a busy machine it says more about the machine.
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

README = Path(__file__).parents[1] / "README.md"
DECISION = "import lowbid; lowbid.Bandit(['blue', 'green', 'red']).select()"
SIMULATION = """
import lowbid
policy = lowbid.{name}.variants()[0]
arms = lowbid.testing._policies.suitable_arms(policy)[0]
lowbid.simulate(lowbid.testing._policies.informed_of(policy, arms), arms, horizon=100, runs=2)
"""
# Plays 2,000 steps, and until all is compiled; prints the slowest call in milliseconds.
PLAYING = """
import random, time
import lowbid
from lowbid._compile import background
bandit, slowest, left = lowbid.Bandit(10), 0.0, 2000
bandit.update(bandit.select(), loss=0.5)
while left > 0 or background.open:
    begin = time.perf_counter()
    arm = bandit.select()
    bandit.update(arm, loss=random.random())
    slowest = max(slowest, time.perf_counter() - begin)
    time.sleep(0.002)
    left -= 1
print(1000.0 * slowest)
"""
# Bounds. Four seconds for the README's example and two for a policy were aimed at, where importing
# numba takes half a second.
DECISION_PER_NUMPY = 2.0
SLOWEST_CALL = 20.0  # ms
README_PER_NUMBA = 8.0
POLICY_PER_NUMBA = 4.0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--policies", action="store_true", help="each policy's first simulation")
    given = parser.parse_args(arguments)
    print(f"{'what':58}  {'measured':>10}  {'promised':>12}")
    kept = [*imports(given.repeats), slowest_call(given.repeats)]
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
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    (simulation,) = (code for code in examples if "lowbid.simulate(" in code)
    return f"import lowbid\n{simulation}"


def imports(repeats: int) -> list[bool]:
    codes = {
        "numpy": "import numpy",
        "numba": "import numba",
        "decision": DECISION,
        "readme": readme_example(),
    }
    works = {name: lambda code=code: seconds(code) for name, code in codes.items()}
    taken = by_turns(works, repeats)  # type: ignore[arg-type]
    for name in ("numpy", "numba", "decision", "readme"):
        what = f"processor seconds: {name if name[0] != 'n' else 'import ' + name}"
        print(f"{what:58}  {statistics.median(taken[name]):10.2f}")
    decision = ratios(taken["decision"], taken["numpy"]).median
    readme = ratios(taken["readme"], taken["numba"]).median
    return [
        report("a first decision over import numpy", decision, DECISION_PER_NUMPY),
        report("the README's example over import numba", readme, README_PER_NUMBA),
    ]


def slowest_call(repeats: int) -> bool:
    def once(compiled: str) -> float:
        with empty_cache():
            environment = {**os.environ, "LOWBID_COMPILED": compiled}
            done = subprocess.run(
                [sys.executable, "-c", PLAYING],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            return float(done.stdout)

    works = {when: lambda when=when: once(when) for when in ("never", "background")}
    taken = by_turns(works, min(repeats, 3))  # type: ignore[arg-type]
    machine, slowest = (statistics.median(taken[when]) for when in works)
    print(f"{'ms: slowest call where nothing is compiled, K = 10':58}  {machine:10.2f}")
    return report("ms: slowest call while it is compiled, K = 10", slowest, SLOWEST_CALL)


def first_simulations() -> bool:
    """Each policy once: what varies from one to the next is more than the machine's noise."""
    numba = seconds("import numba")
    times = {name: seconds(SIMULATION.format(name=name)) for name in policies.__all__}
    for name, taken in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{'  ' + name:58}  {taken:10.2f} s")
    print(f"{'processor seconds: median policy':58}  {statistics.median(times.values()):10.2f}")
    longest = max(times, key=lambda name: times[name])
    what = f"the longest first simulation, {longest}, over import numba"
    return report(what, times[longest] / numba, POLICY_PER_NUMBA)


if __name__ == "__main__":
    sys.exit(main())

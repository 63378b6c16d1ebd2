"""The loops of this version beside those of another one, for every policy and every MDP agent.

    python -m benchmarks.loops --beside PATH [--repeats 5] [--only TEXT] [--variants]

PATH is a checkout of the other version, whose dependencies are installed in this environment. Two
processes play the same simulations in turns: 10 Bernoulli arms, or RiverSwim in 1,000 episodes of
20 steps; 20,000 steps, and as many runs as fit into --seconds. Printed are the processor seconds of
the first simulation, which compiles (with an empty LOWBID_CACHE_DIR), the nanoseconds per step, and
the speed of this version over that of the other one, as a median of the turns. Exits with 1 if the
median of all rows is below 1.00, or if the two play differently.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from lowbid import mdp, policies

from .first_second import empty_cache
from .measure import by_turns, ratios, spread

TASK = Path(__file__).parent / "tasks" / "loop_steps.py"
HERE = Path(__file__).parents[1]
HORIZON = 20_000


class Player:
    """A process that plays simulations of one version."""

    def __init__(self, checkout: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
        self.process = subprocess.Popen(
            [sys.executable, str(TASK)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def play(self, policy: str, variant: int, horizon: int, runs: int) -> tuple[float, float]:
        """Processor seconds, and the sum of the regret."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{policy} {variant} {horizon} {runs}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["regret"]

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--beside", type=Path, required=True, help="a checkout of another version")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--seconds", type=float, default=0.1, help="of one turn, at least")
    parser.add_argument("--only", default="", help="rows whose names contain this")
    parser.add_argument("--variants", action="store_true", help="all variants of each policy")
    given = parser.parse_args(arguments)
    print("| policy | first, s | there | ns per step | there | speed over there | same |")
    print("|---|---:|---:|---:|---:|---:|---|")
    speeds, alike = [], True
    with ExitStack() as stack:
        stack.enter_context(empty_cache())
        players = [stack.enter_context(Player(each)) for each in (HERE, given.beside)]
        for name, variant, shown in rows(given.variants):
            if given.only.lower() in shown.lower():
                cells, speed, same = compare(players, name, variant, given)
                print(f"| {shown} | {' | '.join(cells)} |", flush=True)
                speeds.append(speed)
                alike = alike and same
    median = statistics.median(speeds)
    print(f"| median of {len(speeds)} | | | | | {median:.3f} | |")
    return 0 if alike and round(median, 2) >= 1.0 else 1


def rows(all_variants: bool) -> Iterator[tuple[str, int, str]]:
    """The name of a class, the number of a variant of it, and how it is shown."""
    for classes in (policies, mdp.agents):
        for name in classes.__all__:
            variants = getattr(classes, name).variants()
            for number, variant in enumerate(variants if all_variants else variants[:1]):
                yield name, number, getattr(variant, "name", str(variant))


def compare(
    players: list[Player], name: str, variant: int, given: argparse.Namespace
) -> tuple[list[str], float, bool]:
    """The cells of a row, the speed over that of the other version, and whether both agree."""
    first = [player.play(name, variant, 10, 1)[0] for player in players]
    once, regret = players[0].play(name, variant, HORIZON, 1)
    same = regret == players[1].play(name, variant, HORIZON, 1)[1]
    runs = int(min(max(1.0, given.seconds / once), 1000.0))
    works = {
        "here": lambda: players[0].play(name, variant, HORIZON, runs)[0],
        "there": lambda: players[1].play(name, variant, HORIZON, runs)[0],
    }
    taken = by_turns(works, given.repeats)
    steps = [f"{spread(each).median / runs / HORIZON * 1e9:.1f}" for each in taken.values()]
    speed = ratios(taken["there"], taken["here"])
    shown = f"{speed.median:.2f} ({speed.low:.2f} to {speed.high:.2f})"
    cells = [*(f"{each:.2f}" for each in first), *steps, shown, "yes" if same else "NO"]
    return cells, speed.median, same


if __name__ == "__main__":
    sys.exit(main())

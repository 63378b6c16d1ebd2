"""What the driver of a sweep costs, and what a second process gains.

    python -m benchmarks.sweep_overhead [--repeats 5] [--check]

Overhead: a sweep of tasks of about a second each, on one worker thread, beside the same runs played
one after another in a bare loop; the part of the time that is not playing. Two processes: the same
sweep on one local process and on two. What the machine itself gives is measured beside it: bare
processes without a driver, each with its half of the runs from the beginning, beside one with all
of them. Ratios of the same turn, their medians over the turns, with the lowest and the highest.
With --check, exits with 1 if the overhead is 5% or more, or two processes are less than 1.8 times
as fast as one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import lowbid
from benchmarks.measure import Spread, by_turns, clock_seconds, ratios, spread
from lowbid.experiments.sweeps import Sweep, SweptEnvironment, SweptPolicy, Tier
from lowbid.experiments.sweeps._driver import Driver
from lowbid.experiments.sweeps._engines import Engine, Processes, Threads, running
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import CellStore
from lowbid.simulation._share import Share, play_share

MOST_OVERHEAD, LEAST_GAIN = 0.05, 1.8
HORIZON, CELLS = 100_000, 8


def sweep_of(seconds: float, cells: int) -> Sweep:
    """A sweep whose cells take one worker about so long."""
    policy = SweptPolicy("UCB1", "UCB1", lowbid.UCB1())
    arms = [
        SweptEnvironment(f"arms {i}", lowbid.Bernoulli([0.1, 0.2 + i / 100])) for i in range(cells)
    ]
    probe = Sweep("probe", "probe", [policy], arms[:1], [Tier(HORIZON, 2)], 2).cells[0]
    play_share(probe.share(0, 2))
    per_run = play_share(probe.share(0, 10)).seconds / 10
    runs = max(2, round(seconds / per_run))
    return Sweep("sweep", "sweep", [policy], arms, [Tier(HORIZON, runs)], runs)


def driven(sweep: Sweep, engine: Engine) -> float:
    """Seconds that a sweep takes on an engine that is at work already."""
    with tempfile.TemporaryDirectory() as folder:
        rates = Rates()
        rates.calibrate(sweep.cells, engine)
        return clock_seconds(Driver(sweep.cells, CellStore(Path(folder)), engine, rates).run)


def shares_of(sweep: Sweep) -> list[Share]:
    return [cell.share(0, cell.runs) for cell in sweep.cells]


def bare(shares: Sequence[Share]) -> float:
    """Seconds that runs take one after another, without anything around them."""
    return clock_seconds(lambda: [play_share(share) for share in shares])


class BareProcess:
    """A process that plays what it is sent, and nothing else."""

    def __init__(self) -> None:
        self.ours, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()

    def begin(self, shares: Sequence[Share]) -> None:
        self.ours.send(list(shares))

    def end(self) -> None:
        self.ours.recv()


def _serve(line: Connection) -> None:
    while shares := line.recv():
        line.send(bare(shares))


def on_bare(processes: Sequence[BareProcess], shares: Sequence[Share]) -> float:
    """Seconds until each process has played its part of some shares."""

    def work() -> None:
        for number, process in enumerate(processes):
            process.begin(shares[number :: len(processes)])
        for process in processes:
            process.end()

    return clock_seconds(work)


@contextmanager
def engines() -> Iterator[tuple[Engine, Engine, Engine, list[BareProcess]]]:
    """A thread, one process, two, and two without a driver, which have all compiled the rule."""
    with running(Threads(1)) as thread, running(Processes(1)) as one, running(Processes(2)) as two:
        processes = [BareProcess(), BareProcess()]
        warm = sweep_of(0.05, 4)
        for engine in (thread, one, two):
            driven(warm, engine)
        on_bare(processes, shares_of(warm))
        yield thread, one, two, processes
        for process in processes:
            process.begin([])


def table(rows: dict[str, tuple[Spread, str, str]]) -> str:
    lines = ["| | median | lowest | highest | goal |", "| --- | ---: | ---: | ---: | ---: |"]
    for what, (found, form, goal) in rows.items():
        lines.append(f"| {what} | {' | '.join(map(form.format, found))} | {goal} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a cell takes")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    given = parser.parse_args()
    sweep = sweep_of(given.seconds, CELLS)
    shares = shares_of(sweep)
    with engines() as (thread, one, two, processes):
        works = {
            "bare": lambda: bare(shares),
            "driven": lambda: driven(sweep, thread),
            "one": lambda: driven(sweep, one),
            "two": lambda: driven(sweep, two),
            "bare two": lambda: on_bare(processes, shares),
            "bare one": lambda: on_bare(processes[:1], shares),
        }
        taken = by_turns(works, given.repeats)
    for name, seconds in taken.items():
        print(f"{name}: {', '.join(f'{each:.2f}' for each in seconds)} s", file=sys.stderr)
    overhead = spread(ratio - 1.0 for ratio in _each(taken["driven"], taken["bare"]))
    gain, machine = (ratios(taken[f"{b}one"], taken[f"{b}two"]) for b in ("", "bare "))
    rows = {
        "driver's overhead, tasks of a second": (overhead, "{:+.1%}", "below 5%"),
        "two processes beside one": (gain, "{:.2f} x", "1.8 x"),
        "the same without a driver": (machine, "{:.2f} x", "–"),
    }
    print(table(rows))
    good = overhead.median < MOST_OVERHEAD and gain.median >= LEAST_GAIN
    return 0 if good or not given.check else 1


def _each(above: Sequence[float], below: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(above, below, strict=True)]


if __name__ == "__main__":
    sys.exit(main())

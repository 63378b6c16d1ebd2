"""Clocks, turns and spreads: how every figure here is taken."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LAUNCHER = Path(__file__).parent / "launch.py"


class Spread(NamedTuple):
    """The median of repeats, the lowest and the highest."""

    median: float
    low: float
    high: float


class Usage(NamedTuple):
    """The resources of a process: processor and wall seconds, and peak memory in MB."""

    processor: float
    clock: float
    peak: float


def spread(values: Iterable[float]) -> Spread:
    known = list(values)
    return Spread(statistics.median(known), min(known), max(known))


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor seconds of this process: other programs have little influence on them."""
    began = time.process_time()
    work()
    return time.process_time() - began


def clock_seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def by_turns(works: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Measure all in turns, several times over, so that a noisy moment affects all alike."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            taken[name].append(work())
    return taken


def ratios(above: Sequence[float], below: Sequence[float]) -> Spread:
    """The ratio of two measurements, turn by turn."""
    return spread(a / b for a, b in zip(above, below, strict=True))


def new_process(command: Sequence[str], given: str = "") -> Usage:
    """Run a command to its end, and return what it took."""
    # As for users, whose Python keeps the bytecode of what it has imported.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, LAUNCHER, *command],
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    return Usage(**json.loads(done.stdout))

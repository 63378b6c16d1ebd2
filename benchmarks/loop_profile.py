"""Where the time of a compiled loop goes, instruction by instruction.

    python -m benchmarks.loop_profile [--policy batch-ensemble:batches=12] [--seconds 5]

Plays 2,000 steps of a policy with 10 Bernoulli arms over and over, samples the instruction that the
processor is at (Linux's perf), and writes the loop's machine code with each instruction's share of
the samples (objdump) to the output folder.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import lowbid
from lowbid._compile import _machine, _module
from lowbid._compile._native import Call, kinds_of
from lowbid._random import key
from lowbid.experiments.names import policy_of_text
from lowbid.simulation._loop import loop_for
from lowbid.simulation._share import arms_of

HORIZON, RUNS, ARMS = 2000, 100, 10


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--policy", default="batch-ensemble:batches=12")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to sample")
    parser.add_argument("--out", type=Path, default=Path("out/profile"))
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    hits = sample(policy_of_text(given.policy), given.seconds, given.out)
    lines, inside = listing(given.out / "loop.o", hits)
    (given.out / "loop.txt").write_text("\n".join(lines) + "\n")
    print(
        f"{sum(hits.values())} samples, {inside:.0%} of them in the loop: {given.out / 'loop.txt'}"
    )
    return 0


def sample(policy: lowbid.Policy, seconds: float, folder: Path) -> Counter[int]:
    """How often the processor was at each place, counted from where the loop begins."""
    play, begin = loop(policy, folder)
    play()
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-p", str(os.getpid())]
    recorded = folder / "perf.data"
    perf = subprocess.Popen([*command, "-o", recorded], stderr=subprocess.DEVNULL)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        play()
    perf.terminate()
    perf.wait()
    read = ["perf", "script", "-i", recorded, "-F", "ip"]
    places = subprocess.run(read, capture_output=True, text=True, check=True).stdout.split()
    return Counter(int(place, 16) - begin for place in places)


def loop(policy: lowbid.Policy, folder: Path) -> tuple[Any, int]:
    """Something that plays, and where in memory its code begins; the code is kept in a file."""
    environment = lowbid.Bernoulli(np.linspace(0.1, 0.9, ARMS))
    compiled, _ = loop_for(policy, environment, None, 0)
    table, gaps, _ = arms_of(environment, 0, 1)
    keys = key(0, "losses"), key(0, policy.stream_name)
    parameters = policy.parameters(ARMS, HORIZON, HORIZON)

    def arguments() -> tuple[Any, ...]:
        counts: Any = np.zeros(1, np.int64), np.zeros(1, np.int64)
        recorded = np.zeros((RUNS, 1)), np.zeros((RUNS, ARMS), np.int64)
        where = 0, np.array([HORIZON]), *recorded
        return parameters, table, gaps, *keys, *where, *counts, ()

    module, kinds = _module.Module(), kinds_of(arguments())
    module.call(compiled, kinds)
    (folder / "loop.o").write_bytes(_machine.object_of(module.text()))
    native = Call(compiled, kinds, checked=False)
    begin = ctypes.cast(native.function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert begin is not None
    return lambda: native(*arguments()), begin


def listing(code: Path, hits: Counter[int]) -> tuple[list[str], float]:
    """The machine code with each instruction's share, and the share of all of it."""
    command = ["objdump", "-d", "--no-show-raw-insn", code]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    (begin,) = (int(line.split()[0], 16) for line in text if f"<{_module.ENTRY}>:" in line)
    lines, total, inside = [], hits.total(), 0
    for line in text:
        place = re.match(r"\s+([0-9a-f]+):", line)
        found = hits[int(place[1], 16) - begin] if place else 0
        inside += found
        share = f"{100 * found / total:6.2f}" if found else " " * 6
        lines.append(f"{share} {line}")
    return lines, inside / total


if __name__ == "__main__":
    sys.exit(main())

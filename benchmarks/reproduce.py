"""How long `lowbid reproduce` takes: processor seconds of the whole command, as a table.

    python benchmarks/reproduce.py [--cold]

Each line runs the command in a process of its own. With --cold also the first run on a fresh
machine, with an empty cache of compiled code. Exits with 1 if a promise is not kept; on a busy
machine, trust the processor seconds and not the wall time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lowbid.experiments.paper import POLICIES

WITHOUT_MARS = ",".join(name for name in POLICIES if name != "MARS")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cold", action="store_true", help="also with an empty cache")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(["--runs", "2"], folder)  # compiles what is not compiled yet
        print(f"{'what':44}  {'processor s':>11}  {'clock s':>8}  {'promised':>12}")
        kept = [
            line("--quick", ["--quick"], folder, None),
            line("without MARS, warm cache", ["--policies", WITHOUT_MARS], folder, 40.0),
            line("with MARS, warm cache", [], folder, 80.0),
        ]
        if given.cold:
            cache = str(Path(folder) / "cache")
            kept.append(line("first run, empty cache", [], folder, 120.0, cache))
    return 0 if all(kept) else 1


def line(
    what: str, arguments: list[str], folder: str, promised: float | None, cache: str | None = None
) -> bool:
    processor, clock = measure(arguments, folder, cache)
    promise = f"under {promised:g} s" if promised else ""
    print(f"{what:44}  {processor:11.1f}  {clock:8.1f}  {promise:>12}", flush=True)
    return promised is None or processor < promised


def measure(arguments: list[str], folder: str, cache: str | None = None) -> tuple[float, float]:
    """Processor and clock seconds of one run of the command."""
    command = [sys.executable, "-m", "lowbid", "reproduce", "--out", f"{folder}/out", *arguments]
    environment = {**os.environ, **({"LOWBID_CACHE_DIR": cache} if cache else {})}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())

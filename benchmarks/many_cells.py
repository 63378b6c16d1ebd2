"""What a sweep of very many tiny cells costs: plan, play, resume, write up.

python -m benchmarks.many_cells [--policies 1000] [--environments 100]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from benchmarks.measure import clock_seconds
from lowbid.experiments import sweeps

FILE = """
title = "Many cells"
horizon = 20
runs = 2
[[policies]]
policy = "batch-ensemble"
name = "ensemble"
padding = {{ from = 1, to = {policies}, count = {policies} }}
batches = 2
[[environments]]
name = "coins"
family = "random-bernoulli"
n_arms = 3
draws = {environments}
"""


def size(*paths: Path) -> str:
    return f"{sum(path.stat().st_size for path in paths) / 1e6:.1f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--policies", type=int, default=1000)
    parser.add_argument("--environments", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name) / "many.toml", Path(name) / "out"
        file.write_text(FILE.format(**vars(given)))
        swept: list[sweeps.Sweep] = []

        def quiet(text: str) -> None:
            pass

        print("| | seconds |\n| --- | ---: |")
        for what, work in {
            "read the file": lambda: swept.append(sweeps.read_sweep(file)),
            "plan": lambda: sweeps.dry_run(swept[0], out),
            "play": lambda: sweeps.play_sweep(swept[0], out, progress=False, say=quiet),
            "run again with nothing left": lambda: sweeps.play_sweep(
                sweeps.read_sweep(file), out, progress=False, say=quiet
            ),
            "write up": lambda: sweeps.write_up(swept[0], out, "lowbid sweep many.toml"),
        }.items():
            print(f"| {what} | {clock_seconds(work):.1f} |", flush=True)
        files = list(out.rglob("*.npz"))
        print(f"\n{len(files):,} files of cells, {size(*files)}; index {size(out / 'index.jsonl')}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"page {size(out / 'many' / 'report.html')}; most memory {peak:,.0f} MB")


if __name__ == "__main__":
    main()

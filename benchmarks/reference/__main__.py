"""Make the reference figures of the paper's five tests: python -m benchmarks.reference.

Compiles five_tests.c, plays every rule on every test, and writes mean regrets with their standard
errors to src/lowbid/validation/five_tests.csv, which `lowbid validate five-tests` reads. The same
program and seed give the same figures. It takes a quarter of an hour of one core; `--only kl-ucb`
plays some rules, and prints without writing.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lowbid

SOURCE = Path(__file__).with_name("five_tests.c")
TABLE = Path(lowbid.__file__).parent / "validation" / "five_tests.csv"
COLUMNS = ("rule", "test", "horizon", "runs", "regret", "error")
ALL, NOT_GAUSSIAN = (1, 2, 3, 4, 5), (1, 2, 3, 5)
# Rules, tests, steps, runs. Ensembles of few batches lose much in few runs, so they play more.
PLAYED = [
    ("ucb1", ALL, 2_000, 4_000),
    ("ucb-v", ALL, 2_000, 4_000),
    ("kl-ucb", ALL, 2_000, 1_000),
    ("kl-ucb-loglog", ALL, 2_000, 500),
    ("rb-sda", ALL, 2_000, 10_000),
    ("rb-sda-forced", ALL, 2_000, 10_000),
    ("rb-sda-forced", ALL, 20_000, 1_000),
    ("lb-sda-forced", ALL, 2_000, 10_000),
    ("npts", NOT_GAUSSIAN, 2_000, 1_000),
    ("mars-1000", ALL, 2_000, 1_000),
    ("mars-2000", ALL, 2_000, 500),
    ("thompson", ALL, 2_000, 2_000),
    ("thompson", ALL, 20_000, 400),
    ("imed", NOT_GAUSSIAN, 2_000, 1_000),
    ("kl-ucb", (1,), 20_000, 100),
    ("kl-ucb", (2, 3), 20_000, 60),
    ("kl-ucb", (4,), 20_000, 400),
    ("kl-ucb", (5,), 20_000, 300),
    *((f"batch-{batches}", ALL, 2_000, 4_000) for batches in (1, 2, 3, 4)),
    *(
        (f"batch-log-{share}-{growth}", ALL, 2_000, 4_000)
        for share in ("0.3", "1.0")
        for growth in ("redistribute", "append")
    ),
]


def compiled(folder: Path) -> Path:
    """Compile the program."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("the reference program needs a C compiler: gcc or cc")
    program = folder / "five_tests"
    command = [compiler, "-O2", "-std=gnu11", str(SOURCE), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    return program


def played(program: Path, rule: str, test: int, horizon: int, runs: int, seed: int = 1) -> tuple:
    """The mean regret of a rule in a test, and its standard error."""
    command = [str(program), rule, str(test), str(horizon), str(runs), str(seed)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    mean, error = printed.split()
    return float(mean), float(error)


def rows(program: Path, only: str) -> Iterator[tuple]:
    """The lines of the table."""
    for rule, tests, horizon, runs in PLAYED:
        for test in tests:
            if only in rule:
                mean, error = played(program, rule, test, horizon, runs)
                row = (rule, test, horizon, runs, f"{mean:.3f}", f"{error:.3f}")
                print(*row, flush=True)
                yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rules with this in their name; writes nothing")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(compiled(Path(folder)), arguments.only))
    if arguments.only or not found:
        sys.exit(0 if found else f"no rule has {arguments.only!r} in its name")
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *found])


if __name__ == "__main__":
    main()

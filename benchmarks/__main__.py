"""Measure everything, and print the tables of benchmarks/RESULTS.md as Markdown.

    python -m benchmarks [--parts c,growth,memory,workers,peers,around,reproduce]

Figures are kept in the output folder, part by part: with --parts, the others are taken from there,
or left out if they were never measured. `benchmarks.core` measures which promises are kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import lowbid

from . import beside_peers, c_loops, growth, pictures, table

PARTS = ("c", "growth", "memory", "workers", "peers", "around", "reproduce")
Series = dict[str, dict[str, growth.Points]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure again")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    parser.add_argument("--pictures", type=Path, help="where to draw; by default the same folder")
    given = parser.parse_args()
    parts = given.parts.split(",")
    results = everything(parts, given.repeats, given.out, needed=prerequisites(parts))
    if {"growth", "memory"} <= set(results):
        pictures.draw(results, (given.pictures or given.out) / "speed-growth.png")
    print(table.markdown(results))
    rows = results["peers"]["simulate"] if "peers" in results else []
    same = all(found["agrees"] for row in rows for found in row["regret"].values())
    return 0 if same else 1


def prerequisites(parts: Sequence[str]) -> list[str]:
    """What others of these parts are measured beside."""
    return ["peers"] if {"around", "reproduce"} & set(parts) else []


def everything(
    parts: Sequence[str], repeats: int, folder: Path, needed: Sequence[str]
) -> dict[str, Any]:
    """Measure these parts, and take the other parts that are needed from the last measurement."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "results.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    measures = {
        "c": lambda: c_loops.measure(3 * repeats),
        "growth": lambda: time_growth(repeats),
        "memory": memory_growth,
        "workers": lambda: growth.speed_with_workers(repeats),
        "peers": lambda: beside_peers.measure(repeats),
        "around": lambda: beside_peers.around(list(results["peers"]["versions"]), repeats),
        "reproduce": lambda: beside_peers.commands(list(results["peers"]["versions"]), 3),
    }
    for part in PARTS:
        if part in parts or (part in needed and part not in results):
            print(part, file=sys.stderr, flush=True)
            results[part] = measures[part]()
            results.setdefault("measured", {})[part] = f"{date.today()} at {commit()}"
            file.write_text(json.dumps(results, indent=1))
    return json.loads(file.read_text())


def commit() -> str:
    """The commit of the code."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.check_output(command, cwd=Path(__file__).parent, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return f"version {lowbid.__version__}"


ARMS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
STEPS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
PATIENCE = 20.0  # seconds; a series ends after a figure that took longer


def time_growth(repeats: int) -> Series:
    """Time per step with arms and steps, for every policy of the paper, and with batches."""
    batches = [2**power for power in range(11)]
    return {
        "arms": for_each(lambda name: growth.time_with_arms(name, ARMS, repeats, PATIENCE)),
        "steps": for_each(lambda name: growth.time_with_steps(name, STEPS, 3, PATIENCE)),
        "batches": {"BatchEnsemble": growth.time_with_batches(batches, 3, PATIENCE)},
    }


def memory_growth() -> Series:
    """Memory with arms and steps, for every policy of the paper."""
    return {
        "memory_arms": for_each(lambda name: growth.memory_with_arms(name, ARMS[2:], PATIENCE)),
        "memory_steps": for_each(lambda name: growth.memory_with_steps(name, STEPS, PATIENCE)),
    }


def for_each(measure: Callable[[str], growth.Points]) -> dict[str, growth.Points]:
    """A series for every policy of the paper."""
    found = {}
    for name in growth.paper_policies():
        print(f"  {name}", file=sys.stderr, flush=True)
        found[name] = measure(name)
    return found


if __name__ == "__main__":
    sys.exit(main())

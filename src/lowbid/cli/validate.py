"""Simulate published figures, and set ours beside them, with a verdict for each.

A figure agrees if it differs from ours by no more than 3.5 standard errors of the difference.
The exit code is 1 if any does not.
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("sources", nargs="*", help="which tables; all if none are named")
    parser.add_argument("--policy", default="", help="only policies whose name contains this")
    parser.add_argument("--runs", type=int, default=2000, help="independent runs for each figure")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same result")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs, T <= 2000 only")


def run(arguments: argparse.Namespace) -> int:
    """Print one line for each figure, as they come."""
    from lowbid.errors import UnknownNameError
    from lowbid.validation import SOURCES, Comparison, compare

    runs = max(2, arguments.runs // 10) if arguments.quick else arguments.runs
    agreed = total = 0
    for name in arguments.sources or SOURCES:
        if name not in SOURCES:
            raise UnknownNameError(f"no source is named {name!r}; known are {', '.join(SOURCES)}.")
        cells = [
            cell
            for cell in SOURCES[name]
            if arguments.policy.lower() in cell.policy.name.lower()
            and (cell.horizon <= 2000 or not arguments.quick)
        ]
        if not cells:
            continue
        print(f"\n{name}: {cells[0].source}; ours from {runs} runs\n{Comparison.head()}")
        for comparison in compare(cells, runs, arguments.seed):
            print(comparison, flush=True)
            agreed += comparison.agrees
            total += 1
    print(f"\n{agreed} of {total} figures agree.")
    return 0 if agreed == total else 1

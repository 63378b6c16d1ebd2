"""Re-simulate published results and compare them with ours.

Sources are five-tests, the paper's tests as run by an independent program; sda-paper, published
tables; and episodes, results on MDPs. The default is all of them. A result disagrees if it lies
more than 3.5 standard errors from ours, and then the exit code is 1. Where a few bad runs dominate
a mean, as on Gaussian arms, use --runs 5000 before you believe a disagreement.
"""

from __future__ import annotations

import argparse
import itertools

from lowbid.cli._arguments import whole

_QUICK_HORIZON = 2_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("sources", nargs="*", help="five-tests, sda-paper, episodes (default: all)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only figures that contain TEXT")
    parser.add_argument("--runs", type=whole, default=None, help="runs per figure (default: 2000)")
    parser.add_argument("--seed", type=whole, default=0, help="random seed (default: 0)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"only figures of at most {_QUICK_HORIZON} steps, with 300 runs each",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare, and count what agrees."""
    from lowbid.errors import InvalidValueError, UnknownNameError
    from lowbid.validation import SOURCES, Comparison, compare

    text = arguments.only.lower()
    default = 300 if arguments.quick else 2000
    runs = default if arguments.runs is None else arguments.runs
    agree = total = 0
    for name in arguments.sources or SOURCES:
        if name not in SOURCES:
            raise UnknownNameError(f"unknown source {name!r}; choose from {', '.join(SOURCES)}.")
        cells = [
            cell
            for cell in SOURCES[name]
            if text in f"{cell.problem} {cell.label}".lower()
            and not (arguments.quick and cell.horizon > _QUICK_HORIZON)
        ]
        for source, some in itertools.groupby(cells, key=lambda cell: cell.source):
            together = list(some)
            figures = "1 figure" if len(together) == 1 else f"{len(together)} figures"
            most = max(min(runs, getattr(cell, "most_runs", runs)) for cell in together)
            print(f"{source}: {figures}, {most} runs each")
            print(Comparison.head())
            for comparison in compare(together, runs=runs, seed=arguments.seed):
                print(comparison, flush=True)
                agree += comparison.agrees
                total += 1
    if total == 0:
        raise InvalidValueError(f"no figure contains {arguments.only!r}; try --only test or SDA.")
    print(f"{agree} of {total} figures agree.")
    return 0 if agree == total else 1

"""Run many policies in many environments: a table, a ranking, figures and a page.

A sweep file (lowbid init --sweep writes one) lists policies with grids of parameters, environments
and horizons. Finished work is kept: the command can be stopped, killed, or run again after lines
were added, and runs only what is missing.

    lowbid sweep FILE --dry-run      # how many tasks, and about how long
    lowbid sweep FILE --on dask://localhost:8786    # on a cluster
    lowbid sweep --show FOLDER       # the results so far, even while it runs
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from lowbid.cli._arguments import command_line, named_path, whole


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", nargs="?", type=named_path, help="a sweep file")
    parser.add_argument("--on", help="threads (the default), processes, or dask://HOST:PORT")
    parser.add_argument(
        "--workers", type=whole, help="number of threads or processes (default: one per core)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the plan and an estimate, and run nothing"
    )
    parser.add_argument(
        "--time-limit",
        type=whole,
        metavar="SECONDS",
        help="reassign a task after this many seconds without a sign of life",
    )
    parser.add_argument(
        "--show", type=named_path, metavar="FOLDER", help="report the results in a folder so far"
    )
    parser.add_argument(
        "--out",
        type=named_path,
        default=Path("lowbid-sweep"),
        help="output folder (default: lowbid-sweep)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play, and write the report."""
    from lowbid.errors import InvalidValueError
    from lowbid.experiments import sweeps
    from lowbid.experiments.sweeps import failures_text

    if (arguments.file is None) == (arguments.show is None):
        raise InvalidValueError("give a sweep file, or --show and a folder.")
    if arguments.show is not None:
        for sweep in sweeps.sweeps_in(arguments.show):
            file = Path(sweep.source).name or f"{sweep.name}.toml"
            command = shlex.join(["lowbid", "sweep", file, "--out", str(arguments.show)])
            print(sweeps.write_up(sweep, arguments.show, command))
        return 0
    on = arguments.on or "threads"
    sweep, command = sweeps.read_sweep(arguments.file), command_line("sweep", arguments)
    if arguments.dry_run:
        print(sweeps.dry_run(sweep, arguments.out, on, arguments.workers))
        return 0
    try:
        failed = sweeps.play_sweep(
            sweep, arguments.out, on, arguments.workers, arguments.time_limit
        )
    except KeyboardInterrupt:
        print("\nlowbid: stopped; finished work is kept.", file=sys.stderr)
        print(sweeps.write_up(sweep, arguments.out, command))
        print(f"lowbid: continue with: {command}", file=sys.stderr)
        return 130
    print(sweeps.write_up(sweep, arguments.out, command))
    if failed:
        print(failures_text(failed), file=sys.stderr)
    return 1 if failed else 0

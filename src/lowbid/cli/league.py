"""Run the benchmark league: prior-free policies in many settings.

With --told, run the other league: policies that must be given a range, a distribution family or
the horizon, each in the settings where that is known. Results in the folder are reused, so the
command continues where it was stopped, and runs only what was added. Your own policies can enter:

    lowbid league --policies "moment-imed:patience=2" --out out/league

Each league takes half an hour on two cores; --quick takes some minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lowbid.cli._arguments import command_line, named_path

_QUICK_HORIZON, _QUICK_SCALE = 10_000, 0.1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "settings", nargs="*", help="choosing, judging, or settings by name (default: all)"
    )
    parser.add_argument(
        "--told",
        action="store_true",
        help="run policies that are given a fact about the losses, only where it holds",
    )
    parser.add_argument("--policies", help="further policies, as for lowbid compare")
    parser.add_argument("--alone", action="store_true", help="run only the policies of --policies")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"only horizons up to {_QUICK_HORIZON:,}, with a tenth of the runs",
    )
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--on", help="threads (the default), processes, or dask://HOST:PORT")
    parser.add_argument(
        "--workers", type=int, help="number of threads or processes (default: one per core)"
    )
    parser.add_argument(
        "--out",
        type=named_path,
        default=Path("lowbid-league"),
        help="output folder (default: lowbid-league)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play, and write the report."""
    from lowbid.experiments import league
    from lowbid.report import markdown, plain

    settings = league.settings_named(arguments.settings)
    which = league.TOLD if arguments.told else league.LEAGUE
    entrants = league.entrants(arguments.policies, alone=arguments.alone, league=which)
    longest, scale = (_QUICK_HORIZON, _QUICK_SCALE) if arguments.quick else (None, 1.0)
    sweep = league.league_sweep(settings, entrants, longest, scale, which)
    outcomes = league.play(sweep, arguments.out, arguments.on or "threads", arguments.workers)
    form, command = markdown if arguments.markdown else plain, command_line("league", arguments)
    if arguments.told:
        print(league.told_summary(outcomes, form))
        page = league.told_write_up(outcomes, arguments.out, command)
        print(f"The report is {page}; the data are next to it.")
    else:
        print(league.summary(outcomes, form))
        page = league.write_up(outcomes, arguments.out, command)
        print(f"The report is {page}; the picture and the data are next to it.")
    return 0

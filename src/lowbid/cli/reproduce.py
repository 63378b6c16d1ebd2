"""The paper in one command: its experiments, its figures, and a verdict on each of its claims.

Runs the paper's five tests, and the published version's beta arms as a sixth, and writes figures,
data and a report. Details that the paper leaves open are settings: --set ties=first, for example;
the report lists them all.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lowbid._terminal import coloured, filled
from lowbid.cli._arguments import add_simulation_arguments, command_line, stopped

if TYPE_CHECKING:
    from lowbid.experiments.paper import Judged, Plan

_QUICK_RUNS = 20
_COLOURS = {"reproduced": "green", "not reproduced": "red", "undecided": "yellow"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--cases", help="tests to run, such as 1,3 (default: all)")
    parser.add_argument("--policies", help="policies to run, such as ucb,mars (default: all)")
    parser.add_argument(
        "--set", action="append", metavar="SETTING=CHOICE", help="a choice; the report lists them"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{_QUICK_RUNS} runs, only the tests; verdicts are provisional",
    )
    parser.add_argument(
        "--long", action="store_true", help="also 20,000 and 200,000 steps; takes minutes"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if a verdict differs from the record"
    )
    add_simulation_arguments(parser, out="lowbid-reproduce")


def run(arguments: argparse.Namespace) -> int:
    """Run the tests, write the report, and compare verdicts if requested."""
    from lowbid.experiments import Folder
    from lowbid.experiments.paper import differences, reproduce, tally

    folder, command = Folder(arguments.out), command_line("reproduce", arguments)
    try:
        judged = reproduce(_plan(arguments), folder, command, arguments.workers, arguments.resume)
    except KeyboardInterrupt:
        return stopped(folder, command)
    for each in judged:
        print(_line(each))
    print(f"\n{filled(tally(judged, provisional=arguments.quick), indent=0)}")
    print(f"The report is {folder.page_file}; figures and data are next to it.")
    differing = differences(judged) if arguments.strict else []
    for line in differing:
        print(f"lowbid: not as recorded: {line}", file=sys.stderr)
    return 1 if differing else 0


def _plan(arguments: argparse.Namespace) -> Plan:
    from lowbid.experiments.names import nearest, split
    from lowbid.experiments.paper import HORIZON, POLICIES, RUNS, TITLES, Plan, choose

    numbers = {test.removeprefix("test-"): test for test in TITLES}
    tests = [numbers[nearest("test", each, numbers)] for each in split(arguments.cases or "")]
    policies = [nearest("policy", each, POLICIES) for each in split(arguments.policies or "")]
    runs = _QUICK_RUNS if arguments.quick else RUNS
    return Plan(
        chosen=choose(arguments.set or []),
        horizon=HORIZON if arguments.horizon is None else arguments.horizon,
        runs=runs if arguments.runs is None else arguments.runs,
        seed=arguments.seed or 0,
        tests=tuple(dict.fromkeys(tests)) or tuple(TITLES),
        policies=policies or POLICIES,
        thorough=not arguments.quick,
        long=arguments.long,
        bounds=arguments.bounds,
    )


def _line(judged: Judged) -> str:
    """A verdict in lines that fit, its first words in colour."""
    verdict = judged.verdict
    mark = " (second pass)" if judged.second_pass else ""
    text = filled(f"{verdict:15} {judged.claim.place:11} {judged.claim.says}{mark}", indent=28)
    return coloured(verdict, _COLOURS.get(verdict, "yellow")) + text[len(verdict) :]

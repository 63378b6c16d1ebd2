"""Compare policies on arms of your own: a table, figures, a page and the data behind them.

Give an experiment file (lowbid init writes one), or arms and policies:

    --arms bernoulli:0.1,0.12,0.2
    --arms gaussian:0,0.5,sd=2
    --arms random-bernoulli:10
    --arms switching-bernoulli:0.5,0.7/0.7,0.3,after=3000
    --arms drifting-bernoulli:0.5,0.5,walk=0.01
    --policies "batch-ensemble:batches=log(0.3),growth=redistribute,ucb1"

--arms takes a family and its numbers, and may be given several times. With random- before the
family, each run draws that many new arms; with switching- or drifting- the arms change, and the
regret is dynamic. Policies are names, optionally with parameters.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lowbid.cli._arguments import add_simulation_arguments, command_line, named_path, stopped

if TYPE_CHECKING:
    from lowbid.experiments import Case

_DEFAULT_POLICIES = "batch-likelihood,batch-ensemble,ucb1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file", nargs="?", type=named_path, help="an experiment file, instead of arms and policies"
    )
    parser.add_argument("--arms", action="append", help="arms; may be given more than once")
    default = _DEFAULT_POLICIES.replace(",", ", ")
    parser.add_argument("--policies", help=f"default: {default}")
    add_simulation_arguments(parser, out="lowbid-compare")


def run(arguments: argparse.Namespace) -> int:
    """Run every case, and write the results."""
    from lowbid.experiments import Folder, compare

    title, cases = _cases(arguments)
    folder, command = Folder(arguments.out), command_line("compare", arguments)
    try:
        compare(
            title, cases, folder, command, arguments.workers, arguments.bounds, arguments.resume
        )
    except KeyboardInterrupt:
        return stopped(folder, command)
    print(f"The report is {folder.page_file}; figures and data are next to it.")
    return 0


def _cases(arguments: argparse.Namespace) -> tuple[str, list[Case]]:
    from lowbid.errors import InvalidValueError
    from lowbid.experiments import Case
    from lowbid.experiments.experiment_file import read_experiment
    from lowbid.experiments.names import arms_of_text, policies_of_text

    if arguments.file is not None:
        if arguments.arms or arguments.policies:
            raise InvalidValueError("give an experiment file, or --arms and --policies, not both.")
        return read_experiment(arguments.file, arguments.horizon, arguments.runs, arguments.seed)
    if not arguments.arms:
        raise InvalidValueError("give --arms, such as bernoulli:0.1,0.2, or an experiment file.")
    made = policies_of_text(arguments.policies or _DEFAULT_POLICIES)
    policies = {policy.name: policy for policy in made}
    horizon = 10_000 if arguments.horizon is None else arguments.horizon
    runs = 200 if arguments.runs is None else arguments.runs
    seed = arguments.seed or 0
    return "Comparison", [
        Case(f"case-{number}", text, arms_of_text(text), policies, horizon, runs, seed)
        for number, text in enumerate(arguments.arms, start=1)
    ]

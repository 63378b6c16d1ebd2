"""Compare policies on arms of your own: a table, figures and the data behind them.

Arms are a family and its numbers, and may be given several times:
  --arms bernoulli:0.1,0.12,0.2 --arms gaussian:0,0.5,sd=2 --arms random-bernoulli:10
Policies are names, with parameters if you like:
  --policies batch-ensemble:batches=log(0.3),growth=redistribute,ucb1
"""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--arms", action="append", required=True, help="the arms to play")
    parser.add_argument("--policies", default="batch-ensemble,ucb1", help="what to compare")
    parser.add_argument("--horizon", type=int, default=10_000, help="steps in a run")
    parser.add_argument("--runs", type=int, default=200, help="independent runs")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same result")
    parser.add_argument("--workers", type=int, default=None, help="threads; else one a core")
    parser.add_argument("--out", type=Path, default=Path("lowbid-compare"), help="a folder")


def run(arguments: argparse.Namespace) -> int:
    """Run every case, and write what came out."""
    from lowbid.experiments import Case, Experiment, Folder
    from lowbid.experiments import run as run_case
    from lowbid.experiments._names import arms_of_text, policies_of_text
    from lowbid.report import Chart, save_figure, styles

    policies = {policy.name: policy for policy in policies_of_text(arguments.policies)}
    cases = tuple(
        Case(f"case-{number}", text, arms_of_text(text), policies)
        for number, text in enumerate(arguments.arms, start=1)
    )
    experiment = Experiment("Comparison", cases, arguments.horizon, arguments.runs, arguments.seed)
    folder = Folder(arguments.out)
    for case in cases:
        result = run_case(case, experiment, folder, arguments.workers)
        chart = Chart(case.key, case.title, result)
        save_figure(chart, styles([chart]), folder.path / "figures")
        print(f"{case.title}: regret after {arguments.horizon} steps, {arguments.runs} runs")
        print(f"{result.summary()}\n")
    print(f"Figures and data are in {folder.path}.")
    return 0

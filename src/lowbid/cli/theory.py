"""Check the paper's lemmas, theorems and claims, and draw them.

Prints one line for each: whether it holds, in which range or where it fails, and how that was
found. Then writes a page with the pictures. It takes about a minute.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lowbid.cli._arguments import command_line, named_path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--out", type=named_path, default=Path("lowbid-theory"), help="a folder")
    parser.add_argument("--no-page", action="store_true", help="print the lines, but write no page")
    parser.add_argument("--quick", action="store_true", help="smaller ranges, fewer runs")


def run(arguments: argparse.Namespace) -> int:
    """Check everything, then draw it."""
    from lowbid.simulation import Progress
    from lowbid.theory.checks import CHECKS, QUICK, Budget, run_checks, tally

    budget = QUICK if arguments.quick else Budget()
    bar = Progress(len(CHECKS), "checking")
    findings = []
    for finding in run_checks(budget):
        findings.append(finding)
        bar.close()
        print(finding, flush=True)
        bar.show(len(findings))
    bar.close()
    print(f"\n{tally(findings)}")
    if not arguments.no_page:
        from lowbid.report import save_theory_page
        from lowbid.theory.evidence import gather

        command = command_line("theory", arguments)
        page = save_theory_page(findings, gather(budget), command, arguments.out / "theory.html")
        print(f"The page with the pictures is {page}.")
    return 0

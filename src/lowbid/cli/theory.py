"""Check the paper's lemmas, theorems and claims, and draw them.

Prints one line for each: whether it holds, in which range or where it fails, and how that was
found. Then writes a page with the pictures. It takes about a minute.
With --default it checks what is proved about the default policy instead, in some minutes, and
writes no page.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lowbid._terminal import coloured, filled
from lowbid.cli._arguments import command_line, named_path

if TYPE_CHECKING:
    from lowbid.theory.checks import Finding


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--out",
        type=named_path,
        default=Path("lowbid-theory"),
        help="output folder (default: lowbid-theory)",
    )
    parser.add_argument(
        "--no-page", action="store_true", help="print the results, but write no page"
    )
    parser.add_argument(
        "--default", action="store_true", help="check the proofs about the default policy instead"
    )
    parser.add_argument("--quick", action="store_true", help="smaller ranges, fewer runs")


def run(arguments: argparse.Namespace) -> int:
    """Check everything, then draw it."""
    from lowbid.simulation import Progress
    from lowbid.theory import default_rule
    from lowbid.theory.checks import CHECKS, QUICK, Budget, run_checks, tally

    budget = QUICK if arguments.quick else Budget()
    number, found = len(CHECKS), run_checks(budget)
    if arguments.default:
        number, found = len(default_rule.CHECKS), default_rule.run_default_checks(budget)
    bar = Progress(number, "checking")
    findings = []
    for finding in found:
        findings.append(finding)
        bar.close()
        print(_line(finding), flush=True)
        bar.show(len(findings))
    bar.close()
    if arguments.default:
        return 0
    print(f"\n{filled(tally(findings), indent=0)}")
    if not arguments.no_page:
        from lowbid.report import save_theory_page
        from lowbid.theory.evidence import gather

        command = command_line("theory", arguments)
        page = save_theory_page(findings, gather(budget), command, arguments.out / "theory.html")
        print(f"The page with the pictures is {page}.")
    return 0


def _line(finding: Finding) -> str:
    """A finding in lines that fit, its verdict in colour."""
    verdict, rest = str(finding).split(" ", 1)
    text = filled(f"{verdict} {rest}", indent=len(verdict) + 2)
    return coloured(verdict, "green" if finding.holds else "red") + text[len(verdict) :]

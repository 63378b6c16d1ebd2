"""The five tests of the Batch Ensemble paper, as an independent program plays them.

The paper shows figures but no numbers. The mean regrets in ``five_tests.csv`` come from
``benchmarks/reference/five_tests.c``, which shares no code and no random numbers with this library;
``python -m benchmarks.reference`` compiles and runs it, and rewrites the file.
"""

from __future__ import annotations

import csv
from importlib import resources

from lowbid import schedules
from lowbid.environments import paper_test
from lowbid.policies import (
    KLUCB,
    LBSDA,
    MARS,
    NPTS,
    RBSDA,
    UCB1,
    UCBV,
    BatchEnsemble,
    BetaThompson,
    ExponentialThompson,
    GaussianThompson,
    Policy,
    SemiBoundedIMED,
)
from lowbid.validation._cell import Cell

SOURCE = "reference program (benchmarks/reference), tests 1 to 5 of Cassel, Levy, Mansour (2025)"


def _kl_ucb(test: int, c: float) -> Policy:
    """KL-UCB for the family of a test."""
    if test == 4:
        return KLUCB.gaussian(c=c)
    return KLUCB.exponential(c=c) if test == 5 else KLUCB.bernoulli(c=c)


def _thompson(test: int) -> Policy:
    """Thompson sampling for the family of a test."""
    if test == 4:
        return GaussianThompson()
    return ExponentialThompson() if test == 5 else BetaThompson()


_POLICIES: dict[str, Policy] = {
    "ucb1": UCB1(),
    "ucb-v": UCBV(),
    "rb-sda": RBSDA(),
    "rb-sda-forced": RBSDA(True),
    "lb-sda-forced": LBSDA(True),
    "npts": NPTS(),
    "mars-1000": MARS(1000),
    "mars-2000": MARS(2000),
    "imed": SemiBoundedIMED(),
    "batch-1": BatchEnsemble(1),
    "batch-2": BatchEnsemble(2),
    "batch-3": BatchEnsemble(3),
    "batch-4": BatchEnsemble(4),
    "batch-log-0.3-redistribute": BatchEnsemble(schedules.Logarithmic(0.3), growth="redistribute"),
    "batch-log-0.3-append": BatchEnsemble(schedules.Logarithmic(0.3), growth="append"),
    "batch-log-1.0-redistribute": BatchEnsemble(schedules.Logarithmic(1.0), growth="redistribute"),
    "batch-log-1.0-append": BatchEnsemble(schedules.Logarithmic(1.0), growth="append"),
}


def policy_of(rule: str, test: int) -> Policy:
    """The library's policy for a rule of the reference program."""
    if rule == "thompson":
        return _thompson(test)
    if rule == "kl-ucb":
        return _kl_ucb(test, c=0.0)
    if rule == "kl-ucb-loglog":
        return _kl_ucb(test, c=3.0)
    return _POLICIES[rule]


def _cells() -> list[Cell]:
    """The lines of the table."""
    table = resources.files("lowbid.validation") / "five_tests.csv"
    cells = []
    for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines()):
        test, horizon = int(row["test"]), int(row["horizon"])
        cells.append(
            Cell(
                source=SOURCE,
                problem=f"test {test}, T = {horizon}",
                arms=paper_test(test),
                policy=policy_of(row["rule"], test),
                horizon=horizon,
                regret=float(row["regret"]),
                unit=0.001,
                error=float(row["error"]) / float(row["regret"]),
            )
        )
    return cells


CELLS = _cells()

"""The five tests of the Batch Ensemble paper, as an independent C program found them.

The paper shows figures, no numbers. These means were computed apart from this library, by a
program that shares no code with it: 2,000 or 20,000 steps, losses, ties broken at random, a
standard error of one to three per cent, and of four to six for ensembles in test 4, of which the
larger is taken.
"""

from __future__ import annotations

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

SOURCE = "independent C program, tests 1 to 5 of Cassel, Levy, Mansour (2025)"

Figures = dict[int, float]


def _cells(
    policies: Policy | dict[int, Policy],
    figures: Figures,
    horizon: int,
    unit: float | None = None,
) -> list[Cell]:
    """One cell for each test, of one policy or of one for each test."""
    cells = []
    for test, regret in figures.items():
        policy = policies if isinstance(policies, Policy) else policies[test]
        ensemble = isinstance(policy, BatchEnsemble)
        cells.append(
            Cell(
                source=SOURCE,
                problem=f"test {test}, T = {horizon}",
                arms=paper_test(test),
                policy=policy,
                horizon=horizon,
                regret=regret,
                unit=unit or (0.1 if regret < 100.0 else 1.0),
                error=0.06 if ensemble and test == 4 else 0.03,
            )
        )
    return cells


def _kl_ucb(c: float) -> dict[int, Policy]:
    """KL-UCB for the family of each test."""
    bernoulli = KLUCB.bernoulli(c=c)
    return {
        1: bernoulli,
        2: bernoulli,
        3: bernoulli,
        4: KLUCB.gaussian(c=c),
        5: KLUCB.exponential(c=c),
    }


def _batches(c: float, growth: str) -> BatchEnsemble:
    return BatchEnsemble(schedules.Logarithmic(c), growth=growth)  # type: ignore[arg-type]


_THOMPSON: dict[int, Policy] = {
    1: BetaThompson(),
    2: BetaThompson(),
    3: BetaThompson(),
    4: GaussianThompson(),
    5: ExponentialThompson(),
}

CELLS = [
    *_cells(UCB1(), {1: 127.0, 2: 78.0, 3: 186.0, 4: 182.0, 5: 189.0}, 2000),
    *_cells(UCBV(), {1: 164.0, 2: 72.3, 3: 275.0, 4: 359.0, 5: 331.0}, 2000),
    *_cells(_kl_ucb(0.0), {1: 4.9, 2: 51.8, 3: 43.0, 4: 182.0, 5: 15.9}, 2000),
    *_cells(_kl_ucb(3.0), {1: 6.1, 2: 60.4, 3: 60.8, 4: 259.0, 5: 22.2}, 2000),
    *_cells(RBSDA(), {1: 6.5, 2: 46.3, 3: 36.7, 4: 138.0, 5: 13.8}, 2000),
    *_cells(RBSDA(True), {1: 6.8, 2: 45.7, 3: 37.5, 4: 139.0, 5: 19.2}, 2000),
    *_cells(RBSDA(True), {1: 8.6, 3: 58.4, 4: 270.0, 5: 26.5}, 20_000),
    *_cells(LBSDA(True), {1: 7.7, 2: 47.7, 3: 40.6, 4: 147.0, 5: 20.1}, 2000),
    *_cells(NPTS(), {1: 6.7, 2: 47.9, 3: 41.1, 5: 27.1}, 2000),
    *_cells(MARS(1000), {1: 44.0, 2: 36.0, 3: 86.0, 4: 171.0, 5: 53.0}, 2000, unit=1.0),
    *_cells(MARS(2000), {1: 49.0, 2: 30.0, 3: 95.0, 4: 182.0, 5: 58.0}, 2000, unit=1.0),
    *_cells(_THOMPSON, {1: 6.2, 2: 47.4, 3: 32.9, 4: 148.0, 5: 15.1}, 2000),
    *_cells(SemiBoundedIMED(), {1: 7.4, 2: 42.9, 3: 38.0, 5: 21.8}, 2000),
    *_cells(_kl_ucb(0.0), {1: 8.6, 2: 196.0, 3: 77.0, 4: 450.0, 5: 26.6}, 20_000),
    *_cells(_THOMPSON, {1: 6.5, 2: 143.0, 3: 51.6, 4: 294.0, 5: 20.8}, 20_000),
    *_cells(BatchEnsemble(1), {1: 5.3, 2: 28.7, 3: 37.9, 4: 132.0, 5: 10.0}, 2000),
    *_cells(BatchEnsemble(2), {1: 11.1, 2: 40.2, 3: 28.9, 4: 107.0, 5: 16.8}, 2000),
    *_cells(BatchEnsemble(3), {1: 20.4, 2: 49.4, 3: 38.0, 4: 98.5, 5: 26.4}, 2000),
    *_cells(BatchEnsemble(4), {1: 30.3, 2: 56.0, 3: 50.6, 4: 109.0, 5: 37.4}, 2000),
    *_cells(_batches(0.3, "redistribute"), {1: 11.5, 2: 40.6, 3: 32.4, 4: 116.0, 5: 17.2}, 2000),
    *_cells(_batches(0.3, "append"), {1: 10.3, 2: 40.0, 3: 34.2, 4: 116.0, 5: 17.4}, 2000),
    *_cells(_batches(1.0, "redistribute"), {1: 73.0, 2: 66.0, 3: 109.0, 4: 168.0, 5: 77.0}, 2000),
    *_cells(_batches(1.0, "append"), {1: 57.0, 2: 65.0, 3: 94.0, 4: 147.0, 5: 71.0}, 2000),
]

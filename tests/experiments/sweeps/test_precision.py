import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import small
from lowbid.experiments.sweeps import CellStore, Precision, play_sweep, read_table
from lowbid.experiments.sweeps._precision import further_runs, window_of
from lowbid.simulation import estimate


def test_twice_as_exact_takes_four_times_the_runs():
    pilot = np.random.default_rng(0).gamma(2.0, size=(50, 1))
    few, many = (further_runs(pilot, Precision(within, 10**9)) for within in (0.1, 0.05))
    assert many == pytest.approx(4 * few, rel=0.01)
    needed = (1.959964 * pilot.std(ddof=1) / (0.1 * pilot.mean())) ** 2
    assert few == pytest.approx(2.0 * needed, rel=0.01)


def test_the_least_exact_step_decides():
    rng = np.random.default_rng(0)
    calm, wild = 10 + rng.random((50, 1)), rng.gamma(0.2, size=(50, 1))
    both = further_runs(np.hstack([calm, wild]), Precision(0.2, 10**9))
    assert both == further_runs(wild, Precision(0.2, 10**9)) > 50
    assert further_runs(calm, Precision(0.2, 10**9)) == 50


def test_limits():
    wild = np.random.default_rng(0).gamma(0.1, size=(30, 1))
    assert further_runs(wild, Precision(0.001, 500)) == 470
    assert further_runs(np.zeros((30, 1)), Precision(0.1, 500)) == 30
    assert further_runs(np.ones((30, 1)), Precision(0.1, 500)) == 30


def test_the_pilot_decides_and_is_left_out(tmp_path):
    """The mean of a table is that of the runs after the pilot, and of no others."""
    sweep = small(
        lowbid.UniformPlay(), environments=1, horizon=30, runs=20, precision=Precision(0.05, 400)
    )
    play_sweep(sweep, tmp_path, workers=1, say=lambda text: None)
    (row,) = read_table(sweep, CellStore(tmp_path))
    (cell,) = sweep.cells
    regret = CellStore(tmp_path).result(cell).regret[0, :, -1]
    assert row.figures.runs == len(regret) - 20 >= 20
    assert row.figures.mean == pytest.approx(regret[20:].mean(), rel=1e-12)
    assert window_of(20, 30) == (20, 50)


def test_intervals_cover_the_mean_as_often_as_those_of_a_fixed_number_of_runs():
    """Skewed regret, 400 trials: near 95%; stopping on the way would cover the mean less often."""
    rng, truth, covered = np.random.default_rng(1), 1.0, 0
    for _ in range(400):
        further = further_runs(rng.exponential(size=(20, 1)), Precision(0.2, 2_000))
        found = estimate(rng.exponential(size=further), at_least=0.0)
        covered += found.low <= truth <= found.high
    assert covered / 400 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)

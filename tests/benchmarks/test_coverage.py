import numpy as np
import pytest

from benchmarks import coverage, lift_coverage
from lowbid._compile import interpreted

TRIALS = 4000
STANDARD_ERROR = np.sqrt(0.95 * 0.05 / TRIALS)


def test_student_s_interval_covers_normal_data_and_ours_is_no_narrower():
    pool = np.random.default_rng(0).normal(3.0, 2.0, 10_000)
    found = coverage.coverage(pool, TRIALS, seed=0, sizes=(5, 20))
    assert abs(found.skewness) < 0.1
    for runs in (5, 20):
        assert found.student[runs] == pytest.approx(0.95, abs=4 * STANDARD_ERROR)
        assert found.ours[runs] >= found.student[runs]


def test_intervals_that_do_not_hold_are_noticed():
    """One run in twenty is bad: of five runs none is, most of the time, and all are equal."""
    pool = np.where(np.arange(1000) % 20 == 0, 500.0, 10.0)
    found = coverage.coverage(pool, TRIALS, seed=0, sizes=(5,))
    assert found.ours[5] < 0.3


def test_the_table_has_a_row_for_each_setting_and_the_means():
    row = coverage.Covered(
        1.5, dict.fromkeys(coverage.RUNS, 0.95), dict.fromkeys(coverage.RUNS, 0.9)
    )
    text = coverage.markdown("regret", {"a": row, "b": row}).splitlines()
    assert text[2].startswith("| a | 1.5 | 95 |")
    assert text[-2].startswith("| **mean** |  | 95 |")
    assert text[-1].startswith("| mean of Student's interval |  | 90 |")


def test_pools_hold_regret_and_its_difference_from_ucb1():
    ours, gap = coverage.pools("greedy, coins 0.4, 0.5", runs=4, seed=0)
    assert ours.shape == gap.shape == (4,)
    assert (ours >= 0).all()
    assert not np.array_equal(ours, gap)


def test_the_interval_of_the_lift_is_looked_at_in_every_run():
    with interpreted():
        found = lift_coverage.measure(lift_coverage.SETTINGS[3], visitors=40, runs=5, seed=1)
    assert not found.group_missed.any()
    assert (found.width > 0.0).all()
    assert (found.width < 2.0).all()

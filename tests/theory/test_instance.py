"""An environment as the theorems see it."""

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.theory import instances
from lowbid.theory._instance import instance_of


def test_gaps_variances_and_scales_are_those_of_the_suboptimal_arms():
    arms = lowbid.ScaledBernoulli(mean=[1.0, 0.5, 2.0], scale=[4.0, 1.0, 8.0])
    found = instance_of(arms)
    assert (found.n_arms, found.best, found.arms.tolist()) == (3, 0.5, [0, 2])
    assert found.gaps.tolist() == [0.5, 1.5]
    assert found.variances.tolist() == [3.0, 12.0]
    assert found.scales.tolist() == [4.0, 8.0]
    assert found.means.tolist() == [1.0, 2.0]


def test_one_mean_written_in_two_ways_is_no_gap():
    assert instance_of(lowbid.Bernoulli([0.3, 0.1 + 0.2])).arms.size == 0


def test_instances_are_the_arms_that_a_simulation_faces():
    drawn = lowbid.RandomArms(lowbid.Gaussian, n_arms=3, sd=2.0)
    means = drawn.means_of(drawn.table(seed=5, runs=4))
    found = instances(drawn, seed=5, runs=4)
    np.testing.assert_array_equal([arms.means for arms in found], means)
    assert all((arms.variances == 4.0).all() for arms in found)


@pytest.mark.parametrize("runs", [0, 1.5, None, 10**18])
def test_runs_are_a_number_that_fits(runs):
    with pytest.raises(InvalidValueError, match="runs is"):
        instances(lowbid.RandomArms(lowbid.Bernoulli, n_arms=3), runs=runs)

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 0), "n_arms is 0"),
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 3, high=2.0), "mean of arm 1 is 2"),
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 3, low=1.0, high=0.0), "finite low < high"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, variance=1.0), "no parameter 'variance'"),
        (lambda: lowbid.RandomArms("bernoulli", 3), "give a class"),
        (lambda: lowbid.RandomArms(lowbid.Empirical, 3), "cannot be drawn at random"),
        (lambda: lowbid.RandomArms(lowbid.Uniform, 3), "cannot be drawn at random"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, sd=[1, 2]), r"sd is \[1, 2\]"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, low="a"), "low is 'a'"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_arms_depend_on_seed_and_run_alone():
    arms = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4, low=0.2, high=0.6)
    few, many = arms.table(seed=3, runs=5), arms.table(seed=3, runs=50)
    assert np.array_equal(few, many[:5])
    assert not np.array_equal(few, arms.table(seed=4, runs=5))
    means = arms.means_of(arms.table(seed=3, runs=5000))
    assert 0.2 <= means.min() < means.max() < 0.6
    standard_error = 0.4 / np.sqrt(12 * means.size)
    assert abs(means.mean() - 0.4) < 4 * standard_error

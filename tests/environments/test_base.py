"""What all environments with given arms share."""

import numpy as np
import pytest

import lowbid
from lowbid.environments._base import column
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize("values", ["0.5", ["0.5"], 10**400, 1j, {}, [[1.0], [2.0, 3.0]], b"1"])
def test_what_is_not_a_list_of_numbers_is_refused(values):
    with pytest.raises(InvalidValueError, match=r"mean is .*; give a list of numbers"):
        column("mean", values)


def test_one_number_stands_for_all_arms():
    arms = lowbid.Gaussian([0.0, 1.0, 2.0], sd=3.0)
    assert arms.n_arms == 3
    assert arms.variances.tolist() == [9.0, 9.0, 9.0]
    assert arms.describe() == {
        "environment": "Gaussian",
        "mean": [0.0, 1.0, 2.0],
        "sd": [3.0, 3.0, 3.0],
    }
    assert repr(arms) == "Gaussian(mean=[0., 1., 2.], sd=[3., 3., 3.])"


def test_arms_are_a_copy_of_what_was_given():
    means = np.array([0.1, 0.2])
    arms = lowbid.Bernoulli(means)
    means[0] = 0.9
    assert arms.means.tolist() == [0.1, 0.2]

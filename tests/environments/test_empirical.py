import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Empirical([]), "at least one arm"),
        (lambda: lowbid.Empirical([[1.0], []]), r"data of arm 1 is \[\]; an environment needs"),
        (lambda: lowbid.Empirical([[1e308, 1e308]]), "mean is infinite; give smaller ones"),
        (lambda: lowbid.Empirical(5), "give one list of losses"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_moments_are_those_of_the_data():
    data = [[1.0, 2.0, 4.0], [0.0, 6.0, 6.0, 8.0, -1.0]]
    arms = lowbid.Empirical(data)
    assert arms.means == pytest.approx([np.mean(losses) for losses in data])
    assert arms.variances == pytest.approx([np.var(losses) for losses in data])

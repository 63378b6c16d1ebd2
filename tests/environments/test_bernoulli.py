import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Bernoulli([0.5, 1.5]), r"mean of arm 1 is 1\.5; give means from 0 to 1"),
        (lambda: lowbid.Bernoulli([-0.1]), r"mean of arm 0 is -0\.1"),
        (lambda: lowbid.Bernoulli([]), r"mean is \[\]; an environment needs at least one arm"),
        (lambda: lowbid.Bernoulli([0.1, np.nan]), "mean contains nan"),
        (lambda: lowbid.Bernoulli([[0.1]]), "2 dimensions"),
        (lambda: lowbid.Bernoulli("half"), "give a list of numbers"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

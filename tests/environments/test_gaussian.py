import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Gaussian([0.0, 1.0], [1.0, 2.0, 3.0]), "mean has 2, sd has 3"),
        (lambda: lowbid.Gaussian([0.0], [-1.0]), "sd of arm 0 is -1"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: lowbid.ScaledBernoulli([0.5], [0.4]),
            "no smaller than the mean",
        ),
        (lambda: lowbid.ScaledBernoulli([0.5], [-1.0]), "positive scale"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

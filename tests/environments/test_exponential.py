import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.ExponentialByMean([0.0]), "positive mean"),
        (lambda: lowbid.ExponentialByRate([-1.0]), "positive rate"),
        (lambda: lowbid.ExponentialByRate([1e-320]), "mean or variance of arm 0 is too large"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_the_two_readings_of_an_exponential_differ():
    assert lowbid.ExponentialByMean([4.0]).means == 4.0
    assert lowbid.ExponentialByRate([4.0]).means == 0.25

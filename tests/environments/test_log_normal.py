import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.LogNormal([0.0]), "mean of arm 0 is 0; give a positive mean"),
        (lambda: lowbid.LogNormal([1.0], [1e3]), "variance of arm 0 is too large"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

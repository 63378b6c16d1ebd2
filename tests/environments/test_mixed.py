import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Mixed([]), "at least one part"),
        (
            lambda: lowbid.Mixed([lowbid.RandomArms(lowbid.Bernoulli, 2)]),
            "arms drawn at random",
        ),
        (lambda: lowbid.Mixed(lowbid.Bernoulli([0.5])), "give a list of environments"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

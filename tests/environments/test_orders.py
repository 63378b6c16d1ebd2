import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Orders([1.5]), "rate of arm 0 is 1.5; give a probability"),
        (lambda: lowbid.Orders([0.1], size=-1.0), "size of arm 0 is -1; give a positive"),
        (lambda: lowbid.Orders([0.1], refunds=2.0), "refunds of arm 0 is 2; give a probability"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_refunds_cost_what_orders_bring():
    arms = lowbid.Orders([0.5, 0.5, 0.5], size=8.0, refunds=[0.0, 0.25, 1.0])
    assert arms.means == pytest.approx([4.0, 2.0, -4.0])

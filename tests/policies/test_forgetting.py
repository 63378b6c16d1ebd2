import math

import pytest

from lowbid.errors import InvalidValueError
from lowbid.policies import tuned_discount, tuned_window


def test_the_paper_s_tuning():
    """The figures that the authors of SW-LB-SDA print for T = 10,000 and 3 changes."""
    assert tuned_window(10_000, 3) == int(350.4347846504621)
    assert 1 / (1 - tuned_discount(10_000, 3)) == pytest.approx(230.9401076758492)
    assert tuned_window(10_000, 3, scale=3.0) == int(1051.3043539513865)
    assert 1 / (1 - tuned_discount(10_000, 3, scale=3.0)) == pytest.approx(692.8203230275653)


@pytest.mark.parametrize(
    ("horizon", "changes", "scale"),
    [(1, 1, 1.0), (100, 0, 1.0), (100, 101, 1.0), (100, 1, 0.0), (100, 1, math.nan), ("1", 1, 1)],
)
def test_refuses_what_cannot_be(horizon, changes, scale):
    for tuned in (tuned_window, tuned_discount):
        with pytest.raises(InvalidValueError):
            tuned(horizon, changes, scale)


def test_refuses_a_discount_below_0():
    with pytest.raises(InvalidValueError, match="scale is"):
        tuned_discount(100, 50, scale=0.01)

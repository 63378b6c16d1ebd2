import pytest

import lowbid
from forgetting import NOISY, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(
    ("discount", "xi", "scale"), [(0.95, 0.6, 1.0), (0.8, 2.0, 0.3), (1.0, 0.6, 1.0)]
)
def test_follows_the_naive_index(discount, xi, scale):
    policy = lowbid.DiscountedUCB(discount, xi=xi, scale=scale)
    for moment in follow(policy, NOISY, horizon=350):
        indices = forgetting.discounted_ucb(moment.history, discount, xi, scale, 3)
        assert_lowest(moment.arm, indices)

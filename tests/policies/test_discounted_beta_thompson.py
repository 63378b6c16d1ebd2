import pytest

import lowbid
from forgetting import SWITCHING, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(
    ("discount", "bad", "good"), [(0.95, 1.0, 1.0), (0.6, 0.5, 2.0), (1.0, 1.0, 1.0)]
)
def test_draws_from_the_discounted_posterior(discount, bad, good):
    policy = lowbid.DiscountedBetaThompson(discount, prior_bad=bad, prior_good=good)
    for moment in follow(policy, SWITCHING, horizon=300):
        found = forgetting.weighted(moment.history, discount, 3)
        assert_lowest(moment.arm, forgetting.beta_draws(found, bad, good, moment.stream))

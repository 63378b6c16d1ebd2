import pytest

import lowbid
from forgetting import NOISY, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(("discount", "sd"), [(0.95, 1.0), (0.6, 0.2), (1.0, 1.0)])
def test_draws_from_the_discounted_posterior(discount, sd):
    policy = lowbid.DiscountedGaussianThompson(discount, sd=sd)
    for moment in follow(policy, NOISY, horizon=300):
        found = forgetting.weighted(moment.history, discount, 3)
        assert_lowest(moment.arm, forgetting.gaussian_draws(found, sd, moment.stream))

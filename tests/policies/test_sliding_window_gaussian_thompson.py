import pytest

import lowbid
from forgetting import NOISY, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(("window", "sd"), [(40, 1.0), (9, 0.2)])
def test_draws_from_the_posterior_of_the_last_losses(window, sd):
    policy = lowbid.SlidingWindowGaussianThompson(window, sd=sd)
    for moment in follow(policy, NOISY, horizon=300):
        losses = forgetting.in_window(moment.history, window, 3)
        found = [(len(each), sum(each)) for each in losses]
        assert_lowest(moment.arm, forgetting.gaussian_draws(found, sd, moment.stream))

import pytest

import lowbid
from forgetting import NOISY, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(("window", "xi", "scale"), [(50, 0.6, 1.0), (7, 2.0, 0.3), (999, 0.6, 1)])
def test_follows_the_naive_index(window, xi, scale):
    policy = lowbid.SlidingWindowUCB(window, xi=xi, scale=scale)
    for moment in follow(policy, NOISY, horizon=350):
        indices = forgetting.sliding_window_ucb(moment.history, moment.step, window, xi, scale, 3)
        assert_lowest(moment.arm, indices)

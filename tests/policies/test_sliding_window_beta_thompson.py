import pytest

import lowbid
from forgetting import SWITCHING, assert_lowest, follow
from naive import forgetting


@pytest.mark.parametrize(("window", "bad", "good"), [(40, 1.0, 1.0), (9, 0.5, 2.0)])
def test_draws_from_the_posterior_of_the_last_losses(window, bad, good):
    policy = lowbid.SlidingWindowBetaThompson(window, prior_bad=bad, prior_good=good)
    for moment in follow(policy, SWITCHING, horizon=300):
        losses = forgetting.in_window(moment.history, window, 3)
        found = [(len(each), sum(each)) for each in losses]
        assert_lowest(moment.arm, forgetting.beta_draws(found, bad, good, moment.stream))


def test_a_loss_between_0_and_1_is_a_coin():
    bandit = lowbid.Bandit(1, lowbid.SlidingWindowBetaThompson(window=5000), seed=0)
    for _ in range(10_000):
        bandit.update(0, loss=0.3)
    flips = bandit.state.window.sums[0]
    assert flips == int(flips)
    assert abs(flips / 5000 - 0.3) < 4 * (0.3 * 0.7 / 5000) ** 0.5

import pytest

import lowbid
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("options", [{}, {"zeta": 1.2, "c": 0.5, "scale": 2.0}])
def test_follows_the_naive_index(options):
    arms = lowbid.Beta([0.5, 1.0, 3.0], [4.0, 1.0, 2.0])
    for moment in replay(lowbid.UCBV(**options), arms, horizon=400, seed=3):
        assert moment.arm in lowest_arms(index.ucb_v(moment.losses, moment.step, **options))


def test_constant_losses_have_no_variance():
    bandit = lowbid.Bandit(2, lowbid.UCBV(), seed=0)
    for _ in range(1000):
        arm = bandit.select()
        bandit.update(arm, loss=[0.1, 0.3][arm])
    assert (bandit.state.moments.deviations < 1e-20).all()

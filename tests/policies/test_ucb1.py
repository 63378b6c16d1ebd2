import pytest

import lowbid
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_follows_the_naive_index(scale):
    arms = lowbid.Bernoulli([0.2, 0.3, 0.4, 0.6])
    for moment in replay(lowbid.UCB1(scale=scale), arms, horizon=400, seed=3):
        assert moment.arm in lowest_arms(index.ucb1(moment.losses, moment.step, scale))

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("options", [{}, {"scale": 2.0}])
def test_follows_the_naive_index(options):
    arms = lowbid.Bernoulli([0.1, 0.3, 0.35, 0.8])
    for moment in replay(lowbid.MOSS(**options), arms, horizon=300, seed=3):
        assert moment.arm in lowest_arms(index.moss(moment.losses, 300, **options))


def test_its_own_horizon_comes_before_the_simulations():
    arms = lowbid.Bernoulli([0.3, 0.4])
    policies = {"own": lowbid.MOSS(horizon=10_000), "given": lowbid.MOSS()}
    result = lowbid.simulate(policies, arms, horizon=200, runs=20, seed=0)
    assert not np.array_equal(result.pulls[0], result.pulls[1])


def test_asks_for_a_horizon():
    with pytest.raises(InvalidValueError, match="MOSS needs to know the horizon: give it horizon"):
        lowbid.Bandit(2, lowbid.MOSS())

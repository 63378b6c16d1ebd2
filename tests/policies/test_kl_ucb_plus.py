import math

import pytest

import lowbid
from naive import families, index
from replay import lowest_arms, replay


@pytest.mark.parametrize("name", ["bernoulli", "exponential", "poisson"])
def test_follows_the_naive_index(name):
    arms = lowbid.Bernoulli([0.1, 0.15, 0.3, 0.9])
    policy = getattr(lowbid.KLUCBPlus, name)()
    for moment in replay(policy, arms, horizon=300, seed=5):
        step = moment.step
        indices = index.kl_ucb(
            moment.losses, getattr(families, name), lambda n, step=step: math.log(step / n)
        )
        assert moment.arm in lowest_arms(indices)

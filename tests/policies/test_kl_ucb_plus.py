import math

import pytest

import lowbid
from naive import families, index
from replay import lowest_arms, replay

COINS = lowbid.Bernoulli([0.1, 0.15, 0.3, 0.9])


@pytest.mark.parametrize("name", ["bernoulli", "exponential", "poisson"])
def test_follows_the_naive_index(name):
    policy = getattr(lowbid.KLUCBPlus, name)()
    for moment in replay(policy, COINS, horizon=300, seed=5):
        step = moment.step
        indices = index.kl_ucb(
            moment.losses, getattr(families, name), lambda n, step=step: math.log(step / n)
        )
        assert moment.arm in lowest_arms(indices)


def test_follows_the_naive_index_of_gaussian_losses():
    arms = lowbid.Gaussian([-0.2, 0.0, 0.5], sd=0.5)
    for moment in replay(lowbid.KLUCBPlus.gaussian(sd=0.5), arms, horizon=300, seed=5):
        step = moment.step
        indices = index.gaussian_kl_ucb(moment.losses, 0.5, lambda n, step=step: math.log(step / n))
        assert moment.arm in lowest_arms(indices)

import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive import families, index
from naive.index import log_plus
from replay import lowest_arms, replay

COINS = lowbid.Bernoulli([0.1, 0.15, 0.3, 0.9])


def g(n: int) -> float:
    """With 300 steps and 4 arms."""
    y = 300 / (4 * n)
    return log_plus(y * (1 + log_plus(y) ** 2))


@pytest.mark.parametrize("name", ["bernoulli", "exponential", "poisson"])
def test_follows_the_naive_index(name):
    policy = getattr(lowbid.KLUCBPlusPlus, name)()
    for moment in replay(policy, COINS, horizon=300, seed=5):
        indices = index.kl_ucb(moment.losses, getattr(families, name), g)
        assert moment.arm in lowest_arms(indices)


def test_follows_the_naive_index_of_gaussian_losses():
    arms = lowbid.Gaussian([-0.2, 0.0, 0.1, 0.5], sd=0.5)
    for moment in replay(lowbid.KLUCBPlusPlus.gaussian(sd=0.5), arms, horizon=300, seed=5):
        assert moment.arm in lowest_arms(index.gaussian_kl_ucb(moment.losses, 0.5, g))


def test_asks_for_a_horizon():
    with pytest.raises(InvalidValueError, match=r"KLUCBPlusPlus\.bernoulli needs to know the"):
        lowbid.Bandit(2, lowbid.KLUCBPlusPlus.bernoulli())

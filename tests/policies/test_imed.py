import numpy as np
import pytest

import lowbid
from naive import families, index
from replay import lowest_arms, replay

ARMS = {
    "bernoulli": lowbid.Bernoulli([0.05, 0.1, 0.15, 0.9]),
    "exponential": lowbid.ExponentialByMean([0.5, 0.7, 2.0]),
    "gaussian": lowbid.Gaussian([-0.2, 0.0, 0.5], sd=1.0),
    "poisson": lowbid.Bernoulli([0.1, 0.2, 0.4]),
}
DIVERGENCES = {
    "bernoulli": families.bernoulli,
    "exponential": families.exponential,
    "gaussian": families.gaussian(1.0),
    "poisson": families.poisson,
}


@pytest.mark.parametrize("name", ARMS)
def test_follows_the_naive_index(name):
    policy = getattr(lowbid.IMED, name)()
    for moment in replay(policy, ARMS[name], horizon=300, seed=5):
        indices = index.imed(moment.losses, DIVERGENCES[name])
        assert moment.arm in lowest_arms(indices)
        assert (moment.bandit.state.tangents.indices <= np.array(indices) + 1e-9).all()


def test_follows_the_naive_index_if_the_variance_is_not_known():
    arms = lowbid.Gaussian([-0.2, 0.0, 0.5], sd=[0.5, 1.0, 0.1])
    for moment in replay(lowbid.IMED.gaussian_unknown_variance(), arms, horizon=300, seed=5):
        assert moment.arm in lowest_arms(index.imed_unknown_variance(moment.losses))


def test_works_out_few_indices():
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 50))
    worked_out = 0
    for moment in replay(lowbid.IMED.bernoulli(), arms, horizon=1000, seed=1):
        tangents = moment.bandit.state.tangents
        if moment.step > 100:
            best = moment.bandit.state.moments.means.min()
            worked_out += int((tangents.points == best).sum())
    assert worked_out < 900 * 25

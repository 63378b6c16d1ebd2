import math

import numpy as np

import lowbid
from naive.index import each, mean
from replay import lowest_arms, replay


def test_follows_the_naive_index():
    policy = lowbid.ACB(beta=0.7, members=5, prior=2.0)
    for moment in replay(policy, lowbid.Bernoulli([0.2, 0.3, 0.6]), horizon=300, seed=1):
        noise = moment.bandit.state.noise
        largest = dict(zip(map(id, moment.losses), abs(noise).max(axis=1), strict=True))
        indices = each(
            moment.losses, lambda x, w=largest: mean(x) - 0.7 * w[id(x)] / (len(x) + 2.0)
        )
        assert moment.arm in lowest_arms(indices)


def test_noise_has_the_variance_of_the_losses_and_the_prior():
    bandit = lowbid.Bandit(1, lowbid.ACB(members=4000, prior=3.0), seed=0)
    for _ in range(10):
        bandit.update(0, loss=0.5)
    assert (bandit.state.noise != 0.0).all(), "every member has noise"
    z = bandit.state.noise[0] / math.sqrt(10 + 3.0)
    assert abs(np.mean(z)) < 4 / math.sqrt(4000)
    assert abs(np.var(z) - 1.0) < 4 * math.sqrt(2 / 4000)

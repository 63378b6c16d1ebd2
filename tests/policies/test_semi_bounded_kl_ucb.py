import math

import pytest

import lowbid
from naive.families import kinf, lowest_mean
from naive.index import each, mean
from replay import lowest_arms, replay

ARMS = [
    lowbid.Bernoulli([0.1, 0.15, 0.5]),
    lowbid.ExponentialByMean([0.3, 0.5, 2.0]),
]


@pytest.mark.parametrize("c", [0.0, 3.0])
@pytest.mark.parametrize("arms", ARMS, ids=repr)
def test_indices_solve_their_equation(arms, c):
    """The naive index takes too long for every step: some are enough."""
    policy = lowbid.SemiBoundedKLUCB(c=c)
    for moment in replay(policy, arms, horizon=150, seed=4):
        if moment.step % 47 != 0:
            continue
        log = math.log(moment.step)
        f = log + c * math.log(max(log, 1.0))

        def index(x, f=f):
            return lowest_mean(lambda m, q: kinf(x, q), mean(x), f / len(x), 0.0, steps=45)

        assert moment.arm in lowest_arms(each(moment.losses, index))


def test_is_kl_ucb_for_bernoulli_losses():
    arms = lowbid.Bernoulli([0.1, 0.2, 0.5])
    policies = [lowbid.SemiBoundedKLUCB(), lowbid.KLUCB.bernoulli()]
    regret = lowbid.simulate(policies, arms, horizon=500, runs=400, seed=0).regret[:, :, -1]
    difference = regret[0] - regret[1]
    assert abs(difference.mean()) < 4 * difference.std() / math.sqrt(400) + 1e-9

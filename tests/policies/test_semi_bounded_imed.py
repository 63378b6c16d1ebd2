import math

import pytest

import lowbid
from naive.families import kinf
from naive.index import mean
from replay import lowest_arms, replay

ARMS = [
    lowbid.Bernoulli([0.1, 0.15, 0.5]),
    lowbid.ExponentialByMean([0.3, 0.5, 2.0]),
    lowbid.Empirical([[0.0, 0.1, 0.7], [0.2, 0.3], [0.0, 1.0, 5.0]]),
]


def naive_indices(losses):
    if not all(losses):
        return [math.log(len(x)) if x else -math.inf for x in losses]
    best = min(mean(x) for x in losses)
    return [len(x) * (kinf(x, best) if mean(x) > best else 0.0) + math.log(len(x)) for x in losses]


@pytest.mark.parametrize("arms", ARMS, ids=repr)
def test_follows_the_naive_index(arms):
    for moment in replay(lowbid.SemiBoundedIMED(), arms, horizon=120, seed=4):
        assert moment.arm in lowest_arms(naive_indices(moment.losses))


def test_losses_are_measured_from_the_lowest_possible_one():
    arms = lowbid.Empirical([[0.0, 0.25, 0.75], [0.25, 0.5], [0.0, 1.0, 2.0]])
    below = lowbid.Empirical([[-2.0, -1.75, -1.25], [-1.75, -1.5], [-2.0, -1.0, 0.0]])
    policy, shifted = lowbid.SemiBoundedIMED(), lowbid.SemiBoundedIMED(lowest=-2.0)
    theirs = lowbid.simulate(shifted, below, horizon=200, runs=200, seed=0).regret[0, :, -1]
    regret = lowbid.simulate(policy, arms, horizon=200, runs=200, seed=0).regret[0, :, -1]
    error = math.hypot(theirs.std(), regret.std()) / math.sqrt(200)
    assert abs(theirs.mean() - regret.mean()) < 4 * error


def test_refuses_losses_below_the_lowest():
    bandit = lowbid.Bandit(2, lowbid.SemiBoundedIMED())
    with pytest.raises(ValueError, match="takes losses of 0 or more"):
        bandit.update(0, loss=-0.1)

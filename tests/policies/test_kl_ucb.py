import math

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive import families, index
from replay import lowest_arms, replay

ARMS = {
    "bernoulli": lowbid.Bernoulli([0.02, 0.1, 0.15, 0.9]),
    "exponential": lowbid.ExponentialByMean([0.5, 0.7, 2.0]),
    "gaussian": lowbid.Gaussian([-0.2, 0.0, 0.5], sd=0.5),
    "gaussian_unknown_variance": lowbid.Gaussian([-0.2, 0.0, 0.5], sd=[0.5, 1.0, 0.1]),
    "poisson": lowbid.Bernoulli([0.1, 0.2, 0.4]),
}


def naive_indices(name, losses, step, c):
    log = math.log(step)
    f = log + c * math.log(max(log, 1.0))
    if name == "gaussian":
        return index.each(losses, lambda x: index.mean(x) - 0.5 * math.sqrt(2 * f / len(x)))
    if name == "gaussian_unknown_variance":
        return index.each(
            losses,
            lambda x: (
                index.mean(x) - math.sqrt(index.variance(x) * (math.exp(2 * f / (len(x) - 2)) - 1))
            ),
            first=3,
        )
    divergence = getattr(families, name)
    return index.each(
        losses, lambda x: families.lowest_mean(divergence, index.mean(x), f / len(x), 0.0)
    )


def make(name, c):
    options = {"sd": 0.5} if name == "gaussian" else {}
    return getattr(lowbid.KLUCB, name)(c=c, **options)


@pytest.mark.parametrize("c", [0.0, 3.0])
@pytest.mark.parametrize("name", ARMS)
def test_follows_the_naive_index(name, c):
    for moment in replay(make(name, c), ARMS[name], horizon=300, seed=5):
        assert moment.arm in lowest_arms(naive_indices(name, moment.losses, moment.step, c))


def test_many_arms_that_look_alike_are_all_worked_out():
    """After one play of each, thirty coins have two indices: far more are tied than looked for."""
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 30))
    for moment in replay(make("bernoulli", 0.0), arms, horizon=150, seed=3):
        exact = naive_indices("bernoulli", moment.losses, moment.step, 0.0)
        tied = lowest_arms(exact)
        assert moment.arm in tied
        if moment.step > 30:
            known = moment.bandit.state.tangents.indices
            assert known[sorted(tied)] == pytest.approx(np.array(exact)[sorted(tied)], abs=1e-9)


def test_lazy_bounds_lie_below_the_indices():
    for moment in replay(make("bernoulli", 0.0), ARMS["bernoulli"], horizon=300, seed=1):
        exact = naive_indices("bernoulli", moment.losses, moment.step, 0.0)
        known = moment.bandit.state.tangents.indices
        assert (known <= np.array(exact) + 1e-9).all()


def test_gaussian_with_c_0_is_ucb1():
    arms = lowbid.Gaussian([0.0, 0.1, 0.5])
    policies = [lowbid.KLUCB.gaussian(sd=0.7), lowbid.UCB1(scale=0.7)]
    result = lowbid.simulate(policies, arms, horizon=500, runs=20, seed=0)
    assert np.array_equal(result.pulls[0], result.pulls[1])


def test_ties_are_seen_as_ties():
    # Both arms always lose: their indices are equal whenever their counts are.
    arms = lowbid.Deterministic([1.0, 1.0])
    result = lowbid.simulate(lowbid.KLUCB.bernoulli(), arms, horizon=1, runs=400, seed=0)
    assert abs(result.pulls[0, :, 0].mean() - 0.5) < 4 * 0.5 / math.sqrt(400)


def test_names_state_the_family():
    assert lowbid.KLUCB.bernoulli().name == "KLUCB.bernoulli"
    assert lowbid.KLUCB.gaussian(sd=2.0, c=3.0).name == "KLUCB.gaussian(sd=2.0, c=3.0)"


def test_refuses_a_negative_c():
    with pytest.raises(InvalidValueError, match="c is -1"):
        lowbid.KLUCB.bernoulli(c=-1)

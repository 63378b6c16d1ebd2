import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive.rules import makes_the_same_choices, successive_elimination


@pytest.mark.parametrize(("delta", "scale"), [(0.05, 1.0), (0.5, 0.3)])
def test_follows_the_naive_rule(delta, scale):
    arms = lowbid.Bernoulli([0.1, 0.3, 0.6, 0.9])
    policy = lowbid.SuccessiveElimination(delta, scale)
    makes_the_same_choices(policy, arms, successive_elimination(delta, scale), horizon=600)


def test_bad_arms_go_and_the_best_one_stays():
    arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    result = lowbid.simulate(lowbid.SuccessiveElimination(), arms, horizon=3000, runs=200, seed=0)
    assert (result.pulls[0, :, 0] > 2000).mean() >= 0.95


@pytest.mark.parametrize("delta", [0.0, 1.0, None])
def test_refuses_what_is_no_probability(delta):
    with pytest.raises(InvalidValueError, match="give a probability between 0 and 1"):
        lowbid.SuccessiveElimination(delta)

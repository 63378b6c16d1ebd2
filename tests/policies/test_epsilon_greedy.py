import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive.rules import epsilon_greedy, makes_the_same_choices


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_follows_the_naive_rule(epsilon):
    arms = lowbid.Bernoulli([0.2, 0.3, 0.6])
    policy = lowbid.EpsilonGreedy(epsilon)
    makes_the_same_choices(policy, arms, epsilon_greedy(lambda step: epsilon))


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, "often"])
def test_refuses_what_is_no_probability(epsilon):
    with pytest.raises(InvalidValueError, match="give a probability from 0 to 1"):
        lowbid.EpsilonGreedy(epsilon)

import pytest

import lowbid
from naive.rules import epsilon_greedy, makes_the_same_choices


def test_follows_the_naive_rule():
    arms = lowbid.Bernoulli([0.2, 0.3, 0.6])
    policy = lowbid.DecreasingEpsilonGreedy(c=2.0, gap=0.3)
    rate = 2.0 * 3 / 0.3**2
    makes_the_same_choices(policy, arms, epsilon_greedy(lambda step: min(1.0, rate / step)))


@pytest.mark.parametrize("options", [{"c": 0.0}, {"gap": 0.0}])
def test_refuses_nonsense(options):
    with pytest.raises(ValueError, match="finite number above 0"):
        lowbid.DecreasingEpsilonGreedy(**options)

import pytest

import lowbid
from naive.rules import KL_MAILLARD, makes_the_same_choices


@pytest.mark.parametrize("name", KL_MAILLARD)
def test_follows_the_naive_rule(name):
    policy = getattr(lowbid.KLMaillard, name)()
    arms = lowbid.Beta([1.0, 1.5, 4.0], [4.0, 4.0, 1.0])
    makes_the_same_choices(policy, arms, KL_MAILLARD[name])


def test_an_arm_without_losses_shuts_the_others_out():
    bandit = lowbid.Bandit(2, lowbid.KLMaillard.bernoulli(), seed=0)
    bandit.update(0, loss=0.0)
    bandit.update(1, loss=1.0)
    assert {bandit.select() for _ in range(20)} == {0}

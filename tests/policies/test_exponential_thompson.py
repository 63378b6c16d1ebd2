import lowbid
from naive.rules import exponential_thompson, makes_the_same_choices


def test_follows_the_naive_rule():
    arms = lowbid.ExponentialByMean([0.5, 0.7, 2.0])
    makes_the_same_choices(lowbid.ExponentialThompson(), arms, exponential_thompson)


def test_losses_of_0_draw_0():
    bandit = lowbid.Bandit(2, lowbid.ExponentialThompson(), seed=0)
    bandit.update(0, loss=0.0)
    bandit.update(1, loss=1.0)
    assert {bandit.select() for _ in range(20)} == {0}

import pytest

import lowbid
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("options", [{}, {"alpha": 2.0}])
def test_follows_the_naive_index(options):
    arms = lowbid.Bernoulli([0.1, 0.3, 0.35, 0.8])
    for moment in replay(lowbid.AnytimeMOSS(**options), arms, horizon=300, seed=3):
        assert moment.arm in lowest_arms(index.anytime_moss(moment.losses, moment.step, **options))


def test_counts_the_arms_that_there_are():
    bandit = lowbid.Bandit(2, lowbid.AnytimeMOSS(), seed=0)
    for arm in (0, 1, 1):
        bandit.update(arm, loss=0.5)
    bandit.add_arm("new")
    bandit.update("new", loss=0.5)
    # log+(5 / (3 n)) is above 0 for arms with one loss only, 0 and "new".
    assert {bandit.select() for _ in range(50)} == {0, "new"}

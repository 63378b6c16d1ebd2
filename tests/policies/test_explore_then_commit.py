import pytest

import lowbid
from lowbid.errors import InvalidValueError
from naive.rules import explore_then_commit, makes_the_same_choices


@pytest.mark.parametrize("plays", [1, 10, 1000])
def test_follows_the_naive_rule(plays):
    arms = lowbid.Bernoulli([0.2, 0.3, 0.6])
    makes_the_same_choices(lowbid.ExploreThenCommit(plays), arms, explore_then_commit(plays))


def test_the_number_of_plays_follows_from_the_horizon():
    # (1000 / 4)^(2/3) (log 1000)^(1/3) = 39.685 x 1.9045
    assert lowbid.ExploreThenCommit().parameters(4, 1000, 1000).plays == 76
    assert lowbid.ExploreThenCommit(horizon=1).parameters(4, None, 1).plays == 1


def test_asks_for_a_horizon():
    with pytest.raises(InvalidValueError, match="ExploreThenCommit needs to know the horizon"):
        lowbid.Bandit(2, lowbid.ExploreThenCommit())

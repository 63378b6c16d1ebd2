import math

import pytest

import lowbid
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("options", [{}, {"scale": 2.0}])
def test_follows_the_naive_index(options):
    arms = lowbid.Bernoulli([0.1, 0.3, 0.35, 0.8])
    for moment in replay(lowbid.UCBTuned(**options), arms, horizon=300, seed=3):
        assert moment.arm in lowest_arms(index.ucb_tuned(moment.losses, moment.step, **options))


def test_small_variances_count_in_the_unit_of_the_scale():
    """Two arms alike and hundreds of plays of each, until the bound of 1/4 no longer holds."""
    arms = lowbid.Empirical([[0.4, 0.5, 0.6, 0.5], [0.3, 0.7, 0.5, 0.5]])
    for moment in replay(lowbid.UCBTuned(scale=0.5), arms, horizon=700, seed=3):
        indices = index.ucb_tuned(moment.losses, moment.step, scale=0.5)
        assert moment.arm in lowest_arms(indices)
    first = moment.losses[0]
    bound = index.variance(first) / 0.25 + math.sqrt(2 * math.log(700) / len(first))
    assert bound < 0.25, "the variance matters"

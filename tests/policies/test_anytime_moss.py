import pytest

import lowbid
from naive import index
from replay import lowest_arms, replay


@pytest.mark.parametrize("options", [{}, {"alpha": 2.0}])
def test_follows_the_naive_index(options):
    arms = lowbid.Bernoulli([0.1, 0.3, 0.35, 0.8])
    for moment in replay(lowbid.AnytimeMOSS(**options), arms, horizon=300, seed=3):
        assert moment.arm in lowest_arms(index.anytime_moss(moment.losses, moment.step, **options))

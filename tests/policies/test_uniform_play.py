import math

import lowbid


def test_plays_all_arms_alike():
    arms = lowbid.Bernoulli([0.0, 0.5, 1.0, 1.0])
    pulls = lowbid.simulate(lowbid.UniformPlay(), arms, horizon=10_000, runs=1, seed=0).pulls[0, 0]
    assert (abs(pulls - 2500) < 4 * math.sqrt(10_000 * 0.25 * 0.75)).all()

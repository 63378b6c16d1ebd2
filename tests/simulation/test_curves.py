import numpy as np

import lowbid
from lowbid.simulation import mean_curves

ARMS = lowbid.Bernoulli([0.1, 0.5])


def test_curves_are_means_with_bands_around_them():
    result = lowbid.simulate([lowbid.UCB1(), lowbid.Greedy()], ARMS, horizon=100, runs=8)
    for curve, regret in zip(mean_curves(result).values(), result.regret, strict=True):
        np.testing.assert_allclose(curve.mean, regret.mean(axis=0))
        assert (curve.low >= 0).all()
        assert (curve.low <= curve.mean).all()
        assert (curve.mean <= curve.high).all()


def test_one_run_has_a_band_as_thin_as_its_curve():
    curve = mean_curves(lowbid.simulate(lowbid.UCB1(), ARMS, horizon=50, runs=1))["UCB1"]
    assert np.array_equal(curve.low, curve.mean)
    assert np.array_equal(curve.high, curve.mean)

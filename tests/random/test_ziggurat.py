"""The ziggurat against scipy's distributions, its rare parts too; seeds are fixed."""

import numpy as np
import pytest
from scipy import stats

from lowbid import _random
from lowbid._compile import interpreted, kernel, specialise
from lowbid._random import _ziggurat, quick_gamma, quick_log_gamma

draw = None


@kernel
def fill(stream, out):
    for i in range(len(out)):
        out[i] = draw(stream)


@kernel
def gamma_of_40(stream):
    return quick_gamma(stream, 40.0)


@kernel
def gamma_of_small_shape(stream):
    return quick_gamma(stream, 0.3)


@kernel
def log_gamma_of_small_shape(stream):
    return quick_log_gamma(stream, 0.3)


def drawn(sampler, n, seed=3):
    out = np.zeros(n)
    specialise(fill, draw=sampler)(np.array([seed], np.uint64), out)
    return out


LAWS = [
    (_random.quick_normal, stats.norm),
    (_random.quick_exponential, stats.expon),
    (gamma_of_40, stats.gamma(40.0)),
    (gamma_of_small_shape, stats.gamma(0.3)),
    (log_gamma_of_small_shape, stats.loggamma(0.3)),
]


@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_draws_follow_their_law(sampler, law):
    assert stats.kstest(drawn(sampler, 200_000), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("sampler", "law"), LAWS[:2])
@pytest.mark.parametrize("far", [1e-3, 5e-5])
def test_so_do_their_tails(sampler, law, far):
    """Beyond the last layer there are 2.6 normal numbers in 10,000, and 4.5 exponential ones."""
    values = drawn(sampler, 2_000_000)
    upper = values[values > law.isf(far)]
    assert stats.binomtest(len(upper), len(values), far).pvalue > 1e-3
    assert stats.kstest(law.sf(upper) / far, stats.uniform.cdf).pvalue > 1e-3


@pytest.mark.parametrize("sampler", [_random.quick_normal, _random.quick_exponential])
def test_draws_are_the_same_bits_compiled_and_interpreted(sampler):
    with interpreted():
        plain = drawn(sampler, 2000)
    assert np.array_equal(drawn(sampler, 2000), plain)


@pytest.mark.parametrize(
    ("right", "heights", "area"),
    [
        (_ziggurat._X, _ziggurat._HEIGHT, _ziggurat._NORMAL_AREA),
        (_ziggurat._EX, _ziggurat._EHEIGHT, _ziggurat._EXPONENTIAL_AREA),
    ],
)
def test_all_layers_have_the_same_area(right, heights, area):
    assert right[1:-1] * np.diff(heights)[1:] == pytest.approx(area, rel=1e-9)
    assert heights[-1] == 1.0

"""Draws against scipy's distributions; seeds are fixed, so p-values do not vary."""

import numpy as np
import pytest
from scipy import special, stats

from lowbid import _random
from lowbid._compile import interpreted


def draws(kernel, *arguments, n=20_000, seed=1):
    stream = np.array([seed], np.uint64)
    return np.array([kernel(stream, *arguments) for _ in range(n)])


@pytest.mark.parametrize(
    ("sampler", "arguments", "law"),
    [
        (_random.uniform, (), stats.uniform),
        (_random.uniform_open, (), stats.uniform),
        (_random.exponential, (), stats.expon),
        (_random.normal, (), stats.norm),
        (_random.gamma, (0.3,), stats.gamma(0.3)),
        (_random.gamma, (1.0,), stats.gamma(1.0)),
        (_random.gamma, (40.0,), stats.gamma(40.0)),
        (_random.beta, (0.5, 2.0), stats.beta(0.5, 2.0)),
        (_random.beta, (30.0, 3.0), stats.beta(30.0, 3.0)),
    ],
)
def test_continuous_draws_follow_their_law(sampler, arguments, law):
    assert stats.kstest(draws(sampler, *arguments), law.cdf).pvalue > 1e-3


def test_integers_and_coins():
    counts = np.bincount(draws(_random.integer, 7), minlength=7)
    assert len(counts) == 7
    assert stats.chisquare(counts).pvalue > 1e-3
    heads = draws(_random.coin, 0.3)
    assert set(heads) == {0.0, 1.0}
    assert stats.binomtest(int(heads.sum()), len(heads), 0.3).pvalue > 1e-3


def test_the_normal_quantile_is_exact():
    p = np.concatenate([10.0 ** -np.arange(1, 17, 0.25), np.linspace(0.01, 0.99, 99)])
    ours = np.array([_random.normal_quantile(x) for x in p])
    np.testing.assert_allclose(ours, special.ndtri(p), rtol=1e-14, atol=1e-14)


def test_tiny_beta_parameters_do_not_give_nan():
    values = draws(_random.beta, 1e-6, 1e-6, n=200)
    assert np.isfinite(values).all()


@pytest.mark.parametrize("name", ["uniform", "exponential", "normal"])
def test_draws_are_the_same_bits_compiled_and_interpreted(name):
    sampler = getattr(_random, name)
    compiled = draws(sampler, n=200)
    with interpreted():
        assert np.array_equal(draws(sampler, n=200), compiled)

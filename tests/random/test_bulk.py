import math

import numpy as np
import pytest
from scipy import stats

from lowbid import _random
from lowbid._compile import interpreted
from lowbid._random._bulk import MANY, cosine, minus_log, sine


def rows(size, n, fill=_random.fill_exponentials):
    stream, found = np.array([5], np.uint64), np.zeros((n, size))
    for row in found:
        fill(stream, row)
    return found


def gammas(stream, row, shape=1.0):
    d = np.full(len(row), shape - 1 / 3)
    widths = np.array([_random.gamma_width(x) for x in d])
    _random.fill_gammas(stream, d, widths, np.zeros(len(row)), row)


@pytest.mark.parametrize("size", [1, MANY - 1, MANY, MANY + 1, 64])
def test_numbers_are_exponential_and_independent(size):
    found = rows(size, 40_000 // size)
    assert stats.kstest(found.ravel(), stats.expon.cdf).pvalue > 1e-3
    shares = found / found.sum(axis=1, keepdims=True)
    if size > 1:  # of a sum and its parts: uniform on the simplex
        assert stats.kstest(shares[:, 0], stats.beta(1, size - 1).cdf).pvalue > 1e-3
        pair = stats.beta(2, size - 2)
        assert stats.kstest(shares[:, 0] + shares[:, size // 2], pair.cdf).pvalue > 1e-3
        assert stats.pearsonr(found[:, 0], found[:, size // 2]).pvalue > 1e-3


@pytest.mark.parametrize("size", [2, MANY - 1, MANY, MANY + 1, 64])
def test_numbers_are_normal_and_independent(size):
    found = rows(size, 40_000 // size, _random.fill_normals)
    assert stats.kstest(found.ravel(), stats.norm.cdf).pvalue > 1e-3
    assert stats.kstest((found**2).sum(axis=1), stats.chi2(size).cdf).pvalue > 1e-3
    both = found[:, [0, size // 2]]  # drawn together, if many are
    assert stats.kstest(both.sum(axis=1) / np.sqrt(2), stats.norm.cdf).pvalue > 1e-3
    angles = np.arctan2(both[:, 1], both[:, 0]) / (2 * np.pi) + 0.5
    assert stats.kstest(angles, stats.uniform.cdf).pvalue > 1e-3


@pytest.mark.parametrize("shape", [1.0, 2.0, 50.0])
def test_numbers_are_gamma(shape):
    def fill(stream, row):
        gammas(stream, row, shape)

    found = rows(100, 400, fill)
    assert stats.kstest(found.ravel(), stats.gamma(shape).cdf).pvalue > 1e-3


@pytest.mark.parametrize("fill", [_random.fill_exponentials, _random.fill_normals, gammas])
@pytest.mark.parametrize("size", [3, MANY, MANY + 1, 200])
def test_numbers_are_the_same_bits_compiled_and_interpreted(size, fill):
    with interpreted():
        plain = rows(size, 20, fill)
    assert np.array_equal(rows(size, 20, fill), plain)


def test_the_logarithm_is_right_to_the_last_digits():
    for x in [2.0**-66, 1e-9, 0.1, 0.5, math.sqrt(0.5), 0.70711, 0.9, 1.0 - 2.0**-40]:
        assert minus_log(x) == pytest.approx(-math.log(x), rel=1e-15)


def test_sine_and_cosine_are_right_to_the_last_digits():
    for x in np.linspace(-math.pi / 4, math.pi / 4, 101):
        assert sine(x) == pytest.approx(math.sin(x), rel=1e-15)
        assert cosine(x) == pytest.approx(math.cos(x), rel=1e-15)

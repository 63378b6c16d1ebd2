import math

import numpy as np
import pytest
from scipy import stats

from lowbid import _random
from lowbid._kernel import interpreted
from lowbid._random._bulk import MANY, minus_log


def rows(size, n, seed=5):
    stream, found = np.array([seed], np.uint64), np.zeros((n, size))
    for row in found:
        _random.fill_exponentials(stream, row)
    return found


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


@pytest.mark.parametrize("size", [3, MANY, MANY + 1])
def test_numbers_are_the_same_bits_compiled_and_interpreted(size):
    with interpreted():
        plain = rows(size, 20)
    assert np.array_equal(rows(size, 20), plain)


def test_the_logarithm_is_right_to_the_last_digits():
    for x in [2.0**-66, 1e-9, 0.1, 0.5, math.sqrt(0.5), 0.70711, 0.9, 1.0 - 2.0**-40]:
        assert minus_log(x) == pytest.approx(-math.log(x), rel=1e-15)

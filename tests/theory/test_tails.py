import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lowbid.theory._tails import (
    binomial_cdf,
    binomial_interval,
    binomial_pmf,
    normal_cdf,
    poisson_below,
)


@given(st.integers(1, 300), st.floats(0, 1), st.integers(1, 999))
def test_binomial_agrees_with_fractions(n, part, thousandths):
    k, p = int(part * n), Fraction(thousandths, 1000)
    terms = [math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)]
    assert binomial_pmf(k, n, float(p)) == pytest.approx(float(terms[-1]), rel=1e-11, abs=1e-300)
    assert binomial_cdf(k, n, float(p)) == pytest.approx(float(sum(terms)), rel=1e-11, abs=1e-300)


@given(st.integers(1, 5000), st.floats(0, 1), st.floats(1e-6, 1 - 1e-6))
def test_binomial_agrees_with_scipy(n, part, p):
    k = int(part * n)
    expected = stats.binom.cdf(k, n, p)
    if expected > 1e-100:  # further out scipy 1.17 is off by 1e-9
        assert binomial_cdf(k, n, p) == pytest.approx(expected, rel=1e-10)


def test_binomial_at_the_edges():
    assert binomial_cdf(-1, 5, 0.5) == 0.0
    assert binomial_cdf(5, 5, 0.5) == 1.0
    assert binomial_cdf(0, 5, 0.0) == 1.0
    assert binomial_cdf(4, 5, 1.0) == 0.0
    assert [binomial_pmf(k, 3, 0.5) for k in (-1, 0, 1, 3, 4)] == pytest.approx(
        [0, 1 / 8, 3 / 8, 1 / 8, 0]
    )


def test_binomial_far_out_in_a_long_tail():
    assert binomial_cdf(497_000, 10**6, 0.5) == pytest.approx(
        stats.binom.cdf(497_000, 10**6, 0.5), rel=1e-10
    )


@pytest.mark.parametrize(("n", "mean"), [(1, 3.0), (10, 12.0), (60, 62.0)])
def test_poisson_agrees_with_scipy(n, mean):
    assert poisson_below(n, mean) == pytest.approx(stats.poisson.cdf(n - 1, mean), rel=1e-12)


def test_normal_agrees_with_scipy():
    x = np.linspace(-8, 8, 33)
    assert [normal_cdf(y) for y in x] == pytest.approx(stats.norm.cdf(x), rel=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 100), (50, 50), (999, 1000)])
def test_interval_is_clopper_and_pearsons(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, "exact")
    assert binomial_interval(successes, trials) == pytest.approx(tuple(expected), abs=1e-9)

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats

import lowbid
from lowbid import schedules
from lowbid.errors import InvalidValueError
from lowbid.theory import law_of
from lowbid.theory.lower import (
    _beta_quadrature,
    bernoulli_divergence,
    divergence,
    least_divergence,
    lower_bound,
    lower_constant,
)


def of(arms, best):
    return divergence(law_of(arms, 0), best)


@given(st.floats(0.01, 1.0), st.floats(0.001, 0.99))
def test_bernoulli_arms_have_the_bernoulli_divergence(mean, part):
    best = mean * part
    expected = bernoulli_divergence(mean, best)
    assert of(lowbid.Bernoulli([mean]), best) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    scaled = lowbid.ScaledBernoulli([7 * mean], 7.0)
    assert of(scaled, 7 * best) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_bernoulli_divergence_agrees_with_scipy():
    for p, q in [(0.3, 0.6), (0.0, 0.2), (1.0, 0.2), (0.9, 0.1)]:
        assert bernoulli_divergence(p, q) == pytest.approx(stats.entropy([p, 1 - p], [q, 1 - q]))


def test_gaussian_exponential_and_uniform_are_kullback_leibler():
    gaussian = integrate.quad(
        lambda x: (
            stats.norm.pdf(x, 1, 2) * (stats.norm.logpdf(x, 1, 2) - stats.norm.logpdf(x, 0.4, 2))
        ),
        -30,
        30,
    )[0]
    assert of(lowbid.Gaussian([1.0], 2.0), 0.4) == pytest.approx(gaussian)
    exponential = integrate.quad(
        lambda x: (
            stats.expon.pdf(x, scale=3)
            * (stats.expon.logpdf(x, scale=3) - stats.expon.logpdf(x, scale=2))
        ),
        0,
        300,
    )[0]
    assert of(lowbid.ExponentialByMean([3.0]), 2.0) == pytest.approx(exponential)
    assert of(lowbid.ExponentialByRate([1 / 3]), 2.0) == pytest.approx(exponential)
    # The narrowest uniform law on more than [1, 3], of mean 1.5, is on [0, 3].
    assert of(lowbid.Uniform(1.0, [3.0]), 1.5) == pytest.approx(math.log(3 / 2))


def test_least_divergence_agrees_with_its_definition():
    values, chances, below = np.array([0.0, 0.4, 0.7, 1.5]), np.array([0.1, 0.2, 0.3, 0.4]), 0.5
    # An optimal law lives on the same points and 0.
    found = optimize.minimize(
        lambda q: stats.entropy(chances, q / q.sum()),
        chances,
        bounds=[(1e-9, 1)] * 4,
        constraints={"type": "ineq", "fun": lambda q: below - (q / q.sum()) @ values},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert least_divergence(values, chances, below) == pytest.approx(found.fun, rel=1e-5)
    assert least_divergence(values, chances, 0.0) == math.inf
    assert least_divergence([0.3], [1.0], 0.2) == pytest.approx(math.log(1.5))


@pytest.mark.parametrize(("a", "b", "best"), [(2.0, 3.0, 0.3), (0.4, 0.7, 0.1), (30.0, 5.0, 0.8)])
def test_beta_agrees_with_quadrature(a, b, best):
    def minus(factor):
        law = stats.beta(a, b)
        return -law.expect(lambda x: np.log1p(factor * (x - best)))

    found = optimize.minimize_scalar(
        minus, bounds=(0, 1 / best), method="bounded", options={"xatol": 1e-10}
    )
    assert of(lowbid.Beta(a, [b]), best) == pytest.approx(-found.fun, rel=1e-5)


@pytest.mark.parametrize(
    ("a", "b"), [(2.0, 3.0), (2e4, 3e4), (1e6, 2.0), (0.01, 0.02), (1e-3, 1e3), (1e3, 1e-3)]
)
def test_beta_quadrature_has_the_moments(a, b):
    x, weights = _beta_quadrature(a, b)
    mean = a / (a + b)
    assert weights @ x == pytest.approx(mean, rel=1e-12)
    assert weights @ x**2 == pytest.approx(mean * (a + 1) / (a + b + 1), rel=1e-12)
    if a > 1:
        expected = special.digamma(a) - special.digamma(a + b)
        found = weights[weights > 0] @ np.log(x[weights > 0])
        assert found == pytest.approx(expected, rel=1e-9)


def test_small_gaps_keep_their_digits():
    gap = 1e-7
    found = lower_constant(lowbid.Bernoulli([0.3, 0.3 + gap]))
    assert found == pytest.approx(2 * 0.3 * 0.7 / gap, rel=1e-6)  # the limit of gap / divergence
    scaled = lower_constant(lowbid.ScaledBernoulli([3.0, 3.0 + 10 * gap], 10.0))
    assert scaled == pytest.approx(10 * found, rel=1e-6)


def test_no_bound_is_no_number():
    with pytest.raises(InvalidValueError, match="negative"):
        lower_constant(lowbid.Empirical([[0.0, 1.0], [-1.0, 4.0]]))
    with pytest.raises(InvalidValueError, match="equally many"):
        least_divergence([0.0, 1.0], [1.0], 0.2)
    assert of(lowbid.Gaussian([1.0], 0.0), 0.0) == math.inf
    assert lower_constant(lowbid.Bernoulli([0.0, 0.5])) == 0.0


def test_mixed_arms_and_steps():
    arms = lowbid.Mixed([lowbid.Gaussian([0.1]), lowbid.Bernoulli([0.6]), lowbid.Uniform(0, [2.0])])
    expected = 0.5 / bernoulli_divergence(0.6, 0.1) + 0.9 / math.log(1.9)
    assert lower_constant(arms) == pytest.approx(float(expected))
    assert lower_bound(arms, [1, 100]) == pytest.approx([0, expected * math.log(100)])


def test_lower_bound_lies_under_measured_regret():
    # Not under Thompson sampling's, which is below the leading term at every t tried.
    arms = lowbid.Bernoulli([0.3, 0.6])
    policies = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=schedules.Logarithmic(5.0))]
    result = lowbid.simulate(policies, arms, horizon=20_000, runs=100, seed=0)
    for row in result.summary():
        assert row.mean - 3 * row.se > lower_bound(arms, 20_000)

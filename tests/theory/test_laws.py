import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.theory import (
    EnvironmentLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    law_of,
)


def enumerated(values, probabilities, n, multiple):
    """P(S_n <= multiple mean) by listing every sequence of losses, in fractions."""
    values = [Fraction(str(x)) for x in values]
    chances = [Fraction(str(p)) for p in probabilities]
    threshold = Fraction(str(multiple)) * sum(x * p for x, p in zip(values, chances, strict=True))
    total = Fraction(0)
    for sequence in itertools.product(range(len(values)), repeat=n):
        if sum(values[i] for i in sequence) <= threshold:
            total += math.prod(chances[i] for i in sequence)
    return float(total)


@given(
    st.lists(st.integers(-3, 6), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
    st.integers(1, 5),
    st.sampled_from([0, 0.5, 1, 2]),
)
def test_finite_laws_agree_with_enumeration(values, weights, n, padding):
    weights = weights[: len(values)]
    chances = [Fraction(w, sum(weights)) for w in weights]
    law = FiniteLaw([v / 2 for v in values], chances)
    expected = enumerated([v / 2 for v in values], chances, n, n + padding)
    assert law.sum_below(n, n + padding).value == pytest.approx(expected, abs=1e-12)


def test_a_sum_that_equals_its_threshold_counts():
    # In binary floating point 3 * 0.1 > 0.3; as decimals they are equal.
    assert FiniteLaw([0.1], [1.0]).sum_below(3, 3).value == 1.0
    law = FiniteLaw([0.0, 0.3], [0.9, 0.1])  # (8 + 2) mean = 0.3 exactly
    assert law.sum_below(8, 10).value == pytest.approx(stats.binom.cdf(1, 8, 0.1), rel=1e-12)


def test_moments_and_support():
    law = FiniteLaw([2.0, 0.0, 1.0], [0.25, 0.5, 0.25])
    assert (law.mean, law.variance, law.support) == (0.75, 0.6875, (0.0, 2.0))
    assert law.bernoulli_scale is None
    assert FiniteLaw([0, 3.0], [0.5, 0.5]).bernoulli_scale == 3.0
    assert FiniteLaw([0, -3.0], [0.5, 0.5]).bernoulli_scale is None


@pytest.mark.parametrize(("n", "multiple"), [(1, 3), (7, 9), (50, 52), (5, 5)])
def test_exponential_is_a_gamma_tail(n, multiple):
    expected = stats.gamma.cdf(multiple, n)
    assert ExponentialLaw(0.7).sum_below(n, multiple).value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("mean", "sd", "n"), [(0.3, 1.0, 4), (-2.0, 0.5, 9), (0.0, 2.0, 1)])
def test_gaussian_is_a_normal_tail(mean, sd, n):
    expected = stats.norm.cdf((n + 2) * mean, n * mean, sd * math.sqrt(n))
    assert GaussianLaw(mean, sd).sum_below(n, n + 2).value == pytest.approx(expected, rel=1e-10)


def test_simulated_interval_holds_the_exact_value():
    for law, n in [(lowbid.Bernoulli([0.09]), 10), (lowbid.ExponentialByMean([2.0]), 5)]:
        exact = law_of(law, 0).sum_below(n, n + 2)
        found = EnvironmentLaw(law, runs=20_000).sum_below(n, n + 2)
        assert exact.exact
        assert not found.exact
        assert found.low <= exact.value <= found.high


def test_law_of_every_family():
    arms = lowbid.Mixed(
        [
            lowbid.Bernoulli([0.25]),
            lowbid.ScaledBernoulli([1.0, 2.0], 8.0),
            lowbid.Deterministic([0.5]),
            lowbid.Empirical([[0.0, 1.0, 1.0]]),
            lowbid.Gaussian([-1.0], 2.0),
            lowbid.ExponentialByMean([3.0]),
            lowbid.ExponentialByRate([4.0]),
            lowbid.Beta(2.0, 3.0),
            lowbid.Uniform(0.0, [2.0]),
        ]
    )
    laws = [law_of(arms, arm) for arm in range(arms.n_arms)]
    assert [law.mean for law in laws] == pytest.approx(arms.means)
    assert [law.variance for law in laws] == pytest.approx(arms.variances)
    assert [law.sum_below(3, 5).exact for law in laws] == [True] * 8 + [False] * 2
    assert laws[4].exact_mean == Fraction(2, 3)
    assert laws[9].support == (0.0, 2.0)
    assert [law.symmetric for law in laws] == [False] * 3 + [True, False, True] + [False] * 3 + [
        True
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FiniteLaw([0.0], [0.5, 0.5]), "equally many"),
        (lambda: FiniteLaw([0.0, 1.0], [0.5, 0.6]), "sum to 1"),
        (lambda: FiniteLaw([0.0, math.nan], [0.5, 0.5]), "finite"),
        (lambda: GaussianLaw(0.0, -1.0), "sd"),
        (lambda: ExponentialLaw(0.0), "mean"),
        (lambda: law_of(lowbid.Bernoulli([0.5]), 1), "arm is 1"),
        (lambda: law_of(lowbid.Bernoulli([0.5]), "first"), "arm is"),
        (lambda: law_of(lowbid.RandomArms(lowbid.Bernoulli, 3), 0), "instances"),
        (lambda: EnvironmentLaw(lowbid.Bernoulli([0.1, 0.2])), "one arm"),
        (
            lambda: law_of(lowbid.Empirical([np.sqrt(np.arange(300))]), 0).sum_below(9, 9),
            "too many",
        ),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()

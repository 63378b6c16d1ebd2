"""Binomial and hypergeometric draws, compared with scipy's distributions."""

import math

import numpy as np
import pytest
from scipy import stats

from lowbid._compile import interpreted
from lowbid._random import binomial, hypergeometric, log_factorial

DRAWS = 20_000


def draws(sampler, *arguments) -> np.ndarray:
    stream = np.array([17], np.uint64)
    return np.array([sampler(stream, *arguments) for _ in range(DRAWS)])


def assert_distributed(sample: np.ndarray, probabilities: np.ndarray) -> None:
    """A chi-squared test at 1 in 10,000; outcomes expected less than 5 times are put together."""
    expected = DRAWS * probabilities
    assert sample.min() >= 0
    assert sample.max() < len(probabilities)
    observed = np.bincount(sample, minlength=len(probabilities))
    common = expected >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    kept = expected > 0
    statistic = ((observed - expected)[kept] ** 2 / np.maximum(expected[kept], 1)).sum()
    assert statistic < stats.chi2.ppf(0.9999, max(1, kept.sum() - 1))


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (19, 0.5), (20, 0.5), (50, 0.9), (100, 0.5), (1000, 0.02), (3000, 0.63)]
)
def test_binomial(n, p):
    assert_distributed(draws(binomial, n, p), stats.binom.pmf(np.arange(n + 1), n, p))


@pytest.mark.parametrize(
    ("good", "bad", "sample"),
    [(3, 5, 4), (30, 70, 10), (70, 30, 90), (100, 100, 100), (500, 300, 60), (500, 300, 700),
     (300, 500, 60), (3000, 5000, 2000), (5, 800, 400)],
)  # fmt: skip
def test_hypergeometric(good, bad, sample):
    law = stats.hypergeom(good + bad, good, sample).pmf(np.arange(good + 1))
    assert_distributed(draws(hypergeometric, good, bad, sample), law)


def test_certain_outcomes():
    stream = np.array([3], np.uint64)
    assert binomial(stream, 0, 0.5) == 0
    assert binomial(stream, 7, 0.0) == 0
    assert binomial(stream, 7, 1.0) == 7
    assert hypergeometric(stream, 0, 9, 4) == 0
    assert hypergeometric(stream, 9, 0, 4) == 4
    assert hypergeometric(stream, 60, 50, 110) == 60
    assert hypergeometric(stream, 60, 50, 0) == 0


@pytest.mark.parametrize(
    ("sampler", "arguments"),
    [(binomial, (300, 0.4)), (binomial, (15, 0.4)), (hypergeometric, (300, 400, 100)),
     (hypergeometric, (300, 40, 10))],
)  # fmt: skip
def test_same_bits_compiled_and_uncompiled(sampler, arguments):
    streams = np.array([[5], [5]], np.uint64)
    compiled = [sampler(streams[0], *arguments) for _ in range(500)]
    with interpreted():
        plain = [sampler(streams[1], *arguments) for _ in range(500)]
    assert compiled == plain
    assert streams[0, 0] == streams[1, 0]


def test_log_factorial():
    for k in [0, 1, 2, 10, 126, 127, 128, 129, 1000, 10**6]:
        assert log_factorial(k) == pytest.approx(math.lgamma(k + 1), rel=1e-14)

"""What the paper prints, and where it fails."""

import math

import pytest

import lowbid
from bounds import TEST1, largest_batch, sums
from lowbid.theory import (
    printed,
    theorem1,
)


def test_printed_theorem1_recomputed():
    rows, t, delta = sums(TEST1.mean), 5000, 0.1
    log = math.log(6 * t * 5 / delta)
    assert printed.theorem1_variance_form(TEST1, t, delta) == pytest.approx(
        3.5 * sum(v / g + 2 for g, v, _ in rows) * log**2
    )
    assert printed.theorem1_mean_form(TEST1, t, delta) == pytest.approx(
        3.5 * sum(0.001 / g + 3 for g, *_ in rows) * log**2
    )
    assert printed.theorem1_independent_form(TEST1, t, delta) == pytest.approx(
        math.sqrt(14 * t * min(0.005, sum(v for _, v, _ in rows))) * log + 55 * log**2
    )


def test_printed_step_of_the_proof_fails():
    gap, variance, log = 0.1, 0.25, math.log(2 * 10_000 * 2 / 0.05)
    larger = log + math.log(3)
    size = largest_batch(gap, 2 * larger, math.sqrt(variance * log))
    assert size > 1.2 * (variance / gap**2 + 2 / gap) * larger


def test_printed_scaled_mean_form_is_not_above_the_variance_form():
    arms = lowbid.ScaledBernoulli(mean=[1.0, 2.0], scale=100.0)
    printed_mean = printed.theorem1_mean_form(arms, 1000)
    assert printed_mean < printed.theorem1_variance_form(arms, 1000)
    assert theorem1.mean_form(arms, 1000) >= theorem1.variance_form(arms, 1000)

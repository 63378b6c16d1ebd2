"""Theorem 2, computed again by hand and measured."""

import math

import pytest

import lowbid
from bounds import EASY, TEST1, sums
from lowbid import schedules
from lowbid.theory import (
    theorem2,
)


def test_theorem2_recomputed():
    rows, best, t = sums(TEST1.mean), 0.001, 5000
    log = math.log(72 * t)
    variance = sum(9 * (8 * v / g + 4 / 3) for g, v, _ in rows) * log**2
    mean = sum(9 * (8 * best / g + 28 / 3) for g, *_ in rows) * log**2
    free = 17 * math.sqrt(t * min(best * 4, sum(v for _, v, _ in rows))) * log + 84 * 4 * log**2
    assert theorem2.variance_form(TEST1, t) == pytest.approx(variance)
    assert theorem2.mean_form(TEST1, t) == pytest.approx(mean)
    assert theorem2.independent_form(TEST1, t) == pytest.approx(free)
    gaps = TEST1.mean - best
    assert (theorem2.pulls(TEST1, t) * gaps).sum() == pytest.approx(variance)


def test_mean_plays_lie_under_lemma_nta():
    horizon = 10_000
    policy = lowbid.BatchEnsemble(batches=schedules.Anytime(), growth="redistribute")
    result = lowbid.simulate(policy, EASY, horizon, runs=50, seed=0)
    plays = result.pulls[0, :, 1]
    bound = theorem2.pulls(EASY, horizon)[1]
    assert bound < horizon
    assert plays.mean() + 3 * plays.std(ddof=1) / math.sqrt(50) < bound

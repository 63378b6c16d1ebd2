"""Theorem 1, computed again by hand and measured."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowbid
from bounds import EASY, SCALED, TEST1, largest_batch, sums
from lowbid import schedules
from lowbid.errors import InvalidValueError
from lowbid.theory import (
    GARNETT,
    PAPER,
    SYMMETRIC,
    theorem1,
)


@pytest.mark.parametrize("arms", [TEST1, SCALED])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_theorem1_recomputed(arms, delta):
    scale = getattr(arms, "scale", 1.0)
    rows, best, t = sums(arms.mean, scale), arms.mean.min(), 5000
    log = math.log(6 * t * arms.n_arms / delta)
    variance = sum(2 * v / g + 2 * b for g, v, b in rows) * 3.5 * log**2
    mean = sum(2 * b * best / g + 4 * b for g, v, b in rows) * 3.5 * log**2
    noise = min(best * sum(b for *_, b in rows), sum(v for _, v, _ in rows))
    free = math.sqrt(28 * t * noise) * log + 14 * sum(b for *_, b in rows) * log**2
    assert theorem1.variance_form(arms, t, delta) == pytest.approx(variance)
    assert theorem1.mean_form(arms, t, delta) == pytest.approx(mean)
    assert theorem1.independent_form(arms, t, delta) == pytest.approx(free)
    assert variance <= mean
    per_arm = theorem1.pulls(arms, t, delta)
    gaps = arms.mean - best
    assert (per_arm * gaps).sum() == pytest.approx(variance)
    assert per_arm[gaps == 0] == pytest.approx(t)


@given(st.floats(0.01, 0.99), st.floats(0.01, 1.0), st.integers(1, 10**6), st.floats(1e-6, 0.9))
def test_corrected_step_of_the_proof_holds(mean, part, horizon, delta):
    gap, variance, n_arms = mean * part, mean * (1 - mean), 2
    log, larger = math.log(2 * horizon * n_arms / delta), math.log(6 * horizon * n_arms / delta)
    size = largest_batch(gap, 2 * mean + log / 3, math.sqrt(2 * variance * log))
    assert size <= (2 * variance / gap**2 + 2 / gap) * larger * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.floats(0.001, 0.999), st.floats(0.01, 100.0)), min_size=2, max_size=6),
    st.integers(1, 10**7),
    st.floats(1e-9, 0.99),
    st.sampled_from([PAPER, GARNETT]),
)
def test_corrected_plays_follow_from_the_good_event(arms, horizon, delta, proof):
    scales = np.array([scale for _, scale in arms])
    means = np.array([part for part, _ in arms]) * scales
    bound = theorem1.pulls(lowbid.ScaledBernoulli(means, scales), horizon, delta, proof)
    batches = math.ceil(proof.batches_per_log * math.log(2 * horizon / delta))
    log = math.log(2 * horizon * len(arms) / delta)
    for mean, scale, most in zip(means, scales, bound, strict=True):
        if mean - means.min() > 1e-9 * means.max():
            root = math.sqrt(2 * mean * (scale - mean) * log)
            size = largest_batch(mean - means.min(), 2 * mean + scale * log / 3, root)
            assert 1 + batches * (size - 1) <= most * (1 + 1e-9)


def test_sharp_form_recomputed_and_sharper():
    t, delta = 20_000, 0.05
    batches = math.ceil(3.5 * math.log(2 * t / delta))
    log = math.log(2 * t * 2 / delta)
    size = largest_batch(0.8, 2 * 0.9 + log / 3, math.sqrt(2 * 0.09 * log))
    expected = 0.8 * (1 + batches * (size - 1))
    assert theorem1.sharp_form(EASY, t, delta) == pytest.approx(expected, rel=1e-6)
    for arms in (EASY, TEST1, SCALED):
        at = np.array([100, 10_000, 10**6])
        assert (theorem1.sharp_form(arms, at) <= theorem1.variance_form(arms, at)).all()


def test_batches_are_those_of_the_schedule():
    for t in (10, 2000, 10**6):
        assert theorem1.batches(t, 0.05) == schedules.HighProbability(0.05, horizon=t)(1)


def test_regret_of_1000_runs_lies_under_theorem1():
    delta, horizon = 0.05, 5000
    policy = lowbid.BatchEnsemble(batches=schedules.HighProbability(delta))
    result = lowbid.simulate(policy, EASY, horizon, runs=1000, seed=0)
    bound = theorem1.sharp_form(EASY, horizon, delta)
    assert bound < 0.8 * horizon  # it says something here
    assert (result.regret[0, :, -1] <= bound).mean() >= 1 - delta
    assert (result.pulls[0] <= theorem1.pulls(EASY, horizon, delta)).all(axis=1).mean() >= 1 - delta


@pytest.mark.parametrize(
    "bound",
    [
        theorem1.variance_form,
        theorem1.mean_form,
        theorem1.pulls,
        theorem1.sharp_form,
        theorem1.independent_form,
    ],
)
def test_theorem1_refuses_what_it_is_not_proved_for(bound):
    with pytest.raises(InvalidValueError, match="Bernoulli"):
        bound(lowbid.Beta([1.0, 2.0], 2.0), 100)
    assert np.isfinite(bound(lowbid.Beta([1.0, 2.0], 2.0), 100, proof=GARNETT)).all()
    with pytest.raises(InvalidValueError, match="non-negative bounded"):
        bound(lowbid.Gaussian([0.0, 1.0]), 100, proof=GARNETT)
    with pytest.raises(InvalidValueError, match="delta"):
        bound(EASY, 100, delta=1.5)
    with pytest.raises(InvalidValueError, match="steps"):
        bound(EASY, 0)
    with pytest.raises(InvalidValueError, match="instances"):
        bound(lowbid.RandomArms(lowbid.Bernoulli, 3), 100)


def test_the_proof_for_symmetric_losses_is_for_those_only():
    with pytest.raises(InvalidValueError, match="not known to be symmetric"):
        theorem1.variance_form(lowbid.Beta([1.0, 2.0], 2.0), 100, proof=SYMMETRIC)
    with pytest.raises(InvalidValueError, match="not known to be symmetric"):
        theorem1.variance_form(lowbid.Bernoulli([0.1, 0.5]), 100, proof=SYMMETRIC)
    with pytest.raises(InvalidValueError, match="non-negative bounded"):
        theorem1.variance_form(lowbid.Uniform([-1.0, 1.0], [2.0, 3.0]), 100, proof=SYMMETRIC)
    same = lowbid.Mixed(
        [
            lowbid.Uniform([0.0], [2.0]),
            lowbid.Beta([2.0], 2.0),
            lowbid.Bernoulli([0.5]),
            lowbid.Empirical([[0.0, 1.0, 2.0]]),
        ]
    )
    assert np.isfinite(theorem1.variance_form(same, 100, proof=SYMMETRIC))


def test_another_proof_changes_the_number_of_batches_only():
    ratio = theorem1.variance_form(EASY, 100, proof=GARNETT) / theorem1.variance_form(EASY, 100)
    assert ratio == pytest.approx(GARNETT.batches_per_log / PAPER.batches_per_log)

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowbid.policies._kinf import add_to_sample, kinf, lowest_mean, sample_of
from naive import families

LOSSES = st.one_of(
    st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=30),
    st.lists(st.sampled_from([0.0, 0.5, 3.0]), min_size=1, max_size=30),
    st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30),
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30),
)


def sample_with(losses):
    sample = sample_of(1, len(losses), 0.0)
    for loss in losses:
        add_to_sample(sample, 0, loss)
    return sample


@given(losses=LOSSES, share=st.floats(0.01, 0.99))
@settings(max_examples=100)
def test_is_the_maximum_over_lambda(losses, share):
    mean = math.fsum(losses) / len(losses)
    q = share * mean
    if q > 1e-200:
        value, tilt = kinf(sample_with(losses), 0, q, math.nan)
        assert 0.0 <= tilt <= 1.0
        assert value == pytest.approx(families.kinf(losses, q), rel=1e-7, abs=1e-10)


@given(losses=LOSSES, budget=st.floats(1e-4, 5.0))
@settings(max_examples=200)
def test_the_lowest_mean_solves_its_equation(losses, budget):
    sample = sample_with(losses)
    mean = math.fsum(losses) / len(losses)
    q, _ = lowest_mean(sample, 0, budget)
    assert 0.0 <= q <= mean * (1 + 1e-12)
    if 1e-200 < q < mean:
        assert kinf(sample, 0, q, math.nan)[0] == pytest.approx(budget, rel=1e-9, abs=1e-10)


def test_the_tilt_is_the_derivative():
    losses = list(np.random.default_rng(0).exponential(size=40))
    sample = sample_with(losses)
    for q in (0.05, 0.3, 0.7):
        _, tilt = kinf(sample, 0, q, math.nan)
        ahead, behind = (kinf(sample, 0, q + h, math.nan)[0] for h in (1e-5, -1e-5))
        assert -tilt / q == pytest.approx((ahead - behind) / 2e-5, rel=1e-4)


def test_is_the_divergence_of_bernoulli_losses_of_any_scale():
    losses = [0.0, 7.0, 7.0, 0.0, 7.0]
    expected = families.bernoulli(0.6, 0.25)
    assert kinf(sample_with(losses), 0, 7 * 0.25, math.nan)[0] == pytest.approx(expected)
    # The general way gives the same.
    sample = sample_with(losses)
    sample.atoms[0] = -1.0
    assert kinf(sample, 0, 7 * 0.25, math.nan)[0] == pytest.approx(expected)

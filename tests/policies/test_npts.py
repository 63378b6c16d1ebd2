"""NPTS compared with naive draws, and with the beta distribution."""

import pytest
from scipy import stats

import lowbid
from lowbid.policies._dirichlet import weighted_mean
from naive import resampling
from resampled import assert_plays_on, follow, state_after


def test_follows_the_naive_index():
    follow(lowbid.NPTS(), resampling.npts)
    follow(lowbid.NPTS(best=-2.0), lambda losses, stream: resampling.npts(losses, stream, -2.0))


@pytest.mark.parametrize(("ones", "zeros"), [(3, 5), (1, 40), (60, 1)])
def test_of_coins_is_a_beta_number(ones, zeros):
    _, state, stream = state_after(lowbid.NPTS(), [1.0] * ones + [0.0] * zeros)
    draws = [weighted_mean(state.history, state.values, 0, 0.0, stream) for _ in range(4000)]
    assert stats.kstest(draws, stats.beta(ones, zeros + 1).cdf).pvalue > 1e-3


def test_plays_on_through_long_constant_histories():
    assert_plays_on(lowbid.NPTS())

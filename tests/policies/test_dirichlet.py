"""Weighted means compared with the moments of the Dirichlet distribution."""

import numpy as np
import pytest

import lowbid
from lowbid.policies._dirichlet import weighted_mean
from resampled import state_after


@pytest.mark.parametrize("losses", [[0.0, 1.0, 1.0], [0.2, 0.9, 0.4, 0.5], [1.0] * 6])
@pytest.mark.parametrize("extra", [0.0, -2.0])
def test_moments_of_weighted_means(losses, extra):
    """With weights Dirichlet(1, ..., 1) of m values: their mean, and their variance / (m + 1)."""
    _, state, stream = state_after(lowbid.NPTS(), losses)
    draws = np.array(
        [weighted_mean(state.history, state.values, 0, extra, stream) for _ in range(4000)]
    )
    values = np.array([extra, *losses])
    variance = values.var() / (len(values) + 1)
    assert abs(draws.mean() - values.mean()) < 4 * np.sqrt(variance / len(draws))
    squares = (draws - values.mean()) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / np.sqrt(len(draws))

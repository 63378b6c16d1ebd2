"""Counts, means and squared deviations compared with those of NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid.policies._moments import (
    add_loss,
    lowest_mean_of,
    lowest_mean_of_played,
    moments_of,
    variance_of,
)

LOSSES = st.lists(st.floats(-1e6, 1e6), max_size=30)


def after(*rows):
    moments = moments_of(len(rows))
    for arm, row in enumerate(rows):
        for loss in row:
            add_loss(moments, arm, loss)
    return moments


@given(LOSSES.filter(bool))
def test_moments_are_those_of_all_losses(losses):
    moments = after(losses)
    size = max(1.0, max(map(abs, losses)))
    assert moments.counts[0] == len(losses)
    assert moments.means[0] == pytest.approx(np.mean(losses), abs=1e-12 * size)
    assert variance_of(moments, 0) == pytest.approx(np.var(losses), abs=1e-9 * size**2)


def test_the_variance_survives_a_large_mean():
    assert variance_of(after([1e9 + x for x in (4.0, 7.0, 13.0, 16.0)]), 0) == 22.5


@given(LOSSES, LOSSES)
def test_merged_moments_are_those_of_all_losses_together(first, second):
    merged, whole = after(first).merged(after(second)), after(first + second)
    size = max([1.0, *map(abs, first + second)])
    assert merged.counts.tolist() == whole.counts.tolist()
    np.testing.assert_allclose(merged.means, whole.means, atol=1e-11 * size)
    np.testing.assert_allclose(merged.deviations, whole.deviations, atol=1e-9 * size**2)


def test_the_lowest_mean():
    assert lowest_mean_of(after([0.5], [0.25, 0.25], [1.0])) == 0.25
    assert lowest_mean_of_played(after([0.5], [], [1.0])) == 0.5
    assert lowest_mean_of_played(after([], [])) == math.inf

"""Streams: keys, and where losses begin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lowbid import _random
from lowbid._compile import kernel
from lowbid._random import seek_loss, uniform
from lowbid.errors import InvalidValueError


@kernel
def _loss(stream, run, arm, n):
    seek_loss(stream, run, arm, n)
    return uniform(stream)


def test_losses_of_neighbours_are_independent():
    """Correlations between (run, arm, n) one apart, each within 4 standard errors of 0."""
    stream = np.zeros(1, np.uint64)
    size = 40
    values = np.empty((size, size, size))
    for run in range(size):
        begin = _random.stream_of_run(np.uint64(99), run)
        for arm in range(size):
            for n in range(size):
                values[run, arm, n] = _loss(stream, begin, arm, n)
    assert stats.kstest(values.ravel(), "uniform").pvalue > 1e-3
    assert len(np.unique(values)) == values.size
    for axis in range(3):
        first = np.take(values, range(size - 1), axis=axis).ravel()
        second = np.take(values, range(1, size), axis=axis).ravel()
        assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(first.size)


@given(st.integers(0, 2**80), st.text(max_size=20))
def test_keys_depend_on_seed_and_purpose(seed, purpose):
    ours = _random.key(seed, purpose)
    assert ours == _random.key(seed, purpose)
    assert ours != _random.key(seed + 1, purpose)
    assert ours != _random.key(seed, purpose + "x")


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(InvalidValueError, match="seed is"):
        _random.key(seed, "losses")

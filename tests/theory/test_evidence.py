"""What the pictures of the theory show; the command's tests draw all of them."""

import numpy as np
import pytest
from scipy import stats

from lowbid.theory import evidence


def test_the_map_of_optimism_is_a_binomial_tail():
    found = evidence.optimism_map(largest=6, resolution=10)
    assert found.chances.shape == (6, 10)
    n, mean = 4, found.means[2]
    expected = stats.binom.cdf(np.floor((n + 2) * mean), n, mean)
    assert found.chances[3, 2] == pytest.approx(expected)


def test_no_batch_is_less_optimistic_than_the_floors_say():
    chances = evidence.optimism_map(largest=12, resolution=200).chances.min(axis=1)
    assert (chances > np.exp(-1.0)).all()

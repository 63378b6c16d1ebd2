"""GIRO compared with the moments of the bootstrap."""

import math

import numpy as np
import pytest

import lowbid
from lowbid.policies import giro
from resampled import assert_plays_on, assert_unplayed_first, state_after


@pytest.mark.parametrize("a", [1.0, 0.3])
@pytest.mark.parametrize("losses", [[0.0, 1.0, 1.0, 0.0, 0.0], [0.2, 0.9, 0.4, 0.2, 0.5, 0.1, 0.7]])
def test_draws_from_real_and_made_up_losses(a, losses):
    """Mean and variance of the bootstrap, by the law of total variance over the rounding of a n."""
    policy = lowbid.GIRO(a=a)
    parameters, state, stream = state_after(policy, losses)
    draws = np.array([giro.bootstrap_mean(parameters, state, 0, stream) for _ in range(5000)])
    made_up = a * len(losses)
    means, variances, chances = [], [], []
    for pseudo in {math.floor(made_up), math.ceil(made_up)}:
        values = losses + [0.0] * pseudo + [1.0] * pseudo
        means.append(np.mean(values))
        variances.append(np.var(values) / len(values))
        chances.append(1 - abs(made_up - pseudo))
    mean = np.average(means, weights=chances)
    variance = np.average(variances + (np.array(means) - mean) ** 2, weights=chances)
    assert abs(draws.mean() - mean) < 4 * math.sqrt(variance / len(draws))
    squares = (draws - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / math.sqrt(len(draws))


def test_arms_not_yet_played_come_first():
    assert_unplayed_first(lowbid.GIRO())


def test_plays_on_through_long_constant_histories():
    assert_plays_on(lowbid.GIRO())

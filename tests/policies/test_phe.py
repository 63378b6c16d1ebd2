"""PHE compared with naive draws."""

import math
from fractions import Fraction

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid.policies import phe
from naive import resampling
from resampled import assert_plays_on, assert_unplayed_first, follow


def test_follows_the_naive_index():
    follow(lowbid.PHE(a=1.1), lambda losses, stream: resampling.phe(losses, stream, 1.1))


@pytest.mark.parametrize("a", [0.1, 0.3, 0.7, 1.1, 2.1, 2.5])
def test_flips_no_coin_more_for_rounding(a, monkeypatch):
    """1.1 * 50 is 55.00000000000001 in floating point, and 55 coins are meant."""
    flipped = []
    policy = lowbid.PHE(a=a)
    for count in range(1, 400):
        parameters, state = policy.start(1)
        state.counts[0] = count
        monkeypatch.setitem(
            phe.select.function.__globals__, "binomial", lambda _, n, p: flipped.append(n) or 0
        )
        with interpreted():
            policy.kernels.select(parameters, state, count + 1, np.zeros(1, np.uint64))
    assert flipped == [math.ceil(Fraction(str(a)) * count) for count in range(1, 400)]


def test_arms_not_yet_played_come_first():
    assert_unplayed_first(lowbid.PHE())


def test_plays_on_through_long_constant_histories():
    assert_plays_on(lowbid.PHE())

"""BDS compared with its naive twin."""

import functools

import pytest

import lowbid
from duelling import follow
from naive import duels, resampling
from resampled import assert_plays_on


@pytest.mark.parametrize(
    ("policy", "duel"),
    [
        (lowbid.BDS(), resampling.bounded_duel),
        (lowbid.BDS(best=-1.0), functools.partial(resampling.bounded_duel, best=-1.0)),
    ],
)
def test_plays_the_same_rounds_as_its_naive_twin(policy, duel):
    twin = duels.NaiveRounds(5, duel, equals=True)
    values = iter([0.1, 0.2, 0.3])  # more than two values from the start on
    follow(policy, twin, 5, lambda rng, arm: next(values, rng.gamma(1.0 + 0.2 * arm)))


def test_plays_on_through_long_constant_histories():
    assert_plays_on(lowbid.BDS())

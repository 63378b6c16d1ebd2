"""Moments that are updated loss by loss, and merged, are those of all losses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid._compile import interpreted
from lowbid.policies._deviations import (
    add_deviation,
    deviations_of,
    measured_deviations,
    merged_deviations,
)
from lowbid.policies._race import race_of

losses = st.lists(st.integers(-1000, 1000).map(float), max_size=30)


def taken_in(x):
    race, deviations = race_of(1), deviations_of(1)
    for loss in x:
        add_deviation(deviations, 0, race.counts[0], race.sums[0], loss)
        race.counts[0] += 1.0
        race.sums[0] += loss
    return race, deviations


def by_definition(x):
    off = np.array(x) - (np.mean(x) if len(x) else 0.0)
    return pytest.approx((off**2).sum(), abs=1e-3), pytest.approx((off**3).sum(), abs=1.0)


@given(losses, losses)
def test_moments_are_those_of_all_losses(first, second):
    with interpreted():
        one, two = taken_in(first), taken_in(second)
        merged = merged_deviations((one[0], two[0]), (one[1], two[1]))
    for deviations, x in ((one[1], first), (merged, first + second)):
        assert (deviations.squares[0], deviations.cubes[0]) == by_definition(x)


def test_another_unit_changes_each_moment_by_its_power():
    with interpreted():
        _, deviations = taken_in([1.0, 2.0, 7.0])
    moved = measured_deviations(deviations, 10.0)
    assert moved.squares[0] == pytest.approx(100 * deviations.squares[0])
    assert moved.cubes[0] == pytest.approx(1000 * deviations.cubes[0])

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid._compile import interpreted
from lowbid.policies._yardstick import (
    HIGHEST,
    LOWEST,
    ORIGIN,
    SECOND,
    SEEN,
    UNIT,
    clipped,
    measured,
    merged_yardstick,
    translation,
    yardstick_of,
)
from naive.race import Clip


def fed(losses):
    yardstick = yardstick_of(-math.inf, math.inf)
    return yardstick, [measured(yardstick, loss) for loss in losses]


@given(st.lists(st.integers(-50, 50).map(float), max_size=30))
def test_measures_and_clips_by_the_book(losses):
    with interpreted():
        yardstick, xs = fed(losses)
    clip = Clip()
    assert xs == pytest.approx([clip.take(loss) for loss in losses])
    if losses:
        assert yardstick[LOWEST] == min(xs)
        assert yardstick[HIGHEST] == max(xs)
    if len(losses) > 1:
        assert yardstick[SECOND] == sorted(xs)[1]


def test_a_single_loss_may_triple_the_range_and_no_more():
    with interpreted():
        _, xs = fed([0.0, 1.0, 1e9, -1e9, 0.5])
        assert xs == [0.0, 1.0, 2.0, -2.0, 0.5]
        yardstick = yardstick_of(-math.inf, math.inf)
        assert [clipped(yardstick, x) for x in (10.0, 12.0, 1e9, 11.0)] == [10.0, 12.0, 14.0, 11.0]


def test_a_difference_by_rounding_is_none():
    with interpreted():
        yardstick, xs = fed([0.3, 0.1 + 0.2, 0.8])
    assert xs == [0.0, 0.0, 1.0]
    assert yardstick[UNIT] == 0.5


def test_a_tiny_first_difference_never_makes_what_is_no_number():
    with interpreted():
        yardstick, xs = fed([0.0, 1e-150, *[1.0, 0.0] * 400])
    assert np.isfinite(np.array(xs) ** 3).all()
    assert np.isfinite(yardstick).all()


HISTORIES = {
    "nothing": [],
    "one loss": [0.5],
    "alike": [0.25, 0.25, 0.25],
    "two values": [0.0, 1.0, 1.0],
    "large": [1e90, 0.0],
    "tiny": [0.0, 5e-324, 1.0, 0.0],
}


@pytest.mark.parametrize("second", HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("first", HISTORIES.values(), ids=HISTORIES)
def test_a_merged_yardstick_has_seen_both(first, second):
    with interpreted(), np.errstate(all="raise", under="ignore"):
        one, two = fed(first)[0], fed(second)[0]
        both = merged_yardstick(one, two)
        for part in (one, two):
            shift, factor = translation(both, part)
            assert math.isfinite(shift)
            assert math.isfinite(factor)
            if part[SEEN] > 0:
                assert both[LOWEST] <= shift + factor * part[LOWEST]
                assert both[HIGHEST] >= shift + factor * part[HIGHEST]
    assert both[SEEN] == len(first) + len(second)
    assert both[UNIT] >= max(one[UNIT], two[UNIT])


def test_merging_keeps_the_two_lowest_losses_and_their_unit():
    with interpreted():
        both = merged_yardstick(fed([4.0, 8.0])[0], fed([5.0, 6.0])[0])
    assert both[[ORIGIN, UNIT]].tolist() == [4.0, 4.0]
    assert both[[LOWEST, SECOND, HIGHEST]].tolist() == [0.0, 0.25, 1.0]

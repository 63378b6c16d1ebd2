import math

import numpy as np
import pytest
from scipy import stats

from lowbid.offline._interval import interval_of


def test_many_even_errors_give_students_interval():
    errors = np.tile([-1.0, 1.0], 50_000)
    found = interval_of(errors, len(errors), 0.9)
    half = stats.t.ppf(0.95, len(errors) - 1) * errors.std(ddof=1) / math.sqrt(len(errors))
    assert found.se == pytest.approx(errors.std(ddof=1) / math.sqrt(len(errors)))
    assert found.below == found.above == pytest.approx(half, rel=0.01)
    assert found.below > half


def test_skewed_errors_reach_further_on_their_side():
    errors = np.array([-1.0] * 90 + [9.0] * 10)
    found = interval_of(errors, len(errors), 0.95)
    assert found.above > 1.2 * found.below > 1.2 * 1.96 * found.se
    mirrored = interval_of(-errors, len(errors), 0.95)
    assert (mirrored.below, mirrored.above) == (found.above, found.below)


@pytest.mark.parametrize(
    "errors", [np.tile([-1.0, 1.0], 24), np.zeros(100), np.array([-1.0] * 99 + [99.0])]
)
def test_too_little_gives_no_interval(errors):
    assert interval_of(errors, len(errors), 0.95)[1:] == (math.inf, math.inf)


def test_lines_without_weight_do_not_count():
    errors = np.array([-1.0, 1.0] * 24 + [0.0] * 1000)
    assert interval_of(errors, 48, 0.95).above == math.inf
    assert interval_of(errors, 50, 0.95).above < math.inf

"""Evidence about two arms, and the interval of their difference."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_examples import A, B, C, D, E, F, G, H, I, Z, bounded_row, unbounded_row
from lowbid._compile import interpreted, kernel
from lowbid._evidence import (
    COUNT,
    MEAN,
    SQUARES,
    SURPRISE,
    add_value,
    costs_of_pair,
    least_difference,
    mirrored,
    pair_bound,
    pair_evidence,
)
from naive.evidence import above_without_range, pair

COSTS = costs_of_pair()


def evidence(first, second, by=0.0, row=bounded_row):
    return pair_evidence(row(first), row(second), by, row is bounded_row, COSTS)


def interval(first, second, error):
    one, other, limit = bounded_row(first), bounded_row(second), math.log(1.0 / error)
    low = least_difference(one, other, limit, True, COSTS)
    return low, -least_difference(other, one, limit, True, COSTS)


BY_HAND = [
    (A, B, 0.0, 0.368623),
    (A, B, -0.05, 4.584427),
    (A, C, 0.0, 2.698921),
    (A, C, 0.02, 1.720901),
    (B, C, 0.0, 0.682093),
    (D, E, 0.0, 2.560251),
    (A, Z, 0.0, 17.050133),
    (B, A, 0.0, 0.0),
]


def test_evidence_with_a_range_is_as_computed_by_hand():
    found = [evidence(one, other, by) for one, other, by, _ in BY_HAND]
    assert found == pytest.approx([each[-1] for each in BY_HAND], abs=1e-6)
    with interpreted():
        assert found == [evidence(one, other, by) for one, other, by, _ in BY_HAND]


def test_evidence_without_a_range_is_as_computed_by_hand():
    assert evidence(F, G, row=unbounded_row) == pytest.approx(0.227508, abs=1e-6)
    assert evidence(I, H, row=unbounded_row) == pytest.approx(3.169037, abs=1e-6)
    assert evidence(I, H, row=unbounded_row) == pytest.approx(
        pair(I, H, rule=above_without_range), abs=1e-4
    )
    assert evidence(H[:49], I, row=unbounded_row) == 0.0


@pytest.mark.parametrize("by", [-0.1, 0.0, 0.04])
def test_it_is_the_naive_minimum(by):
    assert evidence(A, C, by) == pytest.approx(max(pair(A, C, by), 0.0), abs=1e-5)
    assert evidence(D, C, by) == pytest.approx(pair(D, C, by), abs=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "error", "low", "high"),
    [
        (A, B, 0.05, -0.037296, 0.137296),
        (A, B, 0.025, -0.043198, 0.143198),
        (A, C, 0.05, -0.005293, 0.305293),
        (D, E, 0.05, -0.002194, 0.062194),
    ],
)
def test_intervals_are_as_computed_by_hand(first, second, error, low, high):
    assert interval(first, second, error) == pytest.approx((low, high), abs=1e-6)


def test_without_values_a_difference_may_be_anything():
    assert interval([], A, 0.05) == (-1.0, 1.0)
    few = unbounded_row([1.0, 2.0] * 24)
    assert least_difference(few, unbounded_row(F), 3.0, False, COSTS) == -math.inf


values = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=2, max_size=60)


@settings(max_examples=50)
@given(values, values, st.floats(-0.5, 0.5), st.floats(0.0, 0.3))
def test_evidence_falls_in_the_margin_and_in_the_surprise(first, second, by, more):
    one, other = bounded_row(first), bounded_row(second)
    now = pair_evidence(one, other, by, True, COSTS)
    assert pair_evidence(one, other, by + more, True, COSTS) <= now + 1e-9
    assert pair_bound(one, other, by, True, COSTS) >= now - 1e-9
    one[SURPRISE] += 1.0
    assert pair_evidence(one, other, by, True, COSTS) <= now + 1e-9


@settings(max_examples=50)
@given(values, values, st.floats(0.5, 6.0))
def test_an_end_of_an_interval_is_where_evidence_reaches_its_limit(first, second, limit):
    one, other = bounded_row(first), bounded_row(second)
    low = least_difference(one, other, limit, True, COSTS)
    assert pair_evidence(one, other, low + 1e-9, True, COSTS) < limit
    if low > -1.0:
        assert pair_evidence(one, other, low, True, COSTS) >= limit


def test_an_end_without_a_range_is_where_evidence_reaches_its_limit():
    for first, second in ((F, G), (G, F), (I, H), (H, I)):
        one, other = unbounded_row(first), unbounded_row(second)
        low = least_difference(one, other, 3.0, False, COSTS)
        assert pair_evidence(one, other, low, False, COSTS) >= 3.0
        assert pair_evidence(one, other, low + 1e-6, False, COSTS) < 3.0


def test_losses_give_the_evidence_of_gains():
    """As losses of 100 to 120 the values are as good as they are as gains of 0 to 1."""
    losses = np.array([bounded_row([120.0 - 20.0 * x for x in v], 100.0, 20.0) for v in (A, C)])
    one, other = mirrored(losses, 100.0, 20.0, rewards=False)
    assert pair_evidence(one, other, 0.02, True, COSTS) == pytest.approx(evidence(A, C, 0.02))
    losses = np.array([unbounded_row([-x for x in v]) for v in (I, H)])
    one, other = mirrored(losses, 0.0, 0.0, rewards=False)
    assert pair_evidence(one, other, 0.0, False, COSTS) == pytest.approx(
        evidence(I, H, row=unbounded_row)
    )
    gains = np.array([bounded_row([100.0 + 20.0 * x for x in v], 100.0, 20.0) for v in (D, E)])
    one, other = mirrored(gains, 100.0, 20.0, rewards=True)
    assert one[[COUNT, MEAN, SQUARES, SURPRISE]] == pytest.approx(
        bounded_row(D)[[COUNT, MEAN, SQUARES, SURPRISE]]
    )


@kernel
def ever_sure(rows, draws, limit, bounded, costs):
    """Whether one of two arms ever seems better, looking whenever there are 2% more values."""
    look, width = 1.0, 1.0 if bounded else 0.0
    for n in range(draws.shape[1]):
        add_value(rows[0], draws[0, n], 0.0, width)
        add_value(rows[1], draws[1, n], 0.0, width)
        if n >= look:
            look = 1.02 * n + 1.0
            better = 0 if rows[0, MEAN] > rows[1, MEAN] else 1
            if pair_evidence(rows[better], rows[1 - better], 0.0, bounded, costs) >= limit:
                return True
    return False


@pytest.mark.parametrize("bounded", [True, False], ids=["50% coins", "normal values"])
def test_equal_arms_are_hardly_ever_told_apart(bounded):
    """Of 300 pairs, 5% may ever be wrong: more than 25 would be so with a chance of 0.5%."""
    rng = np.random.default_rng(3)
    wrong, limit = 0, math.log(1.0 / 0.05)
    for _ in range(300):
        draws = (rng.random((2, 15_000)) < 0.5) if bounded else rng.normal(size=(2, 15_000))
        wrong += ever_sure(np.zeros((2, 6)), draws.astype(float), limit, bounded, COSTS)
    assert wrong <= 25


def test_it_takes_as_long_to_tell_50_from_55_per_cent_as_was_measured():
    """A median of 5,160 decisions, half for each arm, with a standard error of 290."""
    rng = np.random.default_rng(5)
    limit = math.log(1.0 / 0.05)
    means = np.array([[0.5], [0.55]])
    draws = [(rng.random((2, 10_000)) < means).astype(float) for _ in range(100)]
    sure = [
        [ever_sure(np.zeros((2, 6)), each[:, :n].copy(), limit, True, COSTS) for each in draws]
        for n in (2150, 3000)
    ]
    assert np.mean(sure[0]) < 0.5 < np.mean(sure[1])

"""Evidence about one arm."""

import numpy as np
import pytest

from evidence_examples import A, B, C, D, F, H, Z, bounded_row, unbounded_row
from lowbid._evidence import COUNT, MEAN, SURPRISE, evidence_above, evidence_below
from naive.evidence import above, above_without_range


@pytest.mark.parametrize(
    ("values", "n", "total", "surprise", "up", "down"),
    [
        (A, 1000, 550, 249.290172, 11.904097, -0.868002),
        (B, 1000, 500, 251.800889, 2.275719, -0.710020),
        (C, 200, 80, 49.372471, -0.423286, 0.131137),
        (D, 400, 240, 2.039551, 41.137296, -0.740904),
        (Z, 50, 0, 0.406283, -0.537058, 14.051810),
    ],
)
def test_evidence_with_a_range_is_as_computed_by_hand(values, n, total, surprise, up, down):
    row = bounded_row(values)
    assert row[COUNT] == n
    assert row[COUNT] * row[MEAN] == pytest.approx(total)
    assert row[SURPRISE] == pytest.approx(surprise, abs=1e-6)
    assert evidence_above(row, 0.45, bounded=True) == pytest.approx(up, abs=1e-6)
    assert evidence_below(row, 0.45, bounded=True) == pytest.approx(down, abs=1e-6)


@pytest.mark.parametrize("values", [C, D, Z], ids=["coin", "scores", "zeros"])
@pytest.mark.parametrize("mean", [0.05, 0.4, 0.61, 0.99])
def test_evidence_with_a_range_is_the_naive_one(values, mean):
    row = bounded_row(values)
    assert evidence_above(row, mean, bounded=True) == pytest.approx(above(values, mean))
    assert evidence_below(row, mean, bounded=True) == pytest.approx(above(values, mean, -1.0))


def test_evidence_without_a_range_is_as_computed_by_hand():
    assert evidence_above(unbounded_row(F), 9.5, bounded=False) == pytest.approx(2.684640, abs=1e-6)
    assert evidence_below(unbounded_row(H), 6.0, bounded=False) == pytest.approx(1.210066, abs=1e-6)


@pytest.mark.parametrize("values", [F, H], ids=["even", "skewed"])
@pytest.mark.parametrize("mean", [3.0, 5.2, 9.9, 12.0])
def test_evidence_without_a_range_is_the_naive_one(values, mean):
    row = unbounded_row(values)
    for side, rule in ((1.0, evidence_above), (-1.0, evidence_below)):
        expected = above_without_range(values, mean, side)
        assert rule(row, mean, bounded=False) == pytest.approx(expected, rel=1e-9)


def test_there_is_none_before_the_values_tell_enough():
    assert evidence_above(np.zeros(6), 0.1, bounded=True) == 0.0
    for values in ([1.0, 2.0] * 24 + [1.0], [1.0] * 400, [0.0] * 400 + [5.0]):
        assert evidence_above(unbounded_row(values), -9.0, bounded=False) == 0.0
    assert evidence_above(unbounded_row([1.0, 2.0] * 25), -9.0, bounded=False) > 5.0


def test_it_falls_in_the_surprise():
    row = bounded_row(A)
    before = evidence_above(row, 0.45, bounded=True)
    row[SURPRISE] += 10.0
    assert evidence_above(row, 0.45, bounded=True) < before

"""Counts, means and sums of what was measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid._evidence import ABOVE, BELOW, COUNT, MEAN, SQUARES, SURPRISE
from lowbid.online._ledger import (
    empty_ledger,
    mean_of_row,
    merged_ledger,
    record,
    row_from,
    row_to,
)

VALUES = [(i * 37 % 11) / 10 for i in range(50)]


def ledger_of(values):
    ledger = empty_ledger(1)
    for value in values:
        record(ledger, 0, value, 0.0, 0.0)
    return ledger


def test_counts_means_and_squares_are_those_of_the_values():
    row = ledger_of(VALUES)[0]
    assert row[COUNT] == 50
    assert row[MEAN] == pytest.approx(np.mean(VALUES))
    assert row[SQUARES] == pytest.approx(50 * np.var(VALUES))
    assert np.isnan(mean_of_row(empty_ledger(1)[0]))
    assert mean_of_row(row) == row[MEAN]


def test_cubes_are_summed_on_the_side_of_the_mean_so_far():
    """1 is the mean; 3 is 2 above it, and its square after the mean moved is 2 * 1."""
    row = ledger_of([1.0, 3.0])[0]
    assert row[[ABOVE, BELOW]].tolist() == [pytest.approx(2.0**1.5), 0.0]
    row = ledger_of([1.0, 3.0, -1.0])[0]  # 2 is the mean; -1 is 3 below it, and 2 after it moved
    assert row[[ABOVE, BELOW]].tolist() == [pytest.approx(2.0**1.5), pytest.approx(6.0**1.5)]


def test_cubes_do_not_depend_on_where_zero_is():
    far = ledger_of([value + 1e6 for value in VALUES])[0]
    assert far[[ABOVE, BELOW]] == pytest.approx(ledger_of(VALUES)[0][[ABOVE, BELOW]], rel=1e-6)


def test_merged_ledgers_are_the_ledger_of_all_values():
    parts = [ledger_of(VALUES[::3]), ledger_of([x for i, x in enumerate(VALUES) if i % 3])]
    merged, whole = merged_ledger(*parts), ledger_of(VALUES)
    exact = [COUNT, MEAN, SQUARES]
    assert merged[0, SURPRISE] == parts[0][0, SURPRISE] + parts[1][0, SURPRISE]
    assert merged[0, exact] == pytest.approx(whole[0, exact])
    for one, other in [(whole, empty_ledger(1)), (empty_ledger(1), whole)]:
        np.testing.assert_allclose(merged_ledger(one, other), whole, rtol=1e-14)


@given(st.lists(st.floats(-5, 5), min_size=1), st.lists(st.floats(5, 9), min_size=1))
def test_merged_cubes_are_not_less_than_those_around_the_common_mean(first, second):
    merged = merged_ledger(ledger_of(first), ledger_of(second))[0]
    for part, sides in ((first, BELOW), (second, ABOVE)):
        alone = abs(sum(part) / len(part) - merged[MEAN]) ** 3 * len(part)
        assert merged[sides] >= alone * (1 - 1e-9)


def test_rows_go_out_and_come_back():
    row = ledger_of(VALUES)[0]
    np.testing.assert_array_equal(row_from(row_to("a", row)), row)
    with pytest.raises(ValueError, match="another length"):
        row_from({**row_to("a", row), "more": [1.0]})

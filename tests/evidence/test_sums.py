"""What is kept of an arm's outcomes."""

import numpy as np
import pytest

from evidence_examples import A, C, D, bounded_row
from lowbid._evidence import COUNT, MEAN, SQUARES, SURPRISE, merged_sums
from naive.evidence import surprise


@pytest.mark.parametrize("values", [C, D])
def test_the_sums_are_those_of_the_values(values):
    row = bounded_row([7.0 + 2.0 * x for x in values], 7.0, 2.0)
    assert row[COUNT] == len(values)
    assert row[MEAN] == pytest.approx(7.0 + 2.0 * np.mean(values))
    assert row[SQUARES] == pytest.approx(4.0 * len(values) * np.var(values))
    assert row[SURPRISE] == pytest.approx(surprise(values))
    assert bounded_row(values, width=0.0)[SURPRISE] == 0.0


def test_merged_sums_add_up():
    one, other, whole = (bounded_row(v)[np.newaxis] for v in (A, C, [*A, *C]))
    merged = merged_sums(one, other)[0]
    exact = [COUNT, MEAN, SQUARES]
    assert merged[exact] == pytest.approx(whole[0, exact])
    assert merged[SURPRISE] == one[0, SURPRISE] + other[0, SURPRISE]

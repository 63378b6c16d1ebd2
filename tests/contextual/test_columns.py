import numpy as np
import pytest

from lowbid.contextual import LinearIMED
from lowbid.contextual._columns import columns_of, count, deviation, merged_columns, read


def seen(rows):
    columns = columns_of(len(rows[0]))
    for row in rows:
        columns.given[:] = row
        read(columns)
        count(columns)
    return columns


def rows(n=40, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, size=(n, 3)) * [1, 100, 0.01] + [5, -300, 0]


def test_moments_are_those_of_all_decisions():
    data = rows()
    columns = seen(data)
    assert columns.mean[1:] + columns.origin == pytest.approx(data.mean(axis=0))
    sds = [deviation(columns, j) for j in range(4)]
    assert sds == pytest.approx([0, *data.std(axis=0)])
    assert columns.lowest + columns.origin == pytest.approx(data.min(axis=0))
    assert columns.highest + columns.origin == pytest.approx(data.max(axis=0))
    assert columns.x.tolist() == [1.0, *(data[-1] - data[0])]


def test_an_absurd_value_is_replaced_and_leaves_the_column_its_eyes():
    data = rows()
    data[20, 1] = 1e40
    columns = seen(data)
    assert deviation(columns, 2) < 200
    columns.given[:] = data[20]
    read(columns)
    mean, sd = columns.mean[2] + columns.origin[1], deviation(columns, 2)
    assert columns.given[1] == pytest.approx(max(data[0, 1] + columns.highest[1], mean + 5 * sd))
    assert columns.given[[0, 2]].tolist() == data[20, [0, 2]].tolist()


def test_a_column_that_never_varied_takes_any_new_value():
    columns = seen([[0.0]] * 50)
    columns.given[:] = 1.0
    read(columns)
    assert columns.x.tolist() == [1.0, 1.0]


def test_reading_twice_changes_nothing():
    data = rows()
    data[20, 1] = 1e9
    columns = seen(data[:21])
    clipped = columns.given.copy()
    read(columns)
    assert columns.given.tolist() == clipped.tolist()


def test_merged_columns_are_those_of_all_rows():
    data = rows()
    both = merged_columns(seen(data[:15]), seen(data[15:]))
    everything = seen(data)
    for name in ("seen", "origin", "mean", "squares", "lowest", "highest"):
        assert getattr(both, name) == pytest.approx(getattr(everything, name)), name
    empty = columns_of(3)
    for pair in ((empty, everything), (everything, empty)):
        assert merged_columns(*pair).mean.tolist() == everything.mean.tolist()


def test_too_many_columns_are_refused():
    with pytest.raises(ValueError, match="columns is 1001"):
        LinearIMED(columns=1001)
    with pytest.raises(ValueError, match="60 arms and 300 columns of features are too many"):
        LinearIMED(columns=300).start(60)

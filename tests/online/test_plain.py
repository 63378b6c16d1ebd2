"""States as plain data."""

from typing import NamedTuple

import numpy as np
import pytest

from lowbid.online._plain import numbers_to, state_from, state_to


class Part(NamedTuple):
    weights: np.ndarray


class Whole(NamedTuple):
    counts: np.ndarray
    part: Part


def fresh():
    return Whole(np.zeros((3, 2)), Part(np.full(2, np.inf)))


def used():
    state = fresh()
    state.counts[0] = [1.0, 0.1]
    state.part.weights[0] = -np.inf
    return state


def test_what_is_as_at_the_start_is_left_out():
    assert state_to(fresh(), fresh()) == {"counts": [], "part": {"weights": []}}
    assert state_to(used(), fresh()) == {"counts": [[1.0, 0.1]], "part": {"weights": ["-inf"]}}
    assert numbers_to([1.5, [float("nan")], 3]) == [1.5, ["nan"], 3]


def test_it_comes_back_to_the_last_bit():
    back = state_from(state_to(used(), fresh()), fresh())
    np.testing.assert_array_equal(back.counts, used().counts)
    np.testing.assert_array_equal(back.part.weights, used().part.weights)


def test_what_came_later_than_the_file_is_as_at_the_start():
    back = state_from({"counts": [[1.0, 0.1]]}, fresh())
    np.testing.assert_array_equal(back.counts, used().counts)
    np.testing.assert_array_equal(back.part.weights, [np.inf, np.inf])


@pytest.mark.parametrize(
    "saved",
    [
        {},
        {"counts": [], "part": {}},
        {"counts": [], "part": {"weights": []}, "other": []},
        {"counts": [[1.0]], "part": {"weights": []}},
        {"counts": [[0.0, 0.0]] * 4, "part": {"weights": []}},
    ],
)
def test_another_layout_is_refused(saved):
    with pytest.raises(ValueError):  # noqa: PT011 - NumPy says it in the last case
        state_from(saved, fresh())

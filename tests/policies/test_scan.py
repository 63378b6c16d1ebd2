import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid._compile import kernel, specialise
from lowbid.policies import _scan as scan
from lowbid.policies._logs import log_of
from lowbid.policies.ucb1 import State

INDICES = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, np.inf]), min_size=1, max_size=200)


@kernel
def less(state, arm, terms):
    return state.means[arm] - terms


lowest_less = specialise(scan.arm_of_lowest_index, index=less)


def test_ties_are_uniform():
    indices = np.array([1.0, 0.0, 0.0, 2.0, 0.0])
    stream = np.array([1], np.uint64)
    n = 30_000
    counts = np.bincount([scan.argmin(indices, True, stream) for _ in range(n)], minlength=5)
    standard_error = np.sqrt(n * (1 / 3) * (2 / 3))
    assert counts[[0, 3]].sum() == 0
    assert (abs(counts[[1, 2, 4]] - n / 3) < 4 * standard_error).all()
    assert scan.argmin(indices, False, stream) == 1


@given(INDICES)
def test_argmin_of_few_and_of_many(values):
    indices = np.array(values)
    lowest = np.flatnonzero(indices == indices.min())
    stream = np.array([5], np.uint64)
    assert scan.argmin(indices, False, stream) == lowest[0]
    assert {scan.argmin(indices, True, stream) for _ in range(20)} <= set(lowest.tolist())
    assert scan.first_lowest(indices) == (lowest[0], len(lowest))


@given(INDICES)
def test_indices_are_compared_as_they_are_worked_out(values):
    """The same arms as from a scan of all indices, with the same random numbers."""
    means, room = np.array(values), np.zeros(len(values))
    state = State(room, room, means=means, widths=room, indices=np.zeros(len(values)))
    for seed in range(5):
        ours, theirs = np.array([seed], np.uint64), np.array([seed], np.uint64)
        assert lowest_less(state, 0.25, ours) == scan.argmin(means - 0.25, True, theirs)
        assert ours[0] == theirs[0]
        assert (state.indices == means - 0.25).all()


@pytest.mark.parametrize("n_arms", [5, 40])
def test_indices_that_are_no_numbers_lead_to_an_arm(n_arms):
    for values in ([math.nan] * n_arms, [math.nan] + [math.inf] * (n_arms - 1)):
        room = np.zeros(n_arms)
        state = State(room, room, means=np.array(values), widths=room, indices=room.copy())
        chosen = {lowest_less(state, 0.0, np.array([seed], np.uint64)) for seed in range(20)}
        assert chosen <= set(range(n_arms))


def test_logarithms_from_the_table_and_beyond_it():
    assert all(log_of(number) == math.log(number) for number in range(1, 9000))
    assert log_of(0) == -math.inf


@pytest.mark.parametrize("n_arms", [1, 63, 64, 65, 128, 129, 300])
def test_the_next_lowest_is_counted_in_blocks(n_arms):
    indices = np.where(np.random.default_rng(n_arms).random(n_arms) < 0.4, -1.0, 0.0)
    indices[0] = -1.0
    places = np.flatnonzero(indices == -1.0)
    assert [scan.next_lowest(indices, 0, rank) for rank in range(len(places))] == places.tolist()


@pytest.mark.parametrize("n_arms", [7, 31, 32, 40, 47])
def test_the_lowest_is_found_at_every_place(n_arms):
    stream = np.array([5], np.uint64)
    for arm in range(n_arms):
        indices = np.arange(n_arms, 0.0, -1.0)
        indices[arm] = -1.0
        assert scan.argmin(indices, True, stream) == arm

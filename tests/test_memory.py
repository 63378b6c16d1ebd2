"""Hints about memory change no number, compiled or not."""

import numpy as np
import pytest

import lowbid
from lowbid._kernel import allocating_kernel, interpreted
from lowbid._memory import fetch, use_huge_pages

FOUR_MEGABYTES = 1 << 22


@allocating_kernel
def filled(length):
    array = np.empty(length)
    use_huge_pages(array)
    array[:] = 3.0
    for place in (0, length - 1, length):
        fetch(array, place)
    return array


@pytest.mark.parametrize("bytes_", [8, FOUR_MEGABYTES - 8, FOUR_MEGABYTES, 3 * FOUR_MEGABYTES + 8])
def test_hints_leave_arrays_alone(bytes_):
    expected = np.full(bytes_ // 8, 3.0)
    assert np.array_equal(filled(bytes_ // 8), expected)
    with interpreted():
        assert np.array_equal(filled(bytes_ // 8), expected)


def test_very_many_arms_are_played_as_without_hints():
    arms = lowbid.Bernoulli(np.random.default_rng(0).uniform(size=700))
    policy = lowbid.BatchEnsemble(batches=2)
    compiled = lowbid.simulate(policy, arms, horizon=3000, runs=1, seed=3)
    with interpreted():
        plain = lowbid.simulate(policy, arms, horizon=3000, runs=1, seed=3)
    assert np.array_equal(compiled.pulls, plain.pulls)
    assert np.array_equal(compiled.regret, plain.regret)

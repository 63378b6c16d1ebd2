import math

import numpy as np
import pytest

from lowbid._compile._kernel import allocating_kernel, interpreted


@allocating_kernel
def all_kinds(n, m):
    return (
        np.zeros(n),
        np.zeros(n, np.int64),
        np.zeros((n, m)),
        np.zeros((n, m), np.uint64),
        np.full(n, 1.5),
        np.full(n, -1, np.int64),
        np.full((n, m), math.inf),
        np.full(n, 3),
        np.full(n, 7, np.float64),
        np.zeros(0),
        np.zeros((0, 8)),
        np.empty((n, 0)),
        np.arange(n),
    )


def test_new_arrays_are_those_of_numpy():
    compiled = all_kinds(3, 2)
    with interpreted():
        plain = all_kinds(3, 2)
    for ours, theirs in zip(compiled, plain, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.flags.c_contiguous
        np.testing.assert_array_equal(ours, theirs)


def test_arrays_live_on_after_the_kernel_and_do_not_share_memory():
    first, second = all_kinds(1000, 1), all_kinds(1000, 1)
    first[0][:] = 1.0
    assert not second[0].any()
    assert all_kinds(1000, 1)[0].sum() == 0.0


def test_sizes_beyond_all_memory_are_refused():
    @allocating_kernel
    def make(n):
        return np.zeros(n)

    with pytest.raises((MemoryError, ValueError)):
        make(2**62)

"""Hints about memory change no number, compiled or not."""

import re
from pathlib import Path

import numpy as np
import pytest

import lowbid
from lowbid._compile._hints import fetch, use_huge_pages
from lowbid._compile._kernel import allocating_kernel, interpreted
from lowbid._compile._module import Module
from lowbid._compile._native import kinds_of

FOUR_MEGABYTES = 1 << 22


@allocating_kernel
def filled(length):
    array = np.empty(length)
    use_huge_pages(array)
    array[:] = 3.0
    fetch(array, 0)
    fetch(array, length - 1)
    fetch(array, length)
    return array


@pytest.mark.parametrize("bytes_", [8, FOUR_MEGABYTES - 8, FOUR_MEGABYTES, 3 * FOUR_MEGABYTES + 8])
def test_hints_leave_arrays_alone(bytes_):
    expected = np.full(bytes_ // 8, 3.0)
    assert np.array_equal(filled(bytes_ // 8), expected)
    with interpreted():
        assert np.array_equal(filled(bytes_ // 8), expected)


def test_a_fetch_is_the_processor_s_own_instruction():
    module = Module()
    module.call(filled, kinds_of((3,)))
    assert "call void @llvm.prefetch" in module.text()


@pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="no large pages here"
)
def test_large_arrays_are_marked_for_large_pages():
    def marked(array):
        """Whether the system was given this advice about an array's memory."""
        here = False
        for line in Path("/proc/self/smaps").read_text().splitlines():
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                begin, end = (int(each, 16) for each in line.split()[0].split("-"))
                here = begin <= array.ctypes.data + array.nbytes // 2 < end
            elif here and line.startswith("VmFlags"):
                return "hg" in line.split()
        raise AssertionError("the array lies nowhere")

    assert marked(filled(8 * FOUR_MEGABYTES // 8))


def test_very_many_arms_are_played_as_without_hints():
    arms = lowbid.Bernoulli(np.random.default_rng(0).uniform(size=700))
    policy = lowbid.BatchEnsemble(batches=2)
    compiled = lowbid.simulate(policy, arms, horizon=3000, runs=1, seed=3)
    with interpreted():
        plain = lowbid.simulate(policy, arms, horizon=3000, runs=1, seed=3)
    assert np.array_equal(compiled.pulls, plain.pulls)
    assert np.array_equal(compiled.regret, plain.regret)

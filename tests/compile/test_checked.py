"""Indices outside their arrays: in checked mode an error that names the place."""

import os
import subprocess
import sys

import numpy as np
import pytest

from compile.test_language import function_of
from lowbid._compile import checked, interpreted, kernel
from lowbid._compile._kernel import allocating_kernel
from lowbid.errors import KernelIndexError, LowbidError


@kernel
def inner(numbers, place):
    return numbers[place] + 1.0


@allocating_kernel
def outer(numbers, places):
    own = np.zeros(3)
    total = 0.0
    for i in range(len(places)):
        total += inner(numbers, places[i])
        own[i] += total
    return total


def line_of(function, text):
    lines, first = __import__("inspect").getsourcelines(function.function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_indices_inside_are_as_without_checks():
    numbers = np.arange(5.0)
    for places in ([0, 4], [-1, -5, 2]):
        expected = outer(numbers, np.array(places))
        with checked():
            assert outer(numbers, np.array(places)) == expected


@pytest.mark.parametrize("place", [5, -6, 2**62, -(2**63)])
def test_an_index_outside_is_named(place):
    with checked(), pytest.raises(KernelIndexError) as error:
        outer(np.arange(5.0), np.array([0, place, 1]))
    assert isinstance(error.value, LowbidError)
    text = f"test_checked.py, line {line_of(inner, 'numbers[place]')}: the index place is outside"
    assert text in str(error.value)


def test_places_that_are_written_to_are_checked():
    with checked(), pytest.raises(KernelIndexError, match=r"the index i is outside"):
        outer(np.arange(5.0), np.zeros(4, np.int64))


@kernel
def store(table, row, column, value):
    table[row, column] = value
    return row


def test_a_bound_kernel_is_checked_and_can_be_called_again():
    table = np.zeros((2, 3))
    with checked():
        bound, is_final = store.bind(table, 0, 0, 0.0)
    assert is_final
    assert bound(1, 2, 7.0) == 1
    for row, column, name in ((2, 0, "row"), (0, 3, "column"), (-3, 0, "row")):
        with pytest.raises(KernelIndexError, match=f"the index {name} is"):
            bound(row, column, 1.0)
    assert bound(-1, -3, 8.0) == -1
    np.testing.assert_array_equal(table, [[0, 0, 0], [8, 0, 7]])


def test_a_kernel_that_has_moved_in_its_file_is_named_where_it_is():
    text = "@kernel\ndef made(numbers, place):\n    return numbers[place] + 0.125\n"
    for above in ("", "# a comment\n\n"):
        with checked(), pytest.raises(KernelIndexError, match=f"line {above.count(chr(10)) + 3}:"):
            function_of(above + text)(np.zeros(3), 3)


def test_uncompiled_kernels_raise_as_numpy_does():
    with interpreted(), pytest.raises(IndexError):
        outer(np.arange(5.0), np.array([5]))


def test_a_process_can_be_checked_as_a_whole():
    script = (
        "import numpy as np\n"
        "from compile.test_checked import outer\n"
        "outer(np.arange(5.0), np.array([7]))"
    )
    environment = {
        **os.environ,
        "LOWBID_CHECKED": "1",
        "PYTHONPATH": os.pathsep.join(["tests", *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert "KernelIndexError" in done.stderr

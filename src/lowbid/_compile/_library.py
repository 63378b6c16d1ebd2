"""Functions of NumPy, written as kernels; calls of them are compiled to calls of these."""

from __future__ import annotations

from lowbid._arrays import Ints


def count_up(array: Ints) -> None:
    """Write 0, 1, 2, ..."""
    for i in range(len(array)):
        array[i] = i


def largest(array: Ints) -> int:
    """The largest of an array's numbers, of which there is at least one."""
    found = array[0]
    for i in range(1, len(array)):
        found = max(found, array[i])
    return found


def places_up_to(array: Ints, value: int) -> int:
    """The number of entries of a sorted array that are at most `value`."""
    first, last = 0, len(array)
    while first < last:
        middle = (first + last) >> 1
        if array[middle] <= value:
            first = middle + 1
        else:
            last = middle
    return first

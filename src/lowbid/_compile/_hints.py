"""Hints for the compiler and the processor. No result depends on them.

With a million arms, a step spends most of its time waiting for memory. Hints let waits overlap and
make them shorter. Uncompiled, they do nothing; `_builtins` has their compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from lowbid._compile._kernel import hint


@hint
def fetch(array: npt.NDArray[Any], place: int) -> None:
    """Prefetch a number that will be needed soon.

    The position is an index into the whole array. One past the end does no harm.
    """


@hint
def from_start(place: int) -> int:
    """The same place in an array; the caller promises that it is counted from the start.

    A place that was read from memory might be negative, that is, counted from the end. Checking
    for that takes a tenth of the time of some rules, and half of the time of some for MDPs.
    """
    return place


@hint
def use_huge_pages(array: npt.NDArray[Any]) -> None:
    """Request large pages for a large new array, before anything is written to it.

    Looking up a page can take longer than fetching a number from it.
    """

"""Hints about memory, for states too large for the processor's caches.

With a million arms, a step spends most of its time waiting for memory. These hints let waits
overlap and make them shorter; no result depends on them.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy.typing as npt

from lowbid._compile._kernel import hint, kernel

_HUGE_PAGES = 14  # MADV_HUGEPAGE of Linux
_PAGE = 4096
_LARGE = 1 << 22  # bytes: smaller arrays do not need it


def _prefetch() -> Any:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    def fetch(context: Any, array: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            data = context.make_array(array)(context, builder, given[0]).data
            word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            insert: Any = cgutils.get_or_insert_function
            prefetch = insert(builder.module, kind, "llvm.prefetch.p0i8")
            at = builder.bitcast(builder.gep(data, [given[1]]), byte)
            to_read, keep, as_data = word(0), word(3), word(1)
            builder.call(prefetch, [at, to_read, keep, as_data])
            return context.get_dummy_value()

        return types.void(array, types.intp), generate

    return intrinsic(fetch)


@hint(_prefetch, "fetch")
def fetch(array: npt.NDArray[Any], place: int) -> None:
    """Prefetch a number that will be needed soon.

    The position is an index into the whole array, which must be contiguous. One past the end does
    no harm.
    """


@kernel
def from_start(place: int) -> int:
    """The same place in an array; the caller promises that it is counted from the start.

    A place that was read from memory might be negative, that is, counted from the end. Checking
    for that takes a tenth of the time of some rules.
    """
    return place


from_start.told = "from start"


def _advise() -> Any:
    import numba
    from numba import types

    size, flag = types.uintp, types.intc
    madvise: Any = types.ExternalFunction("madvise", flag(types.voidptr, size, flag))

    def in_huge_pages(array: Any) -> None:
        if array.nbytes >= _LARGE:
            begin = (array.ctypes.data + _PAGE - 1) // _PAGE * _PAGE
            end = array.ctypes.data + array.nbytes
            madvise(begin, end - begin, _HUGE_PAGES)

    def elsewhere(array: Any) -> None:
        pass

    return numba.njit(in_huge_pages if sys.platform == "linux" else elsewhere)


@hint(_advise, "huge pages")
def use_huge_pages(array: npt.NDArray[Any]) -> None:
    """Request large pages for a large new array, before anything is written to it.

    Looking up a page can take longer than fetching a number from it.
    """

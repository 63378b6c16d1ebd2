"""New arrays in compiled code, without numba's own functions for every kind of array.

Numba compiles half a dozen functions for `np.zeros` and similar calls for each type and shape: for
a policy's state, that took as long as compiling its rule. Here the instructions are emitted
directly. Kernels still say `np.zeros`: `numpy_for_kernels` replaces `np` when they are compiled.
"""

from __future__ import annotations

import types as python_types
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic
from numba.np.arrayobj import _empty_nd_impl, _parse_shape

# Writes the elements of a new array: (context, builder, array, the types and values given).
Fill = Callable[[Any, Any, Any, Any, Any], None]


def _given(value: Any) -> bool:
    return not (value is None or isinstance(value, types.NoneType | types.Omitted))


def _plan(shape: Any, dtype: Any, given: tuple[Any, ...], fill: Fill) -> Any:
    """The type of a function that creates an array, and how to emit its code."""
    whole = isinstance(shape, types.Integer)
    if not whole and not (isinstance(shape, types.BaseTuple) and len(shape) > 0):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lengths = _parse_shape(context, builder, signature.args[0], arguments[0])
        array = _empty_nd_impl(context, builder, signature.return_type, lengths)
        fill(context, builder, array, signature.args, arguments)
        return array._getvalue()

    made = types.Array(dtype, 1 if whole else len(shape), "C")
    omitted = (types.Omitted(None) if each is None else each for each in given)
    return made(shape, *omitted), generate


def _nothing(context: Any, builder: Any, array: Any, kinds: Any, values: Any) -> None:
    pass


def _zeros(context: Any, builder: Any, array: Any, kinds: Any, values: Any) -> None:
    size = builder.mul(array.itemsize, array.nitems)
    cgutils.memset(builder, array.data, size, 0)


@intrinsic
def empty(typing: Any, shape: Any, dtype: Any = None) -> Any:
    """An array as `np.empty` makes it."""
    kind = parse_dtype(dtype) if _given(dtype) else types.float64
    return None if kind is None else _plan(shape, kind, (dtype,), _nothing)


@intrinsic
def zeros(typing: Any, shape: Any, dtype: Any = None) -> Any:
    """An array as `np.zeros` makes it."""
    kind = parse_dtype(dtype) if _given(dtype) else types.float64
    return None if kind is None else _plan(shape, kind, (dtype,), _zeros)


@intrinsic
def full(typing: Any, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array as `np.full` makes it."""
    kind = parse_dtype(dtype) if _given(dtype) else types.unliteral(fill_value)

    def fill(context: Any, builder: Any, array: Any, kinds: Any, values: Any) -> None:
        value = context.cast(builder, values[1], kinds[1], kind)
        with cgutils.for_range(builder, array.nitems) as loop:
            place = builder.gep(array.data, [loop.index])
            builder.store(context.get_value_as_data(builder, kind, value), place)

    if not isinstance(kind, types.Number):
        return None
    return _plan(shape, kind, (fill_value, dtype), fill)


def numpy_for_kernels() -> python_types.ModuleType:
    """NumPy, with other functions that create arrays."""
    module = python_types.ModuleType("numpy")
    module.__dict__.update(vars(np))
    module.__dict__.update(empty=empty, zeros=zeros, full=full)
    return module

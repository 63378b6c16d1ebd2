"""Kernels that Python calls: conversion of their arguments and results."""

from __future__ import annotations

import ctypes
import functools
import logging
import math
import os
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lowbid._compile import _kept
from lowbid._compile._machine import function_of, machine, object_of
from lowbid._compile._module import Module
from lowbid._compile._values import (
    FLOAT,
    INT,
    KIND_OF_DTYPE,
    TRUTH,
    WORD,
    ArrayKind,
    FixedKind,
    GroupKind,
    Kind,
    Number,
    SettingKind,
    UnsupportedError,
    known,
)
from lowbid._compile._waiting import compiler_at_work
from lowbid._require import require_choice

# The compilers of loops, selected by the environment variable LOWBID_LOOPS; first the default.
LOOPS = ("own", "numba")
# NumPy's flags of an array: contiguous and aligned; not constant.
_LAID_OUT, _WRITEABLE = 0x0101, 0x0400
_FORMATS = {FLOAT: "d", INT: "q", WORD: "Q", TRUTH: "q"}
_NUMBERS: tuple[tuple[Any, str], ...] = (
    ((bool, np.bool_), TRUTH),
    (np.uint64, WORD),
    ((int, np.int64), INT),
    ((float, np.float64), FLOAT),
)


class Native:
    """A compiled kernel for arguments of certain kinds.

    `returned` has a letter for each number that it returns, with a bracket before those of a tuple.
    Arrays of different types are assumed not to share memory; if they do, the `kernel` itself is
    called, compiled by numba.
    """

    def __init__(
        self, kernel: Any, function: Callable[[int], int], kinds: Sequence[Kind], returned: str
    ) -> None:
        self.kernel, self.function, self.kinds = kernel, function, kinds
        self.given = "".join(map(_format, kinds))
        self.is_tuple, self.returned = returned.startswith("("), returned.removeprefix("(")

    def __call__(self, *arguments: Any) -> Any:
        numbers: list[Any] = []
        arrays: list[Any] = []
        for argument, kind in zip(arguments, self.kinds, strict=True):
            _flatten(argument, kind, numbers, arrays)
        if _share_memory(arrays):
            return self.kernel.compiled(*arguments)
        size = struct.calcsize(self.given)
        block = (ctypes.c_uint64 * (size // 8 + len(self.returned)))()
        struct.pack_into(self.given, block, 0, *numbers)
        if self.function(ctypes.addressof(block)):
            raise MemoryError(
                "an array could not be created: its length is negative, or memory ran out"
            )
        found = struct.unpack_from(self.returned.replace("?", "q"), block, size)
        values = [bool(x) if k == "?" else x for k, x in zip(self.returned, found, strict=True)]
        if self.is_tuple:
            return tuple(values)
        return values[0] if values else None


def kinds_of(arguments: tuple[Any, ...]) -> tuple[Kind, ...] | None:
    """The kinds that a kernel is compiled for, given these arguments; None if numba compiles it."""
    if not _is_wanted():
        return None
    try:
        return tuple(map(_kind, arguments))
    except UnsupportedError:
        return None


def build(kernel: Any, arguments: tuple[Any, ...]) -> Native | None:
    """Compile a kernel for arguments like these; None if numba must compile it."""
    if not _is_wanted():
        return None
    try:
        kinds = tuple(map(_kind, arguments))
        name = _kept.name_of(kernel.digest, repr(kinds), machine())
        kept = _kept.load(name)
        if kept is None:
            with compiler_at_work():
                kept = _compiled(kernel, kinds)
            if not kernel.has_changed():
                _kept.save(name, kept)
        returned, _, code = kept.partition(b"\n")
        return Native(kernel, function_of(code), kinds, returned.decode())
    except UnsupportedError as reason:
        logging.getLogger("lowbid").debug("%r is compiled by numba: %s", kernel, reason)
    except Exception as error:  # for example, another version of LLVM than this was written for
        _report_failure(kernel, error)
    return None


_reported = threading.Event()


def _report_failure(kernel: Any, error: Exception) -> None:
    """Warn once, since such a failure is likely to occur for every loop."""
    level = logging.DEBUG if _reported.is_set() else logging.WARNING
    _reported.set()
    text = "lowbid's own compiler failed on %r (%r); numba compiles it instead."
    logging.getLogger("lowbid").log(level, text, kernel, error)


def _compiled(kernel: Any, kinds: Sequence[Kind]) -> bytes:
    """A line with the types of what a kernel returns, followed by its machine code."""
    module = Module()
    result = module.entry(kernel, kinds)
    return _returned(result).encode() + b"\n" + object_of(module.text())


def _is_wanted() -> bool:
    """Whether loops are to be compiled here."""
    how = os.environ.get("LOWBID_LOOPS") or LOOPS[0]
    require_choice("the environment variable LOWBID_LOOPS", how, LOOPS)
    return how == "own"


def _kind(value: Any) -> Kind:
    """The kind of an argument."""
    if isinstance(value, np.ndarray):
        return _array_kind(value.dtype, value.ndim, value.flags.num)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return GroupKind(type(value), tuple(_setting(each) or _kind(each) for each in value))
    if isinstance(value, tuple):
        return GroupKind(None, tuple(map(_kind, value)))
    for types, kind in _NUMBERS:
        if isinstance(value, types):
            if kind == INT and not -(2**63) <= value < 2**63:
                raise UnsupportedError(f"{value} does not fit into 64 bits")
            return kind
    raise UnsupportedError(f"an argument is {value!r}")


@functools.cache
def _array_kind(dtype: Any, axes: int, flags: int) -> ArrayKind:
    """The kind of an array, from NumPy's description of it."""
    kind = KIND_OF_DTYPE.get(dtype.name)
    if kind is None or not dtype.isnative or flags & _LAID_OUT != _LAID_OUT:
        raise UnsupportedError("the memory layout of an array is not supported")
    return ArrayKind(kind, axes, not flags & _WRITEABLE)


def _setting(value: Any) -> SettingKind | None:
    """The kind of a parameter that switches something on or off, or None if it does not.

    Loops are compiled for the exact value of such a parameter. An option that is switched off is
    left out of them: it costs no time, neither to compile nor per step.
    """
    if isinstance(value, bool | np.bool_):
        return _setting_kind(bool(value))
    if isinstance(value, int | float) and value in (0, math.inf) and not _is_minus_zero(value):
        return _setting_kind(value)
    return None


@functools.lru_cache(typed=True)
def _setting_kind(value: float) -> SettingKind:
    number = known(value)
    assert isinstance(number, Number)
    return SettingKind(replace(number, setting=True))


def _is_minus_zero(value: float) -> bool:
    """Whether a number is -0.0, which equals 0 but behaves differently."""
    return math.copysign(1.0, value) < 0.0


def _flatten(value: Any, kind: Kind, numbers: list[Any], arrays: list[Any]) -> None:
    """Append an argument to lists of its 64-bit numbers and of the locations of its arrays."""
    if isinstance(kind, SettingKind):
        return
    if isinstance(value, np.ndarray):
        start = value.__array_interface__["data"][0]
        numbers.append(start)
        numbers += value.shape
        arrays.append((start, start + value.nbytes, value.dtype.char))
    elif isinstance(kind, GroupKind):
        for item, item_kind in zip(value, kind.items, strict=True):
            _flatten(item, item_kind, numbers, arrays)
    else:
        numbers.append(bool(value) if isinstance(value, np.bool_) else value)


def _share_memory(arrays: list[tuple[int, int, str]]) -> bool:
    """Whether arrays of different types overlap in memory, as a view of an array's bits does."""
    ends: dict[str, int] = {}  # of the previous arrays, by their type
    for start, end, kind in sorted(arrays):
        if start < end:
            if any(start < before for other, before in ends.items() if other != kind):
                return True
            ends[kind] = max(end, ends.get(kind, 0))
    return False


def _format(kind: Kind) -> str:
    """The `struct` format of an argument's numbers."""
    if isinstance(kind, ArrayKind):
        return "Q" + "q" * kind.axes
    if isinstance(kind, GroupKind):
        return "".join(map(_format, kind.items))
    if isinstance(kind, SettingKind):
        return ""
    return _FORMATS[str(kind)]


def _returned(kind: Kind) -> str:
    """The letters for the values returned; see `Native`."""
    if isinstance(kind, FixedKind) and kind.value is None:
        return ""
    if isinstance(kind, GroupKind) and kind.made_of is None:
        if not all(isinstance(item, str) for item in kind.items):
            raise UnsupportedError("a tuple is returned that does not consist of numbers")
        return "(" + "".join(map(_returned, kind.items))
    if not isinstance(kind, str):
        raise UnsupportedError("an array or a named tuple is returned")
    return "?" if kind == TRUTH else _FORMATS[kind]

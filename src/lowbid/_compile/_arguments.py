"""Arguments and results of compiled code: their kinds, and their place in a block of words."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lowbid._compile._values import (
    FLOAT,
    INT,
    KIND_OF_DTYPE,
    TRUTH,
    USE_DTYPES,
    WORD,
    ArrayKind,
    FixedKind,
    GroupKind,
    Kind,
    Number,
    SettingKind,
    UnsupportedError,
    known,
    words_for,
)

# NumPy's flags of an array: contiguous and aligned; not constant.
_LAID_OUT, _WRITEABLE = 0x0101, 0x0400
_FORMATS = {FLOAT: "d", INT: "q", WORD: "Q", TRUTH: "q"}
_DTYPES = {kind: np.dtype(name) for name, kind in KIND_OF_DTYPE.items()}
_NUMBERS: tuple[tuple[Any, str], ...] = (
    ((bool, np.bool_), TRUTH),
    (np.uint64, WORD),
    ((int, np.int64), INT),
    ((float, np.float64), FLOAT),
)


def kinds_of(arguments: tuple[Any, ...]) -> tuple[Kind, ...]:
    """The kinds that a kernel is compiled for, given these arguments."""
    return tuple(map(kind_of_argument, arguments))


def kind_of_argument(value: Any) -> Kind:
    """The kind of an argument."""
    if isinstance(value, np.ndarray):
        return _array_kind(value.dtype, value.ndim, value.flags.num)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = tuple(_setting(each) or kind_of_argument(each) for each in value)
        return GroupKind(type(value), items)
    if isinstance(value, tuple):
        return GroupKind(None, tuple(map(kind_of_argument, value)))
    for types, kind in _NUMBERS:
        if isinstance(value, types):
            if kind == INT and not -(2**63) <= value < 2**63:
                raise UnsupportedError(
                    f"the argument {value} exceeds 64 bits; pass a smaller one, or a float"
                )
            return kind
    raise UnsupportedError(
        f"an argument is of type {type(value).__name__}; pass numbers, arrays, and tuples of them"
    )


@functools.cache
def _array_kind(dtype: Any, axes: int, flags: int) -> ArrayKind:
    """The kind of an array, from NumPy's description of it."""
    kind = KIND_OF_DTYPE.get(dtype.name)
    if kind is None or not dtype.isnative:
        raise UnsupportedError(f"an argument is an array of {dtype}; {USE_DTYPES}")
    if flags & _LAID_OUT != _LAID_OUT:
        raise UnsupportedError("an argument is not contiguous; pass np.ascontiguousarray(array)")
    return ArrayKind(kind, axes, not flags & _WRITEABLE)


def _setting(value: Any) -> SettingKind | None:
    """The kind of a parameter that switches something on or off, or None if it does not.

    Code is compiled for the exact value of such a parameter. An option that is switched off is
    left out: it costs no time, neither to compile nor per step.
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


def flatten(value: Any, kind: Kind, numbers: list[Any], arrays: list[Any]) -> None:
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
            flatten(item, item_kind, numbers, arrays)
    else:
        numbers.append(bool(value) if isinstance(value, np.bool_) else value)


def share_memory(arrays: list[tuple[int, int, str]]) -> bool:
    """Whether arrays of different types overlap in memory, as a view of an array's bits does.

    Compiled code assumes that they do not: a number that was read need not be read again after a
    number of another type was written.
    """
    ends: dict[str, int] = {}  # of the previous arrays, by their type
    for start, end, kind in sorted(arrays):
        if start < end:
            if any(start < before for other, before in ends.items() if other != kind):
                return True
            ends[kind] = max(end, ends.get(kind, 0))
    return False


def format_of(kind: Kind) -> str:
    """The `struct` format of the words of an argument or a result."""
    if isinstance(kind, ArrayKind):
        return "Q" + "q" * kind.axes
    if isinstance(kind, GroupKind):
        return "".join(map(format_of, kind.items))
    if isinstance(kind, SettingKind | FixedKind):
        return ""
    return _FORMATS[kind]


def refuse_result(kind: Kind) -> None:
    """Raise if Python cannot be given a result of this kind."""
    if isinstance(kind, GroupKind):
        for item in kind.items:
            refuse_result(item)
    elif isinstance(kind, FixedKind) and kind.value is not None:
        raise UnsupportedError(
            f"the kernel returns {words_for(kind)}; return numbers, arrays, and tuples of them"
        )


def result_from(kind: Kind, words: Iterator[Any], memory: Memory) -> Any:
    """A result, from its words."""
    if isinstance(kind, ArrayKind):
        start, shape = next(words), tuple(next(words) for _ in range(kind.axes))
        return np.asarray(_View(memory, start, shape, _DTYPES[kind.kind], kind.frozen))
    if isinstance(kind, GroupKind):
        items = [result_from(item, words, memory) for item in kind.items]
        return tuple(items) if kind.made_of is None else kind.made_of(*items)
    if isinstance(kind, str):
        return bool(next(words)) if kind == TRUTH else next(words)
    return kind.number.literal if isinstance(kind, SettingKind) else None


class Memory:
    """What the arrays of a result lie in, kept as long as one of them is in use.

    They may be new, or a part of an argument.
    """

    def __init__(self, arguments: tuple[Any, ...], release: Callable[[int], None] | None) -> None:
        self.arguments, self.release, self.first = arguments, release, 0

    def __del__(self) -> None:
        if self.release is not None and self.first:
            self.release(self.first)


class _View:
    """An array for NumPy, in memory that it does not own."""

    def __init__(
        self, memory: Memory, start: int, shape: tuple[int, ...], dtype: Any, frozen: bool
    ) -> None:
        self.memory = memory
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "shape": shape,
            "data": (start, frozen),
        }

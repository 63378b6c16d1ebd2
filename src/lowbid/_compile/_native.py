"""Compiled kernels that Python calls.

There are two ways to call one. A `Call` takes all arguments: the loop of a simulation, say, which
is called rarely and runs for long. A `Bound` kernel keeps its arrays and named tuples, such as the
state of a bandit, and takes only the numbers that change from call to call: their memory is looked
up once, and a call costs a fraction of a microsecond.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import pickle
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lowbid._compile import _cache
from lowbid._compile._arguments import (
    Memory,
    flatten,
    format_of,
    kinds_of,
    refuse_result,
    result_from,
    share_memory,
)
from lowbid._compile._builtins import is_kernel
from lowbid._compile._functions import referenced
from lowbid._compile._machine import functions_of, machine, object_of
from lowbid._compile._module import ENTRY, RELEASE, Module
from lowbid._compile._values import (
    FLOAT,
    INT,
    TRUTH,
    WORD,
    FixedKind,
    Kind,
    UnsupportedError,
    holds_arrays,
)
from lowbid._compile._waiting import compiler_at_work
from lowbid.errors import KernelIndexError

__all__ = ["Bound", "Call", "OverlapError", "UnsupportedError", "kinds_of"]

_C_TYPES: dict[Any, Any] = {
    FLOAT: ctypes.c_double, INT: ctypes.c_int64, WORD: ctypes.c_uint64, TRUTH: ctypes.c_bool,
}  # fmt: skip


class OverlapError(UnsupportedError):
    """Arrays of different types share memory, which compiled code assumes they do not."""


class Header(NamedTuple):
    """What is stored on disk beside machine code.

    Attributes
    ----------
    result : Kind
        The kind of what the kernel returns.
    places : list of str
        Where in the source each checked index is; empty if indices are not checked.
    """

    result: Kind
    places: list[str]


class Call:
    """A compiled kernel for arguments of certain kinds, all of which it is given."""

    def __init__(self, kernel: Any, kinds: Sequence[Kind], checked: bool) -> None:
        self.kinds = kinds
        self.header, code = _made(kernel, kinds, "call", checked)
        self.given = "".join(map(format_of, kinds))
        self.returned = format_of(self.header.result)
        functions = functions_of(code)
        # These run without the GIL.
        self.function = functions(ENTRY, ctypes.c_int64, ctypes.c_void_p)
        self.release = None
        if holds_arrays(self.header.result):
            self.release = functions(RELEASE, None, ctypes.c_void_p)

    def __call__(self, *arguments: Any) -> Any:
        numbers: list[Any] = []
        arrays: list[Any] = []
        for argument, kind in zip(arguments, self.kinds, strict=True):
            flatten(argument, kind, numbers, arrays)
        if share_memory(arrays):
            raise OverlapError("arrays of different types share memory; pass a copy of one")
        size = struct.calcsize(self.given)
        block = (ctypes.c_uint64 * (size // 8 + len(self.returned) + 1))()
        struct.pack_into(self.given, block, 0, *numbers)
        memory = Memory(arguments, self.release)
        flag = self.function(ctypes.addressof(block))
        memory.first = block[len(block) - 1]
        if flag:
            _raise(flag, self.header)
        words = struct.unpack_from(self.returned, block, size)
        return result_from(self.header.result, iter(words), memory)


class Bound:
    """A compiled kernel for arguments of certain kinds, of which a call is given the numbers."""

    def __init__(self, kernel: Any, kinds: Sequence[Kind], checked: bool) -> None:
        self.kinds, self.checked = kinds, checked
        self.header, code = _made(kernel, kinds, "bound", checked)
        result = self.header.result
        numbers = [_C_TYPES[kind] for kind in kinds if isinstance(kind, str)]
        returned = None if isinstance(result, FixedKind) else _C_TYPES[result]
        # These keep the GIL: a thread that gives it up for a microsecond may wait for milliseconds
        # until it gets it back.
        self.function = functions_of(code)(
            ENTRY, returned, ctypes.c_void_p, *numbers, keeps_gil=True
        )

    def to(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The function of the numbers among these arguments, with the others as they are."""
        values: list[Any] = []
        arrays: list[Any] = []
        for argument, kind in zip(arguments, self.kinds, strict=True):
            if not isinstance(kind, str):
                flatten(argument, kind, values, arrays)
        if share_memory(arrays):
            raise OverlapError("arrays of different types share memory; pass a copy of one")
        given = "".join(format_of(kind) for kind in self.kinds if not isinstance(kind, str))
        block = (ctypes.c_uint64 * (len(values) + 1))()
        struct.pack_into(given, block, 0, *values)
        call = functools.partial(self.function, ctypes.addressof(block))
        if self.checked:
            call = functools.partial(self._checked, call, block)
        call.kept = block, arguments  # type: ignore[attr-defined]
        return call

    def _checked(self, call: Callable[..., Any], block: Any, *numbers: Any) -> Any:
        found = call(*numbers)
        flag = block[len(block) - 1]
        if flag:
            _raise(flag, self.header)
        return found


def _raise(flag: int, header: Header) -> None:
    """Raise the error that a flag stands for."""
    if flag == 1:
        raise MemoryError(
            "an array could not be created: its length is negative, or memory ran out"
        )
    raise KernelIndexError(
        f"{header.places[flag - 2]} is outside its array; uncompiled, the kernel raises there too, "
        "or counts from the end of the array."
    )


def _made(kernel: Any, kinds: Sequence[Kind], form: str, checked: bool) -> tuple[Header, bytes]:
    """The machine code of a kernel, from disk if it is there."""
    # Checked code says where an index is, so that it depends on the lines too.
    lines = _lines(kernel) if checked else ""
    name = _cache.name_of(kernel.digest, repr(kinds), form, lines, machine())
    stored = _cache.load(name)
    if stored is not None:
        try:
            return _unpacked(stored)
        except Exception as error:  # for example, a class that has been renamed
            logging.getLogger("lowbid").debug("%r is compiled again: %s", kernel, error)
    with compiler_at_work():
        module = Module(checked)
        result = getattr(module, form)(kernel, kinds)
        refuse_result(result)
        header, code = Header(result, module.places), object_of(module.text())
    if not kernel.has_changed():
        try:
            described = pickle.dumps(header)
        except (pickle.PicklingError, AttributeError):  # a class defined in a function
            return header, code
        _cache.save(name, len(described).to_bytes(8, "little") + described + code)
    return header, code


def _lines(kernel: Any) -> str:
    """Where the code of a kernel, and of those that it calls, comes from."""
    called = [each for each in referenced(kernel.function).values() if is_kernel(each)]
    code = kernel.function.__code__
    mine = f"{code.co_filename} {code.co_firstlineno} {code.co_linetable.hex()}"
    return "\n".join([mine, *map(_lines, called)])


def _unpacked(stored: bytes) -> tuple[Header, bytes]:
    end = 8 + int.from_bytes(stored[:8], "little")
    return pickle.loads(stored[8:end]), stored[end:]

"""The values of a kernel's expressions while its code is written: numbers, arrays, tuples."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

# Kinds of numbers: floats, signed and unsigned whole numbers of 64 bits, and truth values.
FLOAT, INT, WORD, TRUTH = "float", "int", "word", "truth"

# LLVM's types of numbers in a register, and in an array.
REGISTER = {FLOAT: "double", INT: "i64", WORD: "i64", TRUTH: "i1"}
MEMORY = {FLOAT: "double", INT: "i64", WORD: "i64", TRUTH: "i8"}
SIZE = {FLOAT: 8, INT: 8, WORD: 8, TRUTH: 1}
KIND_OF_DTYPE = {"float64": FLOAT, "int64": INT, "uint64": WORD, "bool": TRUTH}
USE_DTYPES = "use np.float64, np.int64, np.uint64 or np.bool_"


class UnsupportedError(Exception):
    """The kernel uses something that cannot be compiled; it runs uncompiled.

    The message says what is not possible, and after a semicolon what to write instead.

    Attributes
    ----------
    where : str
        The file and the line; empty if it is not about a line.
    """

    where = ""

    def locate(self, where: str) -> None:
        """Say where it is, if that is not known more exactly already."""
        self.where = self.where or where

    def __str__(self) -> str:
        return f"{self.where}: {super().__str__()}" if self.where else super().__str__()


@dataclass(frozen=True)
class Number:
    """A number: the register or the constant that holds it."""

    kind: str
    text: str
    literal: Any = None  # its value, if that is known
    natural: bool = False  # whether it is known not to be negative
    setting: bool = False  # whether functions are written for this exact value


@dataclass(frozen=True)
class Array:
    """A contiguous array, in whose memory the last axis varies fastest."""

    kind: str
    data: str
    shape: tuple[Number, ...]
    frozen: bool = False  # whether it is read-only


@dataclass(frozen=True)
class Group:
    """A tuple; a named tuple if it has a class."""

    made_of: type[Any] | None
    items: tuple[Value, ...]


@dataclass(frozen=True)
class Fixed:
    """Something that is known when the code is written: a function, a module, a class, None."""

    value: Any


Value = Number | Array | Group | Fixed


@dataclass(frozen=True)
class ArrayKind:
    """The kind of an array."""

    kind: str
    axes: int
    frozen: bool = False


@dataclass(frozen=True)
class GroupKind:
    """The kind of a tuple."""

    made_of: type[Any] | None
    items: tuple[Kind, ...]

    def __repr__(self) -> str:  # part of a name on disk: the order of fields matters
        fields = getattr(self.made_of, "_fields", None)
        return f"GroupKind({self.made_of}, {fields}, {self.items})"


@dataclass(frozen=True)
class SettingKind:
    """The kind of a number that never changes, such as an option that is off."""

    number: Number


@dataclass(frozen=True)
class FixedKind:
    """The kind of something known, which is equal only to itself."""

    value: Any

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedKind) and other.value is self.value


Kind = str | ArrayKind | GroupKind | SettingKind | FixedKind


def kind_of(value: Value) -> Kind:
    """The kind of a value."""
    if isinstance(value, Number):
        return SettingKind(value) if value.setting else value.kind
    if isinstance(value, Array):
        return ArrayKind(value.kind, len(value.shape), value.frozen)
    if isinstance(value, Group):
        return GroupKind(value.made_of, tuple(map(kind_of, value.items)))
    return FixedKind(value.value)


def holds_arrays(kind: Kind) -> bool:
    """Whether a value of this kind is an array, or has one in it."""
    if isinstance(kind, GroupKind):
        return any(map(holds_arrays, kind.items))
    return isinstance(kind, ArrayKind)


def registers_of(kind: Kind) -> list[str]:
    """LLVM's types of all registers that a value of this kind needs."""
    if isinstance(kind, str):
        return [REGISTER[kind]]
    if isinstance(kind, ArrayKind):
        return ["ptr"] + ["i64"] * kind.axes
    if isinstance(kind, GroupKind):
        return [register for item in kind.items for register in registers_of(item)]
    return []


def texts_of(value: Value) -> list[str]:
    """The registers or constants of a value, in the same order."""
    if isinstance(value, Number):
        return [] if value.setting else [value.text]
    if isinstance(value, Array):
        return [value.data, *(length.text for length in value.shape)]
    if isinstance(value, Group):
        return [text for item in value.items for text in texts_of(item)]
    return []


def value_from(kind: Kind, texts: Iterator[str]) -> Value:
    """A value of this kind, made of registers."""
    if isinstance(kind, str):
        return Number(kind, next(texts))
    if isinstance(kind, ArrayKind):
        data, shape = next(texts), tuple(natural(next(texts)) for _ in range(kind.axes))
        return Array(kind.kind, data, shape, kind.frozen)
    if isinstance(kind, GroupKind):
        return Group(kind.made_of, tuple(value_from(item, texts) for item in kind.items))
    return kind.number if isinstance(kind, SettingKind) else Fixed(kind.value)


def naturals_of(value: Value) -> list[bool]:
    """For a number, or each number in a tuple: whether it is known not to be negative."""
    if isinstance(value, Group):
        return [known for item in value.items for known in naturals_of(item)]
    return [value.natural] if isinstance(value, Number) else []


def with_naturals(value: Value, known: Iterator[bool]) -> Value:
    """The same value, in which numbers are known not to be negative."""
    if isinstance(value, Group):
        return Group(value.made_of, tuple(with_naturals(item, known) for item in value.items))
    if isinstance(value, Number):
        return replace(value, natural=next(known) and value.kind == INT)
    return value


def changing(kind: Kind) -> Kind:
    """The kind of a value that may differ from its setting."""
    if isinstance(kind, GroupKind):
        return GroupKind(kind.made_of, tuple(map(changing, kind.items)))
    return kind.number.kind if isinstance(kind, SettingKind) else kind


def wider(first: Kind, second: Kind) -> Kind:
    """The kind of a variable that is sometimes of one kind and sometimes of another."""
    if first == second:
        return first
    first, second = changing(first), changing(second)
    if first == second:
        return first
    if isinstance(first, str) and isinstance(second, str) and WORD not in (first, second):
        return FLOAT if FLOAT in (first, second) else INT
    if (
        isinstance(first, GroupKind)
        and isinstance(second, GroupKind)
        and first.made_of is second.made_of
        and len(first.items) == len(second.items)
    ):
        return GroupKind(first.made_of, tuple(map(wider, first.items, second.items)))
    raise UnsupportedError(
        f"a value is {words_for(first)} in one place and {words_for(second)} in another; use two "
        "names, or convert one"
    )


_WORDS = {
    FLOAT: "a float", INT: "a whole number", WORD: "an unsigned number", TRUTH: "a Boolean",
}  # fmt: skip


def words_for(kind: Kind) -> str:
    """How an error message calls values of a kind."""
    if isinstance(kind, SettingKind):
        return words_for(kind.number.kind)
    if isinstance(kind, str):
        return _WORDS[kind]
    if isinstance(kind, ArrayKind):
        return f"an array with {kind.axes} {'axis' if kind.axes == 1 else 'axes'}"
    if isinstance(kind, GroupKind):
        return "a tuple" if kind.made_of is None else f"a {kind.made_of.__name__}"
    name = getattr(kind.value, "__name__", None)
    return repr(kind.value) if name is None else str(name)


def as_number(value: Value) -> Number:
    """A value that must be a number."""
    if isinstance(value, Number):
        return value
    if isinstance(value, Array):
        raise UnsupportedError(
            "an array is used as a number; write a loop over range(len(array)), one number at a "
            "time"
        )
    raise UnsupportedError(
        f"{words_for(kind_of(value))} is used as a number; use a float, a whole number or a Boolean"
    )


def natural(text: str) -> Number:
    """A whole number that is not negative, such as a length."""
    return Number(INT, text, natural=True)


def whole(value: int) -> Number:
    """A whole number that is known."""
    if not -(2**63) <= value < 2**63:
        raise UnsupportedError(
            f"{value} does not fit into 64 bits; use a float, or np.uint64 below 2**64"
        )
    return Number(INT, str(value), value, 0 <= value < 2**62)


def real(value: float) -> Number:
    """A float that is known, written so that LLVM reads all of its bits."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return Number(FLOAT, f"0x{bits:016X}", value)


def truth(value: bool) -> Number:
    """True or False."""
    return Number(TRUTH, "true" if value else "false", value)


def known(value: Any) -> Value:
    """The value of a Python object in a kernel; the module stores arrays."""
    if isinstance(value, bool | np.bool_):
        return truth(bool(value))
    if isinstance(value, np.uint64):
        return Number(WORD, str(int(value)), value)
    if isinstance(value, int | np.int64):
        return whole(int(value))
    if isinstance(value, float | np.float64):
        return real(float(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Group(type(value), tuple(map(known, value)))
    return Fixed(value)

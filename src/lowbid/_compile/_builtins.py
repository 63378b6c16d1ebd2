"""Functions of Python, `math` and NumPy that kernels call."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lowbid._compile import _library as library
from lowbid._compile._values import (
    FLOAT,
    INT,
    KIND_OF_DTYPE,
    MEMORY,
    REGISTER,
    SIZE,
    TRUTH,
    USE_DTYPES,
    WORD,
    Array,
    Fixed,
    FixedKind,
    Group,
    Number,
    UnsupportedError,
    Value,
    as_number,
    kind_of,
    natural,
    real,
    whole,
    words_for,
)

if TYPE_CHECKING:
    from lowbid._compile._code import Code
    from lowbid._compile._function import FunctionWriter

Named = dict[str, Value]
_SEE_PAGE = 'the page "Write a kernel"'


def is_kernel(called: Any) -> bool:
    """Whether something is a kernel: a function whose source can be compiled here."""
    return hasattr(called, "function") and hasattr(called, "allocates")


def apply(writer: FunctionWriter, called: Any, given: list[Value], named: Named) -> Value:
    """Call one of the supported functions."""
    if called in _OF_NUMBERS and not named and _takes(_OF_NUMBERS[called], len(given)):
        return _OF_NUMBERS[called](writer.code, *map(as_number, given))
    if called in _MATHS and len(given) == 1 and not named:
        return _maths(writer.code, called, as_number(given[0]))
    if called in _MAKERS:
        return _made(writer, called, given, named)
    if called is len and len(given) == 1:
        return _length(given[0])
    if called is np.array and len(given) == 1 and not named:
        return _array_of(writer, given[0])
    if called is np.arange and len(given) == 1 and not named:
        length = as_number(given[0])
        if length.kind != INT:
            raise UnsupportedError("np.arange takes a whole number; convert it with int(x)")
        length = _extreme(">")(writer.code, length, whole(0))
        new = writer.allocate(INT, [length])
        writer.invoke(_plain(library.count_up), False, [new], {})
        return new
    if called is np.searchsorted and set(named) == {"side"} and len(given) == 2:
        side, (array, value) = named["side"], given
        if side == Fixed("right") and isinstance(array, Array) and array.kind == INT:
            return writer.invoke(_plain(library.places_up_to), False, [array, value], {})
    raise UnsupportedError(_refusal_of(called))


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function takes this many numbers, after the code that it writes to."""
    try:
        inspect.signature(function).bind(None, *[None] * count)
    except TypeError:
        return False
    return True


def _refusal_of(called: Any) -> str:
    """What is said of a function that kernels cannot call, or not with these arguments."""
    name = getattr(called, "__name__", str(called))
    if isinstance(called, types.FunctionType) and called.__module__.partition(".")[0] != "numpy":
        return f"{name} is a plain function; mark it with @kernel"
    instead = getattr(math, name, None)
    if isinstance(called, np.ufunc) and (instead in _MATHS or instead in _OF_NUMBERS):
        return f"np.{name} is not supported; use math.{name}"
    if called in _SUPPORTED:
        return f"{name} is called in a way that is not supported; {_SEE_PAGE} shows how to call it"
    return f"{name} is not supported; write a loop over range(...), or use what {_SEE_PAGE} lists"


def method(writer: FunctionWriter, array: Array, name: str, given: int) -> Value:
    """Call a method of an array."""
    if name == "max" and array.kind == INT and len(array.shape) == 1 and not given:
        return writer.invoke(_plain(library.largest), False, [array], {})
    if name == "copy" and not given:
        new = writer.allocate(array.kind, array.shape)
        size = _bytes(writer.code, array)
        copy = f"call void @llvm.memcpy.p0.p0.i64(ptr {new.data}, ptr {array.data}, i64 {size}"
        writer.code.put(f"{copy}, i1 false)")
        return new
    raise UnsupportedError(
        f"the array method {name} is not supported, or not for this array; write a loop over "
        "range(len(array))"
    )


def view(code: Code, number: Number, dtype: Value) -> Number:
    """The number of another type that has the same 64 bits."""
    kind = _kind_of_dtype(dtype)
    if TRUTH in (kind, number.kind):
        raise UnsupportedError("a Boolean has no 64 bits to view; convert it with int(x)")
    if FLOAT not in (kind, number.kind):
        return code.cast(number, kind)
    if kind == number.kind:
        return number
    one, other = REGISTER[number.kind], REGISTER[kind]
    return Number(kind, code.let(f"bitcast {one} {number.text} to {other}"))


def range_of(given: Sequence[Number]) -> tuple[Number, Number, int]:
    """The start, the stop and the step of a range."""
    if not 1 <= len(given) <= 3 or any(number.kind != INT for number in given):
        raise UnsupportedError("range takes one to three whole numbers; convert each with int(x)")
    step = given[2].literal if len(given) == 3 else 1
    if not step:
        raise UnsupportedError("the step of a range is not a constant other than 0; use while")
    first, last = (whole(0), given[0]) if len(given) == 1 else given[:2]
    return first, last, step


def hint(writer: FunctionWriter, what: str, given: Sequence[Value]) -> Value:
    """Give the processor, or this compiler, a hint that changes no result."""
    code, array = writer.code, given[0]
    if what == "from_start":  # LLVM sees that the result is not negative
        return Number(INT, code.let(f"and i64 {_int(code, as_number(array)).text}, {2**63 - 1}"))
    if not isinstance(array, Array):
        raise UnsupportedError(f"the hint {what} is about an array; pass one")
    if what == "fetch":
        kind, place = MEMORY[array.kind], as_number(given[1]).text
        at = code.let(f"getelementptr {kind}, ptr {array.data}, i64 {place}")
        code.put(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
    elif writer.module.on_linux:  # use_huge_pages
        code.put(f"call void @use_huge_pages(ptr {array.data}, i64 {_bytes(code, array)})")
    return Fixed(None)


def _plain(function: Callable[..., Any]) -> types.FunctionType:
    return cast(types.FunctionType, function)


def _bytes(code: Code, array: Array) -> str:
    count = code.product(array.shape).text
    return code.let(f"mul nsw i64 {count}, {SIZE[array.kind]}")


def _length(value: Value) -> Value:
    if isinstance(value, Array):
        return value.shape[0]
    if isinstance(value, Group):
        return whole(len(value.items))
    if isinstance(value, Fixed) and isinstance(value.value, tuple):
        return whole(len(value.value))
    what = words_for(kind_of(value))
    raise UnsupportedError(f"{what} has no length; pass len an array or a tuple")


# New arrays


def _made(writer: FunctionWriter, called: Any, given: list[Value], named: Named) -> Value:
    """A new array, as created by `np.zeros` and similar functions."""
    names = ("shape", "fill_value", "dtype") if called is np.full else ("shape", "dtype")
    words = {**dict(zip(names, given, strict=False)), **named}
    if not set(words) <= set(names) or not {*names[:-1]} <= set(words):
        how = f"np.{called.__name__}({', '.join(names)})"
        raise UnsupportedError(f"np.{called.__name__} is given other arguments; write {how}")
    shape, fill = words["shape"], words.get("fill_value")
    lengths = shape.items if isinstance(shape, Group) else (shape,)
    kind = fill.kind if isinstance(fill, Number) else FLOAT
    if "dtype" in words:
        kind = _kind_of_dtype(words["dtype"])
    new = writer.allocate(kind, [as_number(length) for length in lengths])
    if called is np.full:
        writer.code.fill(new, as_number(words["fill_value"]))
    elif called is np.ones:
        writer.code.fill(new, whole(1))
    return new


def _kind_of_dtype(value: Value) -> str:
    if not isinstance(value, Fixed) or value.value is None:
        raise UnsupportedError(f"the dtype of an array is not a constant; {USE_DTYPES}")
    try:
        return KIND_OF_DTYPE[np.dtype(value.value).name]
    except (KeyError, TypeError):
        raise UnsupportedError(
            f"{words_for(FixedKind(value.value))} is not a dtype of kernels; {USE_DTYPES}"
        ) from None


def _array_of(writer: FunctionWriter, items: Value) -> Value:
    if not isinstance(items, Group) or not items.items:
        raise UnsupportedError(
            "np.array is not given a list of floats; use np.zeros, and write each number to it"
        )
    numbers = [as_number(item) for item in items.items]
    if any(number.kind != FLOAT for number in numbers):
        raise UnsupportedError(
            "np.array takes floats only; write 1.0 for 1, or use np.zeros(n, np.int64)"
        )
    new = writer.allocate(FLOAT, [whole(len(numbers))])
    for i, number in enumerate(numbers):
        writer.code.write(FLOAT, writer.code.address(new, [str(i)]), number)
    return new


# Functions of numbers

# LLVM's names of those that it has; the others are the C library's.
_MATHS = {
    math.log: "llvm.log.f64", math.exp: "llvm.exp.f64", math.sqrt: "llvm.sqrt.f64",
    math.sin: "llvm.sin.f64", math.cos: "llvm.cos.f64", math.fabs: "llvm.fabs.f64",
    math.log1p: "log1p", math.expm1: "expm1",
}  # fmt: skip


def _maths(code: Code, called: Any, x: Number) -> Number:
    given = code.cast(x, FLOAT).text
    return Number(FLOAT, code.let(f"call double @{_MATHS[called]}(double {given})"))


def _rounded(name: str) -> Callable[..., Number]:
    def rounded(code: Code, x: Number) -> Number:
        given = code.cast(x, FLOAT).text
        text = code.let(f"call double @llvm.{name}.f64(double {given})")
        return code.cast(Number(FLOAT, text), INT)

    return rounded


def _is_finite(code: Code, x: Number) -> Number:
    size = code.let(f"call double @llvm.fabs.f64(double {code.cast(x, FLOAT).text})")
    return Number(TRUTH, code.let(f"fcmp one double {size}, {real(math.inf).text}"))


def _is_nan(code: Code, x: Number) -> Number:
    given = code.cast(x, FLOAT).text
    return Number(TRUTH, code.let(f"fcmp uno double {given}, {given}"))


def _ldexp(code: Code, x: Number, power: Number) -> Number:
    if power.kind != INT:
        raise UnsupportedError(
            "the exponent of math.ldexp is not a whole number; convert it with int(x)"
        )
    power = _extreme("<")(code, _extreme(">")(code, power, whole(-9999)), whole(9999))
    short = code.let(f"trunc i64 {power.text} to i32")
    given = code.cast(x, FLOAT).text
    return Number(FLOAT, code.let(f"call double @ldexp(double {given}, i32 {short})"))


def _int(code: Code, x: Number) -> Number:
    if x.kind == WORD:
        raise UnsupportedError("int of an unsigned number may not fit; use np.int64(x)")
    return code.cast(x, INT)


def _abs(code: Code, x: Number) -> Number:
    if x.kind == FLOAT:
        return Number(FLOAT, code.let(f"call double @llvm.fabs.f64(double {x.text})"))
    if x.kind != INT:
        raise UnsupportedError(f"abs of {words_for(x.kind)}; convert it with np.int64(x)")
    opposite = Number(INT, code.let(f"sub i64 0, {x.text}"))
    # It may be negative: the lowest number has no positive counterpart.
    return Number(INT, code.choose(code.compare("<", x, whole(0)), opposite, x).text)


def _extreme(order: str) -> Callable[..., Number]:
    def extreme(code: Code, first: Number, *others: Number) -> Number:
        """The first of the numbers that none of the others exceeds in this direction."""
        if not others:
            raise UnsupportedError("min and max take two numbers or more; pass them one by one")
        for other in others:
            first, after = code.alike(first, other)
            either = order == ">" and (first.natural or after.natural)
            first = code.choose(code.compare(order, after, first), after, first)
            if either and first.kind == INT:
                first = natural(first.text)
        return first

    return extreme


_OF_NUMBERS: dict[Any, Callable[..., Number]] = {
    int: _int,
    float: lambda code, x: code.cast(x, FLOAT),
    bool: lambda code, x: code.cast(x, TRUTH),
    np.int64: lambda code, x: code.cast(x, INT),
    np.uint64: lambda code, x: code.cast(x, WORD),
    np.float64: lambda code, x: code.cast(x, FLOAT),
    abs: _abs,
    min: _extreme("<"),
    max: _extreme(">"),
    math.floor: _rounded("floor"),
    math.ceil: _rounded("ceil"),
    math.isfinite: _is_finite,
    math.isnan: _is_nan,
    math.ldexp: _ldexp,
}
_MAKERS = (np.zeros, np.empty, np.full, np.ones)
_SUPPORTED = (*_OF_NUMBERS, *_MATHS, *_MAKERS, len, range, np.array, np.arange, np.searchsorted)

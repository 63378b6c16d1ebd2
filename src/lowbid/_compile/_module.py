"""All functions of a kernel, its constants, and its entry point, as one text for LLVM."""

from __future__ import annotations

import itertools
import sys
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile._code import Code
from lowbid._compile._function import FunctionWriter
from lowbid._compile._functions import definition
from lowbid._compile._values import (
    FLOAT,
    KIND_OF_DTYPE,
    MEMORY,
    REGISTER,
    USE_DTYPES,
    Array,
    Fixed,
    Kind,
    UnsupportedError,
    Value,
    holds_arrays,
    known,
    real,
    registers_of,
    whole,
)

ENTRY, RELEASE = "lowbid_entry", "lowbid_release"
# Functions shorter than this many lines are best inlined into all their callers, as measured.
_LONG = 600

# Memory is allocated piece by piece, and each piece points to the previous one: see `release`.
_RUNTIME = """
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
declare double @llvm.log.f64(double)
declare double @llvm.exp.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @log1p(double) #2
declare double @expm1(double) #2
declare double @ldexp(double, i32) #2
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @madvise(ptr, i64, i32)

declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

define internal i64 @times(i64 %first, i64 %second) alwaysinline nounwind {
  %both = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %first, i64 %second)
  %product = extractvalue { i64, i1 } %both, 0
  %over = extractvalue { i64, i1 } %both, 1
  %kept = select i1 %over, i64 -1, i64 %product
  ret i64 %kept
}

define internal noalias align 64 ptr @allocate(ptr %arena, i64 %size) noinline nounwind {
  %huge = icmp ugt i64 %size, 4611686018427387904
  br i1 %huge, label %failed, label %fits
fits:
  %room = add i64 %size, 80
  %piece = call noalias ptr @calloc(i64 1, i64 %room)
  %none = icmp eq ptr %piece, null
  br i1 %none, label %failed, label %made
failed:
  %flag = getelementptr i64, ptr %arena, i64 1
  store i64 1, ptr %flag
  ret ptr null
made:
  %number = ptrtoint ptr %piece to i64
  %beyond = add i64 %number, 79
  %aligned = and i64 %beyond, -64
  %data = inttoptr i64 %aligned to ptr
  %before = load ptr, ptr %arena
  %one = getelementptr ptr, ptr %data, i64 -1
  %two = getelementptr ptr, ptr %data, i64 -2
  store ptr %before, ptr %one
  store ptr %piece, ptr %two
  store ptr %data, ptr %arena
  ret ptr %data
}

define internal void @release(ptr %arena, ptr %mark) noinline nounwind {
entry:
  br label %head
head:
  %data = load ptr, ptr %arena
  %done = icmp eq ptr %data, %mark
  br i1 %done, label %end, label %more
more:
  %one = getelementptr ptr, ptr %data, i64 -1
  %two = getelementptr ptr, ptr %data, i64 -2
  %before = load ptr, ptr %one
  %piece = load ptr, ptr %two
  store ptr %before, ptr %arena
  call void @free(ptr %piece)
  br label %head
end:
  ret void
}

define internal void @use_huge_pages(ptr %data, i64 %size) noinline nounwind {
  %large = icmp sge i64 %size, 4194304
  br i1 %large, label %advise, label %end
advise:
  %number = ptrtoint ptr %data to i64
  %beyond = add i64 %number, 4095
  %begin = and i64 %beyond, -4096
  %skipped = sub i64 %begin, %number
  %left = sub i64 %size, %skipped
  %page = inttoptr i64 %begin to ptr
  call i32 @madvise(ptr %page, i64 %left, i32 14)
  br label %end
end:
  ret void
}

attributes #1 = { nounwind }
attributes #2 = { nounwind willreturn memory(none) }
!0 = !{!"lowbid"}
!1 = !{!5, !5, i64 0}
!2 = !{!6, !6, i64 0}
!3 = !{!7, !7, i64 0}
!4 = !{!8, !8, i64 0}
!5 = !{!"float", !0, i64 0}
!6 = !{!"int", !0, i64 0}
!7 = !{!"word", !0, i64 0}
!8 = !{!"truth", !0, i64 0}
"""
# Only where arrays are returned: with a second caller of `release`, LLVM makes some loops slower
# by a tenth.
_RELEASE = f"""
define void @{RELEASE}(ptr %first) nounwind {{
  %arena = alloca [2 x i64]
  store ptr %first, ptr %arena
  call void @release(ptr %arena, ptr null)
  ret void
}}
"""


class Made(NamedTuple):
    """A function that has been written: its name, and what it returns."""

    name: str
    result: Kind
    naturals: list[bool]
    size: int  # its number of lines, including functions inlined into it


class Module:
    """The text of a kernel and of everything that it calls.

    If it is `checked`, an index outside its array ends the kernel, and `places` lists where that
    can happen.
    """

    def __init__(self, checked: bool = False) -> None:
        self.checked = checked
        self.places: list[str] = []
        self.on_linux = sys.platform == "linux"
        self.texts = [_RUNTIME]
        self.functions: dict[Any, Made] = {}
        self.callers: Counter[str] = Counter()  # the number of places that call a function
        self.constants: dict[int, tuple[Any, Array]] = {}

    def text(self) -> str:
        """The whole text."""
        return "\n".join([*self.texts, *map(self._attributes, self.functions.values())])

    def _attributes(self, made: Made) -> str:
        """How a function is compiled.

        Passing a state's dozen arrays from function to function costs more than most rules, so
        functions are inlined into their callers. For those that are long and called from several
        places, LLVM decides, since every copy takes time to compile.
        """
        often = self.callers[made.name] > 1 and made.size > _LONG
        how = "inlinehint" if often else "alwaysinline"
        return f"attributes #{_number_of(made.name)} = {{ {how} nounwind }}"

    def function(
        self,
        function: types.FunctionType,
        allocates: bool,
        kinds: Sequence[Kind],
        naturals: Sequence[bool],
    ) -> Made:
        """The function for arguments of these kinds, written if it does not exist yet.

        `naturals` says for each whole number whether it is never negative.
        """
        key = function, tuple(kinds), tuple(naturals)
        if key not in self.functions:
            called = function.__name__ if function.__name__.isascii() else ""
            name = f"f{len(self.functions)}.{called}"
            self.functions[key] = Made(name, "", [], 0)  # a placeholder, in case it calls itself
            try:
                writer = FunctionWriter(self, function, allocates, kinds, naturals)
                text = writer.write(name, f"#{_number_of(name)}")
                if writer.result is None:
                    raise UnsupportedError(f"{function.__name__} never ends; add a return")
            except UnsupportedError as error:
                error.locate(definition(function))
                raise
            size = len(writer.code.lines) + sum(each.size for each in writer.called)
            self.callers.update(each.name for each in writer.called)
            self.functions[key] = Made(name, writer.result, writer.naturals_returned, size)
            self.texts.append(text)
        made = self.functions[key]
        if made.result == "":
            raise UnsupportedError(f"{function.__name__} calls itself; write a loop")
        return made

    def known(self, value: Any) -> Value:
        """The value of a Python object in a kernel."""
        return self.constant(value) if isinstance(value, np.ndarray) else known(value)

    def known_or(self, value: Value) -> Value:
        """A value, with a constant array as one of the module."""
        if isinstance(value, Fixed) and isinstance(value.value, np.ndarray):
            return self.constant(value.value)
        return value

    def constant(self, values: Any) -> Array:
        """An array that never changes."""
        if id(values) not in self.constants:
            array = np.ascontiguousarray(values)
            kind = KIND_OF_DTYPE.get(array.dtype.name)
            if kind is None:
                raise UnsupportedError(f"a constant is an array of {array.dtype}; {USE_DTYPES}")
            name = f"@c{len(self.constants)}"
            element = MEMORY[kind]
            numbers = ", ".join(f"{element} {_constant(kind, each)}" for each in array.ravel())
            made = f"[{array.size} x {element}]"
            text = f"{name} = private unnamed_addr constant {made} [{numbers}], align 64"
            self.texts.append(text)
            shape = tuple(whole(length) for length in array.shape)
            self.constants[id(values)] = values, Array(kind, name, shape, frozen=True)
        return self.constants[id(values)][1]

    def has_arena(self, allocates: bool) -> bool:
        """Whether a function is given the arena, where errors are recorded."""
        return allocates or self.checked

    def call(self, kernel: Any, kinds: Sequence[Kind]) -> Kind:
        """Write an entry point that takes the address of all arguments, 64 bits each, in order.

        After them there is room for the results, and for the first piece of memory in which their
        arrays lie. The entry point returns 0, or what went wrong: see `_native`.
        """
        code, words = _entry(), itertools.count()
        texts = [text for kind in kinds for text in _loaded(code, kind, words)]
        made, results = self._result(code, kernel, kinds, texts)
        for register, text in zip(registers_of(made.result), results, strict=True):
            if register == "i1":
                register, text = "i64", code.let(f"zext i1 {text} to i64")
            code.put(f"store {register} {text}, ptr {_word(code, words)}")
        if holds_arrays(made.result):
            first = code.let("load i64, ptr %arena")
            code.put(f"store i64 {first}, ptr {_word(code, words)}")
            self.texts.append(_RELEASE)
        else:
            code.put("call void @release(ptr %arena, ptr null)")
        code.put(f"ret i64 {_flag(code)}")
        self.texts.append(f"define i64 @{ENTRY}(ptr %block) #1 {{\n{code.text()}\n}}")
        return made.result

    def bound(self, kernel: Any, kinds: Sequence[Kind]) -> Kind:
        """Write an entry point that takes the numbers among its arguments in registers.

        The others are at an address, as for `call`. It returns the result, a number or nothing; if
        the module is checked, what went wrong follows the arguments in memory.
        """
        if kernel.allocates:
            raise UnsupportedError("the kernel creates arrays; keep them in the state instead")
        code, words = _entry(), itertools.count()
        texts, given = [], ["ptr %block"]
        for i, kind in enumerate(kinds):
            if isinstance(kind, str):
                given.append(f"{REGISTER[kind]} %n{i}")
                texts.append(given[-1])
            else:
                texts += _loaded(code, kind, words)
        made, results = self._result(code, kernel, kinds, texts)
        registers = registers_of(made.result)
        if len(registers) > 1 or holds_arrays(made.result):
            raise UnsupportedError(
                "the kernel returns more than a number; write the rest to an array of the state"
            )
        if self.checked:
            code.put(f"store i64 {_flag(code)}, ptr {_word(code, words)}")
        returned = registers[0] if registers else "void"
        code.put(f"ret {returned} {' '.join(results)}")
        extended = "zeroext " if returned == "i1" else ""
        head = f"define {extended}{returned} @{ENTRY}({', '.join(given)}) #1"
        self.texts.append(f"{head} {{\n{code.text()}\n}}")
        return made.result

    def _result(
        self, code: Code, kernel: Any, kinds: Sequence[Kind], texts: list[str]
    ) -> tuple[Made, list[str]]:
        """Call a kernel, and return the registers of its result."""
        made = self.function(kernel.function, kernel.allocates, kinds, [False] * len(kinds))
        arena = ["ptr %arena"] if self.has_arena(kernel.allocates) else []
        return made, code.call(made.name, made.result, [*arena, *texts])


def _entry() -> Code:
    """The beginning of an entry point: an arena with nothing in it."""
    code = Code()
    code.rooms.append("  %arena = alloca [2 x i64]")
    code.put("store [2 x i64] zeroinitializer, ptr %arena")
    return code


def _word(code: Code, words: Iterator[int]) -> str:
    """The address of the next word of a block."""
    return code.let(f"getelementptr i64, ptr %block, i64 {next(words)}")


def _loaded(code: Code, kind: Kind, words: Iterator[int]) -> Iterator[str]:
    """The registers of an argument, loaded from a block."""
    for register in registers_of(kind):
        at = _word(code, words)
        text = code.let(f"load {'i64' if register == 'i1' else register}, ptr {at}")
        yield f"{register} {code.let(f'trunc i64 {text} to i1') if register == 'i1' else text}"


def _flag(code: Code) -> str:
    """What went wrong; 0 if nothing did."""
    return code.let(f"load i64, ptr {code.let('getelementptr i64, ptr %arena, i64 1')}")


def _number_of(name: str) -> int:
    """The number of a function's attributes; the first numbers are already in use."""
    return 10 + int(name[1:].partition(".")[0])


def _constant(kind: str, value: Any) -> str:
    return real(float(value)).text if kind == FLOAT else str(int(value))

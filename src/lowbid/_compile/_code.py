"""The instructions of one function, as LLVM's text: registers, blocks, numbers and arrays."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from lowbid._compile._values import (
    FLOAT,
    INT,
    MEMORY,
    REGISTER,
    SIZE,
    TRUTH,
    WORD,
    Array,
    Group,
    GroupKind,
    Kind,
    Number,
    UnsupportedError,
    Value,
    kind_of,
    natural,
    real,
    registers_of,
    truth,
    whole,
    words_for,
)

# The module's metadata that says that arrays of one kind share no memory with those of others.
ALIASES = {FLOAT: 1, INT: 2, WORD: 3, TRUTH: 4}
_FLOAT_ORDER = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_ORDER = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_KNOWN_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    order: getattr(operator, name) for order, name in _ORDER.items()
}


class Code:
    """Instructions, one after another; new ones go to the end of the current block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rooms: list[str] = []  # the variables' memory, reserved when the function begins
        self.names = itertools.count()
        self.block = "begin"
        self.ended = False  # whether the current block has its last instruction

    def text(self) -> str:
        """The whole text."""
        return "\n".join(["entry:", *self.rooms, "  br label %begin", "begin:", *self.lines])

    # Registers, places and blocks

    def put(self, instruction: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def let(self, instruction: str) -> str:
        """Add an instruction, and return the name of its result's register."""
        register = f"%r{next(self.names)}"
        self.lines.append(f"  {register} = {instruction}")
        return register

    def room(self, register: str) -> str:
        """Memory for a variable of one of LLVM's types."""
        place = f"%v{next(self.names)}"
        self.rooms.append(f"  {place} = alloca {register}")
        return place

    def label(self) -> str:
        """The name of a new block."""
        return f"b{next(self.names)}"

    def start(self, label: str) -> None:
        """Begin a block."""
        if not self.ended:
            self.go(label)
        self.lines.append(f"{label}:")
        self.block, self.ended = label, False

    def go(self, label: str) -> None:
        """End the block with a jump to another one."""
        if not self.ended:
            self.put(f"br label %{label}")
        self.ended = True

    def fork(self, test: Number, yes: str, no: str) -> bool | None:
        """End the block with a jump to one of two others; return the test if it is a constant."""
        if test.literal is not None:
            self.go(yes if test.literal else no)
            return bool(test.literal)
        self.put(f"br i1 {test.text}, label %{yes}, label %{no}")
        self.ended = True
        return None

    @contextmanager
    def counting(self, count: Number) -> Iterator[Number]:
        """A loop over 0, 1, ... up to, but not including, a number that is not negative."""
        before, head, body, after = self.block, self.label(), self.label(), self.label()
        register, following = f"%r{next(self.names)}", f"%r{next(self.names)}"
        self.start(head)
        place = len(self.lines)
        more = self.let(f"icmp slt i64 {register}, {count.text}")
        self.put(f"br i1 {more}, label %{body}, label %{after}")
        self.ended = True
        self.start(body)
        yield natural(register)
        self.put(f"{following} = add nsw i64 {register}, 1")
        last = self.block
        self.go(head)
        phi = f"  {register} = phi i64 [ 0, %{before} ], [ {following}, %{last} ]"
        self.lines.insert(place, phi)
        self.start(after)

    # Numbers

    def cast(self, value: Number, kind: str) -> Number:
        """A number converted to another kind."""
        if value.kind == kind:
            return value
        if kind == FLOAT and value.kind == INT and value.literal is not None:
            return real(float(value.literal))
        if kind == TRUTH:
            return self.compare("!=", value, self.cast(whole(0), value.kind))
        if value.kind == TRUTH:
            number = natural(self.let(f"zext i1 {value.text} to i64"))
            return self.cast(number, kind)
        if FLOAT not in (kind, value.kind):
            literal = value.literal if value.natural else None  # the bits are the same
            return Number(kind, value.text, literal, natural=kind == INT and value.natural)
        if kind == FLOAT:
            how = "uitofp" if value.kind == WORD else "sitofp"
            return Number(FLOAT, self.let(f"{how} i64 {value.text} to double"))
        how = "fptoui" if kind == WORD else "fptosi"
        found = self.let(f"{how} double {value.text} to i64")
        # NaN and numbers out of range become an unspecified but fixed number; without this, LLVM
        # could assume a different one at each use.
        return Number(kind, self.let(f"freeze i64 {found}"))

    def fit(self, value: Value, kind: Kind) -> Value:
        """A value converted to a wider kind."""
        if kind_of(value) == kind:
            return value
        if isinstance(value, Number) and isinstance(kind, str):
            return replace(self.cast(value, kind), setting=False)
        assert isinstance(value, Group)  # `wider` refuses others
        assert isinstance(kind, GroupKind)
        return Group(value.made_of, tuple(map(self.fit, value.items, kind.items)))

    def alike(self, first: Number, second: Number) -> tuple[Number, Number]:
        """Two numbers converted to a common kind, in which they are added or compared."""
        if first.kind == second.kind:
            return first, second
        if FLOAT in (first.kind, second.kind):
            return self.cast(first, FLOAT), self.cast(second, FLOAT)
        if WORD in (first.kind, second.kind):
            raise UnsupportedError(
                "signed and unsigned numbers are mixed; convert one with np.int64 or np.uint64"
            )
        return self.cast(first, INT), self.cast(second, INT)

    def compare(self, order: str, first: Number, second: Number) -> Number:
        """Whether two numbers are in this order."""
        first, second = self.alike(first, second)
        if first.kind != WORD and None not in (first.literal, second.literal):
            return truth(_KNOWN_ORDER[order](first.literal, second.literal))
        if first.kind == FLOAT:
            how = f"fcmp {_FLOAT_ORDER[order]} double"
        else:
            sign = "" if order in ("==", "!=") else "s" if first.kind == INT else "u"
            how = f"icmp {sign}{_ORDER[order]} {REGISTER[first.kind]}"
        return Number(TRUTH, self.let(f"{how} {first.text}, {second.text}"))

    def choose(self, test: Number, yes: Number, no: Number) -> Number:
        """One of two numbers of the same kind."""
        kind = REGISTER[yes.kind]
        text = self.let(f"select i1 {test.text}, {kind} {yes.text}, {kind} {no.text}")
        return Number(yes.kind, text, natural=yes.natural and no.natural)

    def call(self, name: str, result: Kind | None, arguments: Sequence[str]) -> list[str]:
        """Call a function, and take its result apart into registers."""
        given = ", ".join(arguments)
        registers = [] if result is None else registers_of(result)
        if not registers:
            self.put(f"call void @{name}({given})")
            return []
        if len(registers) == 1:
            return [self.let(f"call {registers[0]} @{name}({given})")]
        made = f"{{ {', '.join(registers)} }}"
        whole_result = self.let(f"call {made} @{name}({given})")
        return [self.let(f"extractvalue {made} {whole_result}, {i}") for i in range(len(registers))]

    # Arrays

    def product(self, lengths: Sequence[Number]) -> Number:
        """The number of elements of an array with this shape."""
        text = "1"
        for length in lengths:
            text = length.text if text == "1" else self.let(f"mul nsw i64 {text}, {length.text}")
        return natural(text)

    def size(self, kind: str, lengths: Sequence[Number]) -> str:
        """The size of an array in bytes; the largest possible number if that overflows."""
        text = str(SIZE[kind])
        for length in lengths:
            text = self.let(f"call i64 @times(i64 {text}, i64 {length.text})")
        return text

    def place_of(self, index: Number, length: Number) -> str:
        """The position of an index; a negative one is counted from the end."""
        if index.kind != INT:
            raise UnsupportedError(
                f"an index is {words_for(index.kind)}; convert it with int(x), or np.int64(x)"
            )
        if index.natural or (index.literal is not None and index.literal >= 0):
            return index.text
        from_end = self.let(f"add i64 {index.text}, {length.text}")
        if index.literal is not None:
            return from_end
        low = self.let(f"icmp slt i64 {index.text}, 0")
        return self.let(f"select i1 {low}, i64 {from_end}, i64 {index.text}")

    def address(self, array: Array, places: Sequence[str]) -> str:
        """The address of the number, or of the part, at these places of the first axes."""
        at = ""
        for axis, place in enumerate(places):
            if at:
                step = self.let(f"mul nsw i64 {at}, {array.shape[axis].text}")
                at = self.let(f"add nsw i64 {step}, {place}")
            else:
                at = place
        for length in array.shape[len(places) :]:
            at = self.let(f"mul nsw i64 {at}, {length.text}") if at else ""
        if not at:
            return array.data
        kind = MEMORY[array.kind]
        return self.let(f"getelementptr inbounds {kind}, ptr {array.data}, i64 {at}")

    def read(self, kind: str, address: str) -> Number:
        """The number at an address."""
        text = self.let(
            f"load {MEMORY[kind]}, ptr {address}, align {SIZE[kind]}, !tbaa !{ALIASES[kind]}"
        )
        if kind == TRUTH:
            text = self.let(f"icmp ne i8 {text}, 0")
        return Number(kind, text)

    def write(self, kind: str, address: str, value: Number) -> None:
        """Write a number to an address."""
        text = self.cast(value, kind).text
        if kind == TRUTH:
            text = self.let(f"zext i1 {text} to i8")
        where = f"ptr {address}, align {SIZE[kind]}, !tbaa !{ALIASES[kind]}"
        self.put(f"store {MEMORY[kind]} {text}, {where}")

    def fill(self, array: Array, value: Number) -> None:
        """Set all numbers of an array to a value."""
        value = self.cast(value, array.kind)
        with self.counting(self.product(array.shape)) as i:
            kind = MEMORY[array.kind]
            at = self.let(f"getelementptr inbounds {kind}, ptr {array.data}, i64 {i.text}")
            self.write(array.kind, at, value)

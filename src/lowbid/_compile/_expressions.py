"""The expressions of a kernel: their values, and the instructions that compute them."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowbid._compile import _builtins as builtins
from lowbid._compile._arithmetic import EXACT_INDICES, binary, negative
from lowbid._compile._source import location, refusal_of
from lowbid._compile._values import (
    INT,
    TRUTH,
    Array,
    Fixed,
    Group,
    Kind,
    Number,
    UnsupportedError,
    Value,
    as_number,
    kind_of,
    known,
    natural,
    registers_of,
    texts_of,
    truth,
    value_from,
    whole,
    wider,
    words_for,
)

if TYPE_CHECKING:
    from lowbid._compile._function import FunctionWriter

_ORDERS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_ORDERS_REFUSED: dict[type[ast.cmpop], str] = {
    ast.In: "`in` is part of a chain of comparisons; write each comparison by itself, with and",
    ast.NotIn: "`not in` is not supported; write not (x in (y, z))",
    ast.Is: "`is` compares identities, which compiled numbers do not have; use ==",
    ast.IsNot: "`is not` compares identities, which compiled numbers do not have; use !=",
}
_UNARY_REFUSED: dict[type[ast.unaryop], str] = {
    ast.UAdd: "a plus sign before a number is not supported; leave it out",
    ast.Invert: "~x differs between Booleans and numbers; write not x, or x ^ -1",
}
_QUIET = (ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.operator,
          ast.unaryop, ast.Load)  # fmt: skip


# The start and the length of a part of an axis.
Span = tuple[Number, Number]


class Expressions:
    """Writes the expressions of one function."""

    def __init__(self, function: FunctionWriter) -> None:
        self.function, self.code, self.module = function, function.code, function.module

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        write = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            if write is None:
                raise UnsupportedError(refusal_of(node))
            found: Value = write(node)
        except UnsupportedError as error:
            error.locate(location(self.function.function, node))
            raise
        return found

    def number(self, node: ast.expr) -> Number:
        """The value of an expression that must be a number."""
        return as_number(self.value(node))

    def index(self, node: ast.expr) -> Number:
        """The value of an expression that is a place in an array."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, EXACT_INDICES):
            left, right = self.index(node.left), self.index(node.right)
            is_whole = left.kind == right.kind == INT
            return binary(self.code, type(node.op), left, right, is_index=is_whole)
        return self.number(node)

    def fork(self, test: ast.expr, yes: str, no: str, is_value: bool = False) -> bool | None:
        """Jump to one of two blocks; as a value, ``and`` and ``or`` must be of True and False.

        Returns the test if it is a constant: the other block is then never reached.
        """
        if isinstance(test, ast.BoolOp):
            return self._fork_by_parts(test, yes, no, is_value)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            found = self.fork(test.operand, no, yes)
            return None if found is None else not found
        number = self.number(test)
        if is_value and number.kind != TRUTH:
            raise UnsupportedError(
                "`and` and `or` of numbers; compare them, as in x != 0, or write x if y else z"
            )
        return self.code.fork(self.code.cast(number, TRUTH), yes, no)

    def _fork_by_parts(self, test: ast.BoolOp, yes: str, no: str, is_value: bool) -> bool | None:
        is_and = isinstance(test.op, ast.And)
        found: bool | None = is_and
        for part in test.values:
            following = self.code.label()
            last = part is test.values[-1]
            ways = (yes if last else following, no) if is_and else (yes, no if last else following)
            now = self.fork(part, *ways, is_value)
            if now is (not is_and):  # the others are not evaluated
                return now
            found = None if now is None else found
            if not last:
                self.code.start(following)
        return found

    # One method for each kind of expression

    def _constant(self, node: ast.Constant) -> Value:
        return known(node.value)

    def _name(self, node: ast.Name) -> Value:
        return self.function.load(node.id)

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if isinstance(base, Group) and base.made_of is not None:
            fields = base.made_of._fields
            if node.attr in fields:
                return base.items[fields.index(node.attr)]
        if isinstance(base, Array) and node.attr == "shape":
            return Group(None, base.shape)
        if isinstance(base, Array) and node.attr == "size":
            return self.code.product(base.shape)
        # A kernel's digest includes only the names of other modules and classes.
        if isinstance(base, Fixed) and base.value in (math, np) and hasattr(base.value, node.attr):
            return self.module.known(getattr(base.value, node.attr))
        raise UnsupportedError(_refusal_of_attribute(base, node.attr))

    def _tuple(self, node: ast.Tuple) -> Value:
        items: list[Value] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                items += items_of(self.value(item.value))
            else:
                items.append(self.value(item))
        return Group(None, tuple(items))

    _list = _tuple  # only for np.array, which takes both

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        operand = self.number(node.operand)
        if isinstance(node.op, ast.Not):
            return self.code.compare("==", self.code.cast(operand, TRUTH), truth(False))
        if isinstance(node.op, ast.USub):
            return negative(self.code, operand)
        raise UnsupportedError(_UNARY_REFUSED[type(node.op)])

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.number(node.left), self.number(node.right)
        return binary(self.code, type(node.op), left, right)

    def _boolop(self, node: ast.BoolOp) -> Value:
        ways = self.code.label(), self.code.label()
        after, place = self.code.label(), self.code.room("i1")
        self.fork(node, *ways, is_value=True)
        for way, value in zip(ways, ("true", "false"), strict=True):
            self.code.start(way)
            self.code.put(f"store i1 {value}, ptr {place}")
            self.code.go(after)
        self.code.start(after)
        return Number(TRUTH, self.code.let(f"load i1, ptr {place}"))

    def _compare(self, node: ast.Compare) -> Value:
        if isinstance(node.ops[0], ast.In) and len(node.ops) == 1:
            return self._one_of(node)
        for order in node.ops:
            if type(order) not in _ORDERS:
                raise UnsupportedError(_ORDERS_REFUSED[type(order)])
        # Python does not evaluate what follows a comparison that fails; if nothing is called or
        # looked up, the result is the same as that of comparing all.
        for later in node.comparators[1:]:
            if not all(isinstance(part, _QUIET) for part in ast.walk(later)):
                raise UnsupportedError(
                    "a chain of comparisons calls a function or reads an array; write x < y and "
                    "y < z"
                )
        numbers = [self.number(each) for each in (node.left, *node.comparators)]
        found: Number | None = None
        for order, left, right in zip(node.ops, numbers, numbers[1:], strict=False):
            one = self.code.compare(_ORDERS[type(order)], left, right)
            text = one.text if found is None else f"and i1 {found.text}, {one.text}"
            found = one if found is None else Number(TRUTH, self.code.let(text))
        assert found is not None
        return found

    def _one_of(self, node: ast.Compare) -> Value:
        number, among = self.number(node.left), self.value(node.comparators[0])
        found = truth(False)
        for each in items_of(among):
            same = self.code.compare("==", number, as_number(each))
            found = Number(TRUTH, self.code.let(f"or i1 {found.text}, {same.text}"))
        return found

    def _ifexp(self, node: ast.IfExp) -> Value:
        code, ends, values, places = self.code, [], [], []
        ways, after = (code.label(), code.label()), code.label()
        found = self.fork(node.test, *ways)
        if found is not None:
            code.start(ways[0] if found else ways[1])
            return self.value(node.body if found else node.orelse)
        for way, part in zip(ways, (node.body, node.orelse), strict=True):
            code.start(way)
            values.append(self.value(part))
            ends.append(code.block)
            places.append(len(code.lines))
            code.go(after)
        kind = wider(kind_of(values[0]), kind_of(values[1]))
        for number in (1, 0):  # the later one first, so that the position of the other stays valid
            rest = code.lines[places[number] :]
            del code.lines[places[number] :]
            values[number] = code.fit(values[number], kind)
            code.lines += rest
        code.start(after)
        return self._joined(kind, values, ends)

    def _joined(self, kind: Kind, values: Sequence[Value], ends: Sequence[str]) -> Value:
        """The value where two blocks join: that of the block that was executed."""
        registers = []
        pairs = zip(registers_of(kind), *map(texts_of, values), strict=True)
        for register, first, second in pairs:
            ways = f"[ {first}, %{ends[0]} ], [ {second}, %{ends[1]} ]"
            registers.append(self.code.let(f"phi {register} {ways}"))
        found = value_from(kind, iter(registers))
        if isinstance(found, Number):
            both = all(isinstance(each, Number) and each.natural for each in values)
            return Number(found.kind, found.text, natural=found.kind == INT and both)
        return found

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base, Array):
            return self.part(base, node.slice)
        index = self.number(node.slice)
        if index.literal is not None:
            items = items_of(base)
            if not -len(items) <= index.literal < len(items):
                raise UnsupportedError(
                    f"a tuple of {len(items)} has no item {index.literal}; give a smaller index"
                )
            return self.module.known_or(items[index.literal])
        if isinstance(base, Fixed) and isinstance(base.value, tuple):
            return self.part(self.module.constant(base.value), node.slice)
        raise UnsupportedError("the index of a tuple is not a constant; use an array")

    def part(self, array: Array, where: ast.expr) -> Value:
        """A number, or a part, of an array."""
        indices = where.elts if isinstance(where, ast.Tuple) else [where]
        refuse_indices(array, indices)
        places, lengths = [], list(array.shape)
        for axis, index in enumerate(indices):
            if isinstance(index, ast.Slice):
                if any(not is_all(later) for later in indices[axis + 1 :]):
                    raise UnsupportedError(
                        "a part of an array is not contiguous; write a loop over range(...)"
                    )
                first, lengths[axis] = self.span(index, array.shape[axis])
                places.append(first.text)
                address = self.code.address(array, places)
                return Array(array.kind, address, tuple(lengths[axis:]), array.frozen)
            places.append(self.function.place(index, array.shape[axis]))
        address = self.code.address(array, places)
        if len(places) == len(array.shape):
            return self.code.read(array.kind, address)
        return Array(array.kind, address, array.shape[len(places) :], array.frozen)

    def span(self, part: ast.Slice, length: Number) -> Span:
        """The start and the length of a part of an axis."""
        if part.step is not None:
            raise UnsupportedError("a slice has a step; write a loop over range(start, stop, step)")
        first = whole(0) if part.lower is None else self._end(part.lower, length)
        if part.upper is None and part.lower is None:
            return first, length
        last = length if part.upper is None else self._end(part.upper, length)
        room = Number(INT, self.code.let(f"sub i64 {last.text}, {first.text}"))
        kept = self.code.choose(self.code.compare("<", room, whole(0)), whole(0), room)
        return first, natural(kept.text)

    def _end(self, node: ast.expr, length: Number) -> Number:
        """An end of a part: counted from the end if negative, and never outside."""
        place = Number(INT, self.code.place_of(self.number(node), length))
        place = self.code.choose(self.code.compare("<", place, whole(0)), whole(0), place)
        place = self.code.choose(self.code.compare(">", place, length), length, place)
        return natural(place.text)

    # Calls

    def _call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if isinstance(base, Array):
                if node.keywords:
                    raise UnsupportedError(
                        "an array method is called with keyword arguments; write a loop instead"
                    )
                return builtins.method(self.function, base, node.func.attr, len(node.args))
            if isinstance(base, Number) and node.func.attr == "view" and len(node.args) == 1:
                return builtins.view(self.code, base, self.value(node.args[0]))
        function = self.value(node.func)
        if not isinstance(function, Fixed):
            raise UnsupportedError(
                f"{words_for(kind_of(function))} is called; call a function marked with @kernel"
            )
        given = [self.value(argument) for argument in node.args]
        named = {}
        for word in node.keywords:
            if word.arg is None:
                raise UnsupportedError("arguments are passed by **; pass them one by one")
            named[word.arg] = self.value(word.value)
        return self._apply(function.value, given, named)

    def _apply(self, called: Any, given: list[Value], named: dict[str, Value]) -> Value:
        if isinstance(called, type) and hasattr(called, "_fields"):
            fields: tuple[str, ...] = called._fields
            items = {**dict(zip(fields, given, strict=False)), **named}
            if set(items) != set(fields) or len(given) > len(fields):
                raise UnsupportedError(
                    f"{called.__name__} is created with other fields; give {', '.join(fields)}, in "
                    "this order or by name"
                )
            return Group(called, tuple(items[name] for name in fields))
        if builtins.is_kernel(called):
            if called.is_hint:
                return builtins.hint(self.function, called.function.__name__, given)
            return self.function.invoke(called.function, called.allocates, given, named)
        return builtins.apply(self.function, called, given, named)


def items_of(value: Value) -> tuple[Value, ...]:
    """The items of a tuple."""
    if isinstance(value, Group):
        return value.items
    if isinstance(value, Fixed) and isinstance(value.value, tuple):
        return tuple(map(known, value.value))
    raise UnsupportedError(
        f"{words_for(kind_of(value))} is used as a tuple; use a tuple, or an index for each item"
    )


def refuse_indices(array: Array, indices: Sequence[ast.expr]) -> None:
    """Raise if an array has more indices than axes."""
    if len(indices) > len(array.shape):
        raise UnsupportedError(
            f"{words_for(kind_of(array))} has {len(indices)} indices; give one per axis at most"
        )


def _refusal_of_attribute(base: Value, name: str) -> str:
    """What is said of an attribute that kernels cannot use."""
    if isinstance(base, Fixed) and isinstance(base.value, types.ModuleType):
        if base.value in (math, np):
            return f"there is no {name} in {base.value.__name__}; check its spelling"
        module = base.value.__name__
        return f"{name} is looked up in {module}; write from {module} import {name} at the top"
    if isinstance(base, Array):
        return f"the attribute {name} of an array; use shape, size, or len(array)"
    what = words_for(kind_of(base))
    return f"{what} has no attribute {name} in a kernel; use the fields of named tuples"


def is_all(node: ast.expr) -> bool:
    """Whether an index is a bare colon."""
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None

"""One function of a kernel, statement by statement.

The kind of a variable is that of all values that it is ever assigned. It is found while the code is
written: when it turns out to be wider than assumed so far, the function is written again.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lowbid._compile import _source
from lowbid._compile._arithmetic import binary
from lowbid._compile._builtins import range_of
from lowbid._compile._code import Code
from lowbid._compile._expressions import Expressions, Span, is_all, items_of, refuse_indices
from lowbid._compile._functions import definition
from lowbid._compile._values import (
    INT,
    Array,
    Fixed,
    Kind,
    Number,
    UnsupportedError,
    Value,
    as_number,
    changing,
    kind_of,
    natural,
    naturals_of,
    registers_of,
    texts_of,
    value_from,
    wider,
    with_naturals,
    words_for,
)
from lowbid._compile._variables import Variables, WiderError, keep

if TYPE_CHECKING:
    from lowbid._compile._module import Made, Module


_LOOP_HAS_ELSE = "a loop has an else; note in a variable whether it ended by break"
_NOT_OVER_RANGE = "a loop is not over a range; write for i in range(len(array))"


class FunctionWriter:
    """Writes one function for arguments of certain kinds.

    Attributes
    ----------
    result : Kind or None
        The kind of what it returns; None while that is not known.
    naturals_returned : list of bool
        For each number in it, whether it is never negative.
    """

    def __init__(
        self,
        module: Module,
        function: types.FunctionType,
        allocates: bool,
        kinds: Sequence[Kind],
        naturals: Sequence[bool],
    ) -> None:
        _refuse_parameters(function)
        self.module, self.function, self.allocates = module, function, allocates
        self.has_arena = module.has_arena(allocates)
        self.naturals = naturals
        self.node = _source.source_of(function)
        self.names = function.__code__.co_varnames[: function.__code__.co_argcount]
        self.given = dict(zip(self.names, kinds, strict=True))
        self.locals = set(function.__code__.co_varnames)
        self.stored = _source.stored_names(self.node)
        self.variables = Variables()
        self.result: Kind | None = None
        self.naturals_returned: list[bool] = []

    def write(self, name: str, attributes: str) -> str:
        """The text of the function."""
        while True:
            try:
                text = self._write(name, attributes)
                break
            except WiderError:
                pass
        _source.refuse_unsettled(self.function, self.node, self.stored - set(self.names))
        return text

    def _write(self, name: str, attributes: str) -> str:
        self.code = Code()
        self.expressions = Expressions(self)
        self.variables.rooms.clear()
        self.arguments: dict[str, Value] = {}
        self.called: list[Made] = []
        self.loops: list[tuple[str, str]] = []  # the blocks of the next iteration and of the end
        self.exit = self.code.label()
        self.result_rooms: list[str] | None = None
        places = ["ptr %arena"] if self.has_arena else []
        for (argument, kind), is_natural in zip(self.given.items(), self.naturals, strict=True):
            registers = registers_of(kind)
            # By number: LLVM's names cannot have Greek letters.
            texts = [f"%a{len(places)}.{i}" for i in range(len(registers))]
            places += [f"{each} {text}" for each, text in zip(registers, texts, strict=True)]
            value = value_from(kind, iter(texts))
            value = natural(texts[0]) if is_natural and texts else value
            if argument in self.stored:
                self.variables.store(self.code, argument, value)
            else:
                self.arguments[argument] = value
        self._statements(self.node.body)
        if not self.code.ended:
            self._finish(Fixed(None))
        result = self._ending()
        head = f"define internal {result} @{name}({', '.join(places)}) {attributes} {{"
        return "\n".join([head, self.code.text(), "}"])

    def _ending(self) -> str:
        """Write the last block; return LLVM's type of the result."""
        code, kind = self.code, self.result
        code.ended = True
        code.start(self.exit)
        registers = [] if kind is None else registers_of(kind)
        if not registers or self.result_rooms is None:
            code.put("ret void")
            return "void"
        pairs = list(zip(registers, self.result_rooms, strict=True))
        texts = [code.let(f"load {register}, ptr {room}") for register, room in pairs]
        if len(texts) == 1:
            code.put(f"ret {registers[0]} {texts[0]}")
            return registers[0]
        made, whole_result = f"{{ {', '.join(registers)} }}", "poison"
        for i, (register, text) in enumerate(zip(registers, texts, strict=True)):
            add = f"insertvalue {made} {whole_result}, {register} {text}, {i}"
            whole_result = code.let(add)
        code.put(f"ret {made} {whole_result}")
        return made

    def load(self, name: str) -> Value:
        """The value of a name."""
        if name in self.arguments:
            return self.arguments[name]
        if name in self.variables.rooms:
            return self.variables.load(self.code, name)
        if name in self.locals:
            raise UnsupportedError(f"{name} is used before it is assigned; assign it first")
        if name in self.function.__globals__:
            return self.module.known(self.function.__globals__[name])
        if hasattr(builtins, name):
            return Fixed(getattr(builtins, name))
        raise UnsupportedError(
            f"{name} is not defined; define it in the module, or pass it as an argument"
        )

    def _finish(self, value: Value) -> None:
        """Return a value."""
        kind = changing(kind_of(value))
        kind = wider(self.result or kind, kind)
        if self.result is not None and self.result != kind:
            self.result = kind
            raise WiderError
        self.result = kind
        naturals = naturals_of(value)
        before = self.naturals_returned or naturals
        self.naturals_returned = [a and b for a, b in zip(before, naturals, strict=True)]
        if self.result_rooms is None:
            self.result_rooms = [self.code.room(register) for register in registers_of(kind)]
        keep(self.code, kind, self.code.fit(value, kind), self.result_rooms)
        self.code.go(self.exit)

    # Memory, and calls of other kernels

    def allocate(self, kind: str, shape: Sequence[Number]) -> Array:
        """A new array of zeros."""
        if not self.allocates:
            raise UnsupportedError(
                "an array is created; mark the kernel with @allocating_kernel, or keep the array "
                "in the state"
            )
        if any(length.kind != INT for length in shape):
            raise UnsupportedError(
                "the length of an array is not a whole number; convert it with int(x)"
            )
        lengths = tuple(natural(length.text) for length in shape)
        size = self.code.size(kind, lengths)
        data = self.code.let(f"call ptr @allocate(ptr %arena, i64 {size})")
        self._leave_if_flagged()
        return Array(kind, data, lengths)

    def _leave_if_flagged(self) -> None:
        """Return if memory ran out, or a checked index was outside its array."""
        after = self.code.label()
        place = self.code.let("getelementptr i64, ptr %arena, i64 1")
        flag = self.code.let(f"load i64, ptr {place}")
        test = Number("truth", self.code.let(f"icmp ne i64 {flag}, 0"))
        self.code.fork(test, self.exit, after)
        self.code.start(after)

    def place(self, node: ast.expr, length: Number) -> str:
        """The position of an index along an axis of this length."""
        place = self.code.place_of(self.expressions.index(node), length)
        if self.module.checked:
            self._check(place, length, node)
        return place

    def _check(self, place: str, length: Number, node: ast.expr) -> None:
        """Return with a flag if a position is outside an axis."""
        code, inside, outside = self.code, self.code.label(), self.code.label()
        test = Number("truth", code.let(f"icmp ult i64 {place}, {length.text}"))
        code.fork(test, inside, outside)
        code.start(outside)
        self.module.places.append(
            f"{_source.location(self.function, node)}: the index {ast.unparse(node)}"
        )
        flag = code.let("getelementptr i64, ptr %arena, i64 1")
        code.put(f"store i64 {len(self.module.places) + 1}, ptr {flag}")
        code.go(self.exit)
        code.start(inside)

    def invoke(
        self,
        function: types.FunctionType,
        allocates: bool,
        given: Sequence[Value],
        named: dict[str, Value],
    ) -> Value:
        """Call another kernel."""
        if allocates and not self.allocates:
            raise UnsupportedError(
                f"{function.__name__} creates arrays; mark this kernel with @allocating_kernel too"
            )
        _refuse_parameters(function)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        defaults = function.__defaults__ or ()
        words = dict(zip(names[len(names) - len(defaults) :], map(Fixed, defaults), strict=True))
        settled = {name: self.module.known(value.value) for name, value in words.items()}
        values = {**settled, **dict(zip(names, given, strict=False)), **named}
        if set(values) != set(names) or len(given) > len(names):
            raise UnsupportedError(
                f"{function.__name__} is called with other arguments; pass {', '.join(names)}"
            )
        ordered = [values[name] for name in names]
        kinds = tuple(map(kind_of, ordered))
        naturals = tuple(isinstance(each, Number) and each.natural for each in ordered)
        made = self.module.function(function, allocates, kinds, naturals)
        self.called.append(made)
        texts = ["ptr %arena"] if self.module.has_arena(allocates) else []
        for kind, value in zip(kinds, ordered, strict=True):
            pairs = zip(registers_of(kind), texts_of(value), strict=True)
            texts += [f"{register} {text}" for register, text in pairs]
        registers = self.code.call(made.name, made.result, texts)
        if self.module.has_arena(allocates):
            self._leave_if_flagged()
        return with_naturals(value_from(made.result, iter(registers)), iter(made.naturals))

    # Statements

    def _statements(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            if self.code.ended:  # the rest is never reached
                return
            write = getattr(self, f"_{type(node).__name__.lower()}", None)
            try:
                if write is None:
                    raise UnsupportedError(_source.refusal_of(node))
                write(node)
            except UnsupportedError as error:
                error.locate(_source.location(self.function, node))
                raise

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expressions.value(node.value)

    def _return(self, node: ast.Return) -> None:
        self._finish(Fixed(None) if node.value is None else self.expressions.value(node.value))

    def _assign(self, node: ast.Assign) -> None:
        value = self.expressions.value(node.value)
        for target in node.targets:
            self._assign_to(target, value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign_to(node.target, self.expressions.value(node.value))

    def _assign_to(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.variables.store(self.code, target.id, value)
        elif isinstance(target, ast.Tuple):
            items = items_of(value)
            if len(items) != len(target.elts):
                raise UnsupportedError(
                    f"{len(items)} items are unpacked into {len(target.elts)} names; use as many"
                )
            for part, item in zip(target.elts, items, strict=True):
                self._assign_to(part, item)
        elif isinstance(target, ast.Subscript):
            array = self.expressions.value(target.value)
            if not isinstance(array, Array):
                raise UnsupportedError(
                    f"an item of {words_for(kind_of(array))} is assigned; use an array of the state"
                )
            self._write_to(array, target.slice, as_number(value))
        else:
            raise UnsupportedError(_refusal_of_target(target))

    def _write_to(self, array: Array, where: ast.expr, value: Number) -> None:
        """Write one number to one position, or to all positions of a part."""
        _refuse_frozen(array)
        indices = list(where.elts) if isinstance(where, ast.Tuple) else [where]
        refuse_indices(array, indices)
        indices += [ast.Slice()] * (len(array.shape) - len(indices))
        if all(map(is_all, indices)):
            self.code.fill(array, value)
            return
        spans = [
            self.expressions.span(index, length)
            if isinstance(index, ast.Slice)
            else self.place(index, length)
            for index, length in zip(indices, array.shape, strict=True)
        ]
        self._write_axis(array, spans, self.code.cast(value, array.kind), [])

    def _write_axis(
        self, array: Array, spans: Sequence[Span | str], value: Number, places: list[str]
    ) -> None:
        """Write to all positions of an axis and of those after it."""
        if not spans:
            self.code.write(array.kind, self.code.address(array, places), value)
        elif isinstance(span := spans[0], str):
            self._write_axis(array, spans[1:], value, [*places, span])
        else:
            with self.code.counting(span[1]) as i:
                place = self.code.let(f"add nsw i64 {span[0].text}, {i.text}")
                self._write_axis(array, spans[1:], value, [*places, place])

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before = as_number(self.load(node.target.id))
            change = self.expressions.number(node.value)
            after = binary(self.code, type(node.op), before, change)
            self.variables.store(self.code, node.target.id, after)
            return
        if not isinstance(node.target, ast.Subscript):
            raise UnsupportedError(_refusal_of_target(node.target))
        array = self.expressions.value(node.target.value)
        where = node.target.slice
        indices = where.elts if isinstance(where, ast.Tuple) else [where]
        if not isinstance(array, Array) or len(indices) != len(array.shape):
            raise UnsupportedError(
                "more than one number is updated in place; write a loop over range(...)"
            )
        _refuse_frozen(array)
        places = list(map(self.place, indices, array.shape))
        address = self.code.address(array, places)
        before = self.code.read(array.kind, address)
        change = self.expressions.number(node.value)
        self.code.write(array.kind, address, binary(self.code, type(node.op), before, change))

    def _if(self, node: ast.If) -> None:
        yes, no, after = self.code.label(), self.code.label(), self.code.label()
        found = self.expressions.fork(node.test, yes, no if node.orelse else after)
        if found is not None:
            self.code.start(yes if found else no if node.orelse else after)
            self._statements(node.body if found else node.orelse)
            return
        self.code.start(yes)
        self._statements(node.body)
        ended = self.code.ended
        self.code.go(after)
        if node.orelse:
            self.code.start(no)
            self._statements(node.orelse)
            ended = ended and self.code.ended
            self.code.go(after)
            if ended:
                return
        self.code.start(after)

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            raise UnsupportedError(_LOOP_HAS_ELSE)
        head, body, after = self.code.label(), self.code.label(), self.code.label()
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.code.start(head)
        mark = self._mark(node)
        if not forever and self.expressions.fork(node.test, body, after) is False:
            self.code.start(after)
            return
        self.code.start(body)
        following = self.code.label()
        self._turns(node, following, after)
        self._next_turn(following, mark)
        self.code.go(head)
        if not forever or _source.has_break(node.body):
            self.code.start(after)

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise UnsupportedError(_LOOP_HAS_ELSE)
        called = node.iter
        if not (isinstance(called, ast.Call) and isinstance(called.func, ast.Name)):
            raise UnsupportedError(_NOT_OVER_RANGE)
        over = self.load(called.func.id)
        if not (isinstance(over, Fixed) and over.value is range):
            raise UnsupportedError(_NOT_OVER_RANGE)
        first, last, step = range_of([self.expressions.number(each) for each in called.args])
        code = self.code
        counter = code.room("i64")
        code.put(f"store i64 {first.text}, ptr {counter}")
        head, body, after, following = (code.label() for _ in range(4))
        code.start(head)
        now = Number(INT, code.let(f"load i64, ptr {counter}"), natural=first.natural and step > 0)
        code.fork(code.compare("<" if step > 0 else ">", now, last), body, after)
        code.start(body)
        self._assign_to(node.target, now)
        mark = self._mark(node)
        self._turns(node, following, after)
        self._next_turn(following, mark)
        before = Number(INT, code.let(f"load i64, ptr {counter}"))
        single = abs(step) == 1  # cannot overflow: the last number is still before the end
        how = "add nsw" if single else "add"
        then = Number(INT, code.let(f"{how} i64 {before.text}, {step}"))
        code.put(f"store i64 {then.text}, ptr {counter}")
        if single:
            code.go(head)
        else:  # after an overflow, there is no next iteration
            code.fork(code.compare(">" if step > 0 else "<", then, before), head, after)
        code.start(after)

    def _turns(self, node: ast.For | ast.While, following: str, after: str) -> None:
        self.loops.append((following, after))
        self._statements(node.body)
        self.loops.pop()
        self.code.go(following)

    def _next_turn(self, following: str, mark: str) -> None:
        self.code.ended = True
        self.code.start(following)
        if mark:
            self.code.put(f"call void @release(ptr %arena, ptr {mark})")

    def _break(self, node: ast.Break) -> None:
        self.code.go(self.loops[-1][1])

    def _continue(self, node: ast.Continue) -> None:
        self.code.go(self.loops[-1][0])

    def _mark(self, node: ast.For | ast.While) -> str:
        """A mark of the memory in use when an iteration begins, if later memory can be freed."""
        # Names that occur only in the loop are assigned in each iteration before they are read.
        if not self.allocates or not _source.takes_memory(node, self.function):
            return ""
        if any(map(self.variables.may_hold_arrays, _source.names_kept(self.node, node))):
            return ""
        return self.code.let("load ptr, ptr %arena")


def _refuse_parameters(function: types.FunctionType) -> None:
    """Raise if a function has parameters with a star, or behind one."""
    code = function.__code__
    stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    if stars or code.co_kwonlyargcount:
        reason = UnsupportedError(
            f"{function.__name__} has a star among its parameters; write each without a star"
        )
        reason.locate(definition(function))
        raise reason


def _refuse_frozen(array: Array) -> None:
    """Raise if an array must not be written to."""
    if array.frozen:
        raise UnsupportedError("a read-only array is written to; write to an array of the state")


def _refusal_of_target(target: ast.expr) -> str:
    """What is said of something that kernels cannot assign."""
    if isinstance(target, ast.Attribute):
        name = ast.unparse(target)
        return f"the field {name} is assigned; make it an array, and write {name}[0] = ..."
    return f"{ast.unparse(target)} is assigned; assign names and elements of arrays one by one"

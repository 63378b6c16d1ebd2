"""The variables of a function, and their kinds."""

from __future__ import annotations

from collections.abc import Sequence

from lowbid._compile._code import Code
from lowbid._compile._values import (
    INT,
    Kind,
    Number,
    Value,
    holds_arrays,
    kind_of,
    natural,
    registers_of,
    texts_of,
    value_from,
    wider,
)


class WiderError(Exception):
    """A variable is wider than was assumed: the function must be written again."""


class Variables:
    """Everything known about a function's variables.

    Attributes
    ----------
    kinds : dict
        The kind of each: that of all values assigned to it so far.
    negative : set
        Those that may be negative. A variable to which only non-negative numbers are assigned is
        assumed not to be, which saves a check whenever it is an index.
    rooms : dict
        The memory of each, in the text that is being written.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Kind] = {}
        self.negative: set[str] = set()
        self.rooms: dict[str, list[str]] = {}

    def load(self, code: Code, name: str) -> Value:
        """The value of a variable."""
        kind = self.kinds[name]
        pairs = zip(registers_of(kind), self.rooms[name], strict=True)
        texts = [code.let(f"load {register}, ptr {room}") for register, room in pairs]
        value = value_from(kind, iter(texts))
        if isinstance(value, Number) and kind == INT and name not in self.negative:
            return natural(value.text)
        return value

    def store(self, code: Code, name: str, value: Value) -> None:
        """Assign a variable."""
        kind = wider(self.kinds.get(name, kind_of(value)), kind_of(value))
        if self.kinds.setdefault(name, kind) != kind:
            self.kinds[name] = kind
            raise WiderError
        fitting = code.fit(value, kind)
        if isinstance(fitting, Number) and not fitting.natural and name not in self.negative:
            self.negative.add(name)
            if kind == INT:
                raise WiderError
        if name not in self.rooms:
            self.rooms[name] = [code.room(register) for register in registers_of(kind)]
        keep(code, kind, fitting, self.rooms[name])

    def may_hold_arrays(self, name: str) -> bool:
        """Whether a variable is an array or contains one; True if it was not seen yet."""
        return name not in self.kinds or holds_arrays(self.kinds[name])


def keep(code: Code, kind: Kind, value: Value, rooms: Sequence[str]) -> None:
    """Store a value in its memory."""
    for register, text, room in zip(registers_of(kind), texts_of(value), rooms, strict=True):
        code.put(f"store {register} {text}, ptr {room}")

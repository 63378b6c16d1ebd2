"""Rules as frozen dataclasses of their parameters: their names, and what their kernels read."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections import namedtuple
from typing import Any, ClassVar

import numpy as np

from lowbid._compile import Kernel
from lowbid._require import is_number


class Parameterised:
    """A rule that is identified by its class and its dataclass fields.

    Its functions are a named tuple, the class attribute `kernels`.
    """

    kernels: ClassVar[Any]
    Parameters: ClassVar[type[Any]]

    @property
    def compiled(self) -> bool:
        """Whether all functions of the rule are kernels."""
        return all(isinstance(function, Kernel) for function in self.kernels)

    @property
    def name(self) -> str:
        """A short name: the class, and the parameters that differ from their defaults."""
        changed = [
            f"{field.name}={_short_text_of(_value(self, field))}"
            for field in fields_of(self)
            if _value(self, field) != self.effective(field.name, field.default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})" if changed else type(self).__name__

    @property
    def identity(self) -> str:
        """The class and all parameters."""
        values = [f"{field.name}={text_of(plain(self, field))}" for field in fields_of(self)]
        return f"{type(self).__qualname__}({', '.join(values)})"

    @property
    def stream_name(self) -> str:
        """What identifies the rule's stream of random numbers; by default its identity."""
        return self.identity

    def effective(self, name: str, value: Any) -> Any:
        """The effective value of a parameter; for most, the value itself."""
        return value

    def describe(self, horizon: int) -> str:
        """The rule as a string from which it could be recreated, for provenance."""
        return self.identity


def adopt_functions(cls: type[Any], kernels: type[Any]) -> None:
    """Make the methods of a new class its rule, or create the type that its kernels read.

    `kernels` is the named tuple of all functions that a rule has.
    """
    names, defaults = kernels._fields, kernels._field_defaults
    own = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    inherited = getattr(cls, "kernels", None)
    rule = {name: getattr(inherited, name, defaults.get(name)) for name in names} | own
    if own and all(callable(function) for function in rule.values()):
        cls.kernels = kernels(**rule)
    elif hasattr(cls, "kernels"):
        cls.Parameters = named_tuple_for(cls)


def fields_of(rule: Any) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a rule; none if it is not a dataclass."""
    return dataclasses.fields(rule) if dataclasses.is_dataclass(rule) else ()


def named_tuple_for(rule: type[Any]) -> type[Any]:
    """A type for the fields of a class that is about to become a dataclass.

    It exists as soon as the class does, under its qualified name: compiled code on disk refers to
    it, and may be loaded before any such rule is created.
    """
    names = {
        name: None
        for base in reversed(rule.__mro__)
        for name, kind in inspect.get_annotations(base).items()
        if "ClassVar" not in str(kind)
    }
    made = namedtuple("Parameters", list(names))  # type: ignore[misc]
    made.__module__, made.__qualname__ = rule.__module__, f"{rule.__qualname__}.Parameters"
    return made


def text_of(value: Any) -> str:
    """A string for a parameter that is the same in every process, without memory addresses."""
    if isinstance(value, Parameterised):
        return value.identity
    if isinstance(value, functools.partial):
        given = [
            *map(text_of, value.args),
            *(f"{k}={text_of(v)}" for k, v in value.keywords.items()),
        ]
        return f"partial({', '.join([text_of(value.func), *given])})"
    name = getattr(value, "__qualname__", None)
    if name is None and getattr(type(value), "__repr__", None) is object.__repr__:
        name = type(value).__qualname__
    return name if isinstance(name, str) else repr(value)


def _short_text_of(value: Any) -> str:
    return value.name if isinstance(value, Parameterised) else text_of(value)


def _value(rule: Parameterised, field: dataclasses.Field[Any]) -> Any:
    return rule.effective(field.name, getattr(rule, field.name))


def plain(rule: Parameterised, field: dataclasses.Field[Any]) -> Any:
    """A parameter's value as a Python number, so that 2, 2.0 and NumPy's are the same parameter."""
    value = _value(rule, field)
    if isinstance(value, np.bool_):
        return bool(value)
    if not is_number(value):
        return value
    return float(value) if "float" in str(field.type) else int(value)

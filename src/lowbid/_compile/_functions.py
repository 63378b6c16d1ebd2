"""Functions as values: copies with other globals, and fingerprints of their code."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


def rebind(function: Callable[P, R], bindings: dict[str, Any]) -> Callable[P, R]:
    """Copy a function, with some of its global names rebound."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"a kernel is made of a plain function, not of {function!r}")
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **bindings},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__, copy.__doc__ = function.__qualname__, function.__doc__
    copy.__module__ = function.__module__
    return cast(Callable[P, R], copy)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def referenced(function: Callable[..., Any]) -> dict[str, Any]:
    """Global names that a function refers to, with their current values."""
    known = cast(types.FunctionType, function).__globals__
    codes = _codes(cast(types.FunctionType, function).__code__)
    names = sorted({name for code in codes for name in code.co_names})
    return {name: known[name] for name in names if name in known}


def definition(function: Callable[..., Any]) -> str:
    """The file and the line where a function begins."""
    code = cast(types.FunctionType, function).__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"


def fingerprint(function: Callable[..., Any], *more: str) -> str:
    """A short digest of a function's code and everything it refers to, but not of its docstring."""
    code = cast(types.FunctionType, function).__code__
    if function.__doc__ is not None and code.co_consts[:1] == (function.__doc__,):
        code = code.replace(co_consts=(None, *code.co_consts[1:]))
    parts = [describe(code), *more]
    parts += [f"{name}={describe(v)}" for name, v in referenced(function).items()]
    parts += map(describe, getattr(function, "__defaults__", None) or ())
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def describe(value: Any) -> str:
    """A string that changes when the meaning of a value does, and is the same in every process."""
    if isinstance(getattr(value, "digest", None), str):  # a kernel
        return str(value.digest)
    if isinstance(value, types.CodeType):
        constants = ",".join(describe(constant) for constant in value.co_consts)
        return f"{value.co_code.hex()}({constants})({value.co_names})({value.co_varnames})"
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, type) and hasattr(value, "_fields"):
        return f"{value.__qualname__}{value._fields}"
    if isinstance(value, type) or callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.blake2b(value.tobytes()).hexdigest()}"
    return repr(value)

"""Compiled kernels: the module that imports numba (`_memory` has two hints of its own).

A *kernel* is a plain Python function on numbers, arrays and named tuples. It is compiled on
its first call, not when its module is imported, so ``import lowbid`` stays quick. The same
function runs uncompiled under `interpreted` (or with ``NUMBA_DISABLE_JIT=1``), which is how
tests compare the two bit for bit.

`specialise` makes a new kernel out of a template by binding some of the template's global
names to other kernels: the simulation loop is written once and compiled once per policy.

Numba keeps compiled code on disk, and does not notice when a function that is *called* from
another file changes. So each kernel's cached name carries a digest of its own code and of
everything that it calls.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import importlib
import os
import pickle
import threading
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

_compiling = threading.RLock()
_interpreted = contextvars.ContextVar(
    "interpreted", default=os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
)


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first called."""

    def __init__(
        self,
        function: Callable[P, R],
        bindings: dict[str, Any] | None = None,
        allocates: bool = False,
    ) -> None:
        self.allocates = allocates
        self.function = function if bindings is None else _rebind(function, bindings)
        self.special: tuple[Any, ...] = ()  # the template and bindings that it was made of
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if _interpreted.get():
            # Streams of random bits wrap around at 2**64 by design.
            with np.errstate(over="ignore"):
                return self.function(*args, **kwargs)
        return self.compiled(*args, **kwargs)

    def entry(self, *arguments: Any) -> Callable[..., R]:
        """A function for arguments of exactly these types, which it does not look at again.

        Finding out the types of a dozen arrays takes ten times as long as most rules. The caller
        must hand in the same types each time.
        """
        if _interpreted.get():
            return functools.partial(_run_uncompiled, self.function)
        compiled = self.compiled
        compile_for = getattr(compiled, "compile", None)
        if compile_for is None:
            return compiled
        import numba

        type_of: Callable[[Any], Any] = numba.typeof
        return cast(Callable[..., R], compile_for(tuple(map(type_of, arguments))))

    @functools.cached_property
    def compiled(self) -> Callable[P, R]:
        """The numba dispatcher of this kernel and of all kernels that it calls."""
        with _compiling:
            import numba

            function = self._calling_compiled()
            try:
                dispatcher = numba.njit(cache=True, **self.options)(function)
                _share_cache(dispatcher)
                return dispatcher
            except RuntimeError:  # no file to keep a cache beside: typed at a prompt, say
                return numba.njit(**self.options)(function)

    @functools.cached_property
    def inner(self) -> Any:
        """What other kernels call: without the wrappers that a call from Python needs."""
        with _compiling:
            import numba

            options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **self.options}
            return numba.njit(**options)(self._calling_compiled())

    def _calling_compiled(self) -> Callable[P, R]:
        """The function, with compiled forms of all kernels that it calls."""
        kernels = {
            name: value.inner
            for name, value in _referenced(self.function).items()
            if isinstance(value, Kernel)
        }
        function = _rebind(self.function, kernels)
        function.__qualname__ = f"{function.__qualname__}_{self.digest}"
        return function

    @property
    def options(self) -> dict[str, Any]:
        """How numba compiles this kernel.

        Kernels never raise: a division by zero gives infinity or NaN, as in NumPy. One that makes
        no arrays need not count references to them, and is made part of its caller: handing a
        state's dozen arrays from function to function costs more than most rules.
        """
        return {
            "nogil": True,
            "error_model": "numpy",
            "_nrt": self.allocates,
            "forceinline": not self.allocates,
        }

    @functools.cached_property
    def digest(self) -> str:
        """A fingerprint of this kernel's code and of everything that it refers to."""
        return _fingerprint(self.function, repr(self.options))

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle it by name, as functions are: what was compiled for it is found again."""
        if self.special:
            return _specialise, self.special
        return _kernel_named, (self.function.__module__, self.function.__qualname__)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__qualname__}>"


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function for compilation on its first call.

    It may not make new arrays: then nothing in it needs to be counted and freed.
    """
    return Kernel(function)


def allocating_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function that makes new arrays for compilation on its first call."""
    return Kernel(function, allocates=True)


class Hint(Kernel[P, None]):
    """A kernel that tells the machine something and changes no result.

    Uncompiled it does nothing; `build` makes what it is within compiled code.
    """

    def __init__(self, function: Callable[P, None], build: Callable[[], Any]) -> None:
        super().__init__(function)
        self.build = build

    @functools.cached_property
    def compiled(self) -> Any:
        """What numba takes for this function."""
        with _compiling:
            return self.build()

    @property
    def inner(self) -> Any:
        """The same."""
        return self.compiled

    @functools.cached_property
    def digest(self) -> str:
        """A fingerprint of what is built."""
        return _fingerprint(self.build)


def hint(build: Callable[[], Any]) -> Callable[[Callable[P, None]], Hint[P]]:
    """Mark a function, empty but for its docstring, as a hint that `build` makes."""
    return functools.partial(Hint, build=build)


@functools.cache
def _specialise(
    template: Kernel[..., Any], bindings: tuple[tuple[str, Any], ...]
) -> Kernel[..., Any]:
    special = Kernel(template.function, dict(bindings), template.allocates)
    special.special = template, bindings
    return special


def _kernel_named(module: str, name: str) -> Kernel[..., Any]:
    """The kernel that a module has under a name."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, Kernel):
        raise pickle.UnpicklingError(
            f"there is no kernel {name} in the module {module} of this process; define it at the "
            "top of a module that all workers can import."
        )
    return found


def code_digest(function: Callable[..., Any]) -> str:
    """A fingerprint of a kernel and all that it calls, or of a plain function's own code."""
    if isinstance(function, Kernel):
        return function.digest
    function = getattr(function, "__func__", function)
    if isinstance(function, types.FunctionType):
        return _fingerprint(function)
    return _describe(function)


def specialise(template: Kernel[P, R], **bindings: Any) -> Callable[P, R]:
    """Bind global names of a template to other functions, or to other constants.

    The result is a kernel if every function bound is a kernel; with a plain Python function
    among them it is a plain function that calls compiled kernels where it can.
    """
    special = cast(Kernel[P, R], _specialise(template, tuple(sorted(bindings.items()))))
    if all(isinstance(value, Kernel) for value in bindings.values() if callable(value)):
        return special
    return special.function


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels as plain Python inside this block."""
    token = _interpreted.set(True)
    try:
        yield
    finally:
        _interpreted.reset(token)


def _run_uncompiled(function: Callable[..., R], *arguments: Any) -> R:
    with interpreted():
        return function(*arguments)


def _share_cache(dispatcher: Any) -> None:
    """Let several processes, and older versions of the code, use one cache on disk.

    Numba numbers the files of a kernel's compiled forms. When several processes compile at once,
    the one that writes the index last drops what the others put there, so a number would be given
    out again while an index that was read before still calls something else by it: the wrong code
    would run. Here no name is ever used twice. And numba fails on an index that refers to a class
    that is no more.
    """
    files = dispatcher._cache._cache_file
    pattern = files._data_name_pattern.replace(".nbc", ".{unique}.nbc")
    files._data_name = lambda number: pattern.format(number=number, unique=uuid.uuid4().hex[:12])
    load_index = files._load_index

    def load_index_or_start_anew() -> Any:
        try:
            return load_index()
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            return {}

    files._load_index = load_index_or_start_anew


def _rebind(function: Callable[P, R], bindings: dict[str, Any]) -> Callable[P, R]:
    """Copy a function, with some of its global names meaning something else."""
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


def _referenced(function: Callable[..., Any]) -> dict[str, Any]:
    """Global names that a function refers to, with their present values."""
    known = cast(types.FunctionType, function).__globals__
    codes = _codes(cast(types.FunctionType, function).__code__)
    names = sorted({name for code in codes for name in code.co_names})
    return {name: known[name] for name in names if name in known}


def _fingerprint(function: Callable[..., Any], *more: str) -> str:
    """A short text for a function's code and all that it refers to."""
    parts = [_describe(cast(types.FunctionType, function).__code__), *more]
    parts += [f"{name}={_describe(v)}" for name, v in _referenced(function).items()]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def _describe(value: Any) -> str:
    """A text that changes when the meaning of a value does, and is the same in every process."""
    if isinstance(value, Kernel):
        return value.digest
    if isinstance(value, types.CodeType):
        constants = ",".join(_describe(constant) for constant in value.co_consts)
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

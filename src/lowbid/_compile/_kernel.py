"""Kernels: plain Python functions on numbers, arrays and named tuples, compiled when called.

A kernel is compiled on its first call, not when its module is imported, so ``import lowbid`` stays
fast. The same function runs uncompiled under `interpreted` (or with ``NUMBA_DISABLE_JIT=1``), which
is how tests compare the two bit for bit. Since they give the same bits, a kernel may also run
uncompiled while it is compiled in the background: see `compiling`.

`specialise` makes a new kernel out of a template by binding some of the template's global
names to other kernels: the simulation loop is written once and compiled once per policy.

Numba caches compiled code on disk, and does not notice when a *called* function in another file
changes. Each kernel's cached name therefore carries a digest of its own code and of everything it
calls.
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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast

import numpy as np

from lowbid._compile._background import background
from lowbid._compile._functions import describe, fingerprint, rebind, referenced
from lowbid._require import require_choice

P = ParamSpec("P")
R = TypeVar("R")

When = Literal["background", "now", "never"]
WHEN: tuple[When, ...] = ("background", "now", "never")

_WAYS_TO_COMPILE = ("_allocation.py", "_compiler.py", "_hints.py")

_building = threading.RLock()
_loops = threading.RLock()  # held while a loop is compiled; a fork waits until that is done
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_loops.acquire, after_in_parent=_loops.release, after_in_child=_loops.release
    )
_disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
# When called kernels are compiled; those called "within" an uncompiled one are not compiled.
_when: contextvars.ContextVar[When | Literal["within"]] = contextvars.ContextVar(
    "when", default="never" if _disabled else "now"
)


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first called.

    Attributes
    ----------
    told : str
        The name of the hint that a call gives to the compiler of loops; empty if it gives none.
    """

    told = ""

    def __init__(
        self,
        function: Callable[P, R],
        bindings: dict[str, Any] | None = None,
        allocates: bool = False,
        is_loop: bool = False,
    ) -> None:
        self.allocates, self.is_loop = allocates, is_loop
        self.natives: dict[Any, Callable[..., Any]] = {}  # of a loop, by the kinds of arguments
        self.function = function if bindings is None else rebind(function, bindings)
        self.special: tuple[Any, ...] = ()  # the template and bindings that it was made from
        self.forms: dict[Any, Form] = {}
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        when = _when.get()
        if when == "now":
            if self.is_loop and not kwargs:
                return cast(R, self.native(args)(*args))
            return self.compiled(*args, **kwargs)
        if when == "within":
            return self.function(*args, **kwargs)
        if when == "background" and not kwargs:
            return self.form(args)(*args)
        return run_uncompiled(self.function, *args, **kwargs)

    def uncompiled(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it as plain Python: for a call or two, compiling takes longer."""
        return run_uncompiled(self.function, *args, **kwargs)

    def entry(self, *arguments: Any) -> Callable[..., R]:
        """A function for arguments of exactly these types, which are not checked again.

        Determining the types of a dozen arrays takes ten times as long as most rules. The caller
        must pass the same types each time. While compiling in the background, it is a `Form`.
        """
        when = _when.get()
        if when == "background":
            form = self.form(arguments)
            return form.compiled or form
        if when == "now":
            return cast(Callable[..., R], _compiler().compiled_for(self.compiled, arguments))
        return functools.partial(run_uncompiled, self.function)

    def form(self, arguments: tuple[Any, ...]) -> Form:
        """The form of this kernel for arguments of these types."""
        kind = _kind(arguments)
        with contextlib.suppress(KeyError):
            return self.forms[kind]
        return self.forms.setdefault(kind, Form(self, _sample(arguments)))

    def native(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """A loop for arguments like these: our own compiler's if it can do it, else numba's."""
        compiler = importlib.import_module("lowbid._compile._build")
        kinds = compiler.kinds_of(arguments)
        if kinds not in self.natives:
            with _loops:  # by one thread; the others wait for it
                if kinds not in self.natives:
                    self.natives[kinds] = compiler.build(self, arguments) or self.compiled
        return self.natives[kinds]

    @functools.cached_property
    def compiled(self) -> Callable[P, R]:
        """The numba dispatcher of this kernel and of all kernels that it calls."""
        with _building:
            return cast(
                Callable[P, R],
                _compiler().build_callable(self._calling_compiled(), self.options),
            )

    @functools.cached_property
    def inner(self) -> Any:
        """The form that other kernels call: a part of them, without machine code of its own."""
        with _building:
            return _compiler().build_part(self._calling_compiled(), self.options)

    @property
    def is_kept(self) -> bool:
        """Whether compiled code is stored on disk."""
        return bool(_compiler().keeps(self.compiled))

    def _calling_compiled(self) -> Callable[P, R]:
        """The function, with compiled forms of all kernels that it calls."""
        kernels = {
            name: value.inner
            for name, value in referenced(self.function).items()
            if isinstance(value, Kernel)
        }
        function = rebind(self.function, kernels)
        function.__qualname__ = f"{function.__qualname__}_{self.digest}_{_generation()}"
        return function

    @property
    def options(self) -> dict[str, Any]:
        """How numba compiles this kernel.

        Kernels never raise: a division by zero gives infinity or NaN, as in NumPy. A kernel that
        creates no arrays needs no reference counts, and is inlined into its caller: passing a
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
        return fingerprint(self.function, repr(self.options))

    def has_changed(self) -> bool:
        """Whether a global of it, or of a kernel that it calls, has changed since the first use."""
        called = (each for each in referenced(self.function).values() if isinstance(each, Kernel))
        digest: Any = type(self).__dict__.get("digest", Kernel.__dict__["digest"])
        return digest.func(self) != self.digest or any(each.has_changed() for each in called)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle it by name, as functions are, so that its compiled code is found again."""
        if self.special:
            return _specialise, self.special
        return _kernel_named, (self.function.__module__, self.function.__qualname__)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__qualname__}>"


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function for compilation on its first call.

    It must not create arrays, nor call methods of arrays such as ``max()``, so that nothing in it
    needs to be counted and freed.
    """
    return Kernel(function)


def allocating_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function that creates arrays for compilation on its first call."""
    return Kernel(function, allocates=True)


def loop_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function that creates arrays, and that Python calls rarely, for long runs.

    It returns numbers, or nothing. `lowbid._compile` compiles it, in a fraction of the time that
    numba takes; numba compiles it if it uses anything that is not supported there.
    """
    return Kernel(function, allocates=True, is_loop=True)


class Hint(Kernel[P, None]):
    """A kernel that gives the processor a hint and changes no result.

    Uncompiled, it does nothing; `build` emits its compiled code.
    """

    def __init__(
        self, function: Callable[P, None], build: Callable[[], Any], told: str = ""
    ) -> None:
        super().__init__(function)
        self.build, self.told = build, told

    @functools.cached_property
    def compiled(self) -> Any:
        """What numba uses for this function."""
        with _building:
            return self.build()

    @property
    def inner(self) -> Any:
        """The same."""
        return self.compiled

    @functools.cached_property
    def digest(self) -> str:
        """A fingerprint of what is built."""
        return fingerprint(self.build)


def hint(build: Callable[[], Any], told: str) -> Callable[[Callable[P, None]], Hint[P]]:
    """Mark a function, empty except for its docstring, as a hint whose code `build` emits.

    `told` is the name of the hint in the compiler of loops.
    """
    return functools.partial(Hint, build=build, told=told)


@functools.cache
def _specialise(
    template: Kernel[..., Any], bindings: tuple[tuple[str, Any], ...]
) -> Kernel[..., Any]:
    special = Kernel(template.function, dict(bindings), template.allocates, template.is_loop)
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
    """A fingerprint of a kernel and everything it calls, or of a plain function's own code."""
    if isinstance(function, Kernel):
        return function.digest
    function = getattr(function, "__func__", function)
    if isinstance(function, types.FunctionType):
        return fingerprint(function)
    return describe(function)


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
    token = _when.set("never")
    try:
        yield
    finally:
        _when.reset(token)


@contextlib.contextmanager
def compiling(when: When) -> Iterator[None]:
    """Choose when kernels called inside this block are compiled.

    "now": on the first call, which waits for it. "background": they run uncompiled until they are
    compiled. "never": they run uncompiled, as they always do inside `interpreted`.
    """
    token = _when.set(when if _when.get() in ("now", "background") else "never")
    try:
        yield
    finally:
        _when.reset(token)


def default_when() -> When:
    """When kernels of a bandit are compiled by default."""
    when = os.environ.get("LOWBID_COMPILED", WHEN[0])
    require_choice("the environment variable LOWBID_COMPILED", when, WHEN)
    return cast(When, when)


def run_uncompiled(function: Callable[..., R], *arguments: Any, **named: Any) -> R:
    """Call a kernel's function, and run all kernels that it calls uncompiled."""
    token = _when.set("within")
    try:
        with np.errstate(all="ignore"):  # as compiled: infinity or NaN, and bits that wrap around
            return function(*arguments, **named)
    finally:
        _when.reset(token)


class Form:
    """A kernel for arguments of certain types: uncompiled, until it is compiled in the background.

    Attributes
    ----------
    compiled
        The compiled function, or None.
    submitted : bool
        Whether it has been submitted to the background.
    """

    def __init__(self, kernel: Kernel[..., Any], samples: tuple[Any, ...]) -> None:
        self.kernel, self.samples = kernel, samples
        self.compiled: Callable[..., Any] | None = None
        self.submitted = isinstance(kernel, Hint)

    def __call__(self, *arguments: Any) -> Any:
        if self.compiled is not None:
            return self.compiled(*arguments)
        answer = run_uncompiled(self.kernel.function, *arguments)
        if not self.submitted:
            background.submit(self)
        return answer

    def load(self) -> bool:
        """Load the code from disk, and return whether it was there."""
        self.compiled = _compiler().loaded_for(self.kernel.compiled, self.samples)
        return self.compiled is not None

    def keeps(self) -> bool:
        """Whether compiled code can be stored on disk."""
        return self.kernel.is_kept

    def compile(self) -> None:
        """Compile it, store it on disk if possible, and use it."""
        self.compiled = _compiler().compiled_for(self.kernel.compiled, self.samples)

    def __reduce__(self) -> tuple[Any, ...]:
        return Form, (self.kernel, self.samples)

    def __repr__(self) -> str:
        return repr(self.kernel)


@functools.cache
def _generation() -> str:
    """A fingerprint of how kernels are compiled: code cached by older versions is not used."""
    folder, texts = Path(__file__).parent, b""
    with contextlib.suppress(OSError):  # only bytecode may be installed
        texts = b"".join((folder / name).read_bytes() for name in _WAYS_TO_COMPILE)
    return hashlib.blake2b(texts, digest_size=4).hexdigest()


def _compiler() -> Any:
    """The one module that uses numba, which takes a while to import."""
    return importlib.import_module("lowbid._compile._compiler")


def _kind(value: Any) -> Any:
    """A key that distinguishes values that have different types in compiled code."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *map(_kind, value)
    return type(value)


def _sample(value: Any) -> Any:
    """A small value that has the same type in compiled code."""
    if isinstance(value, np.ndarray):
        small = np.empty((0,) * value.ndim, value.dtype)
        return small if _kind(small) == _kind(value) else value
    if isinstance(value, tuple):
        parts = map(_sample, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value

"""Kernels: plain Python functions on numbers, arrays and named tuples, compiled when called.

A kernel is compiled on its first call, not when its module is imported, so ``import lowbid`` stays
fast. The same function runs uncompiled under `interpreted`, which is how tests compare the two bit
for bit. Since they give the same bits, a kernel may also run uncompiled while it is compiled in the
background: see `compiling`.

`specialise` makes a new kernel out of a template by binding some of the template's global
names to other kernels: the simulation loop is written once and compiled once per policy.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import inspect
import logging
import os
import pickle
import time
import types
from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast

import numpy as np

from lowbid._compile._background import background
from lowbid._compile._functions import definition, describe, fingerprint, rebind, referenced
from lowbid._require import require_choice

P = ParamSpec("P")
R = TypeVar("R")

When = Literal["background", "now", "never"]
WHEN: tuple[When, ...] = ("background", "now", "never")
PENDING = object()  # a compiled form that does not exist yet
# A kernel that takes longer than this uncompiled is worth compiling in the background, in seconds.
_SLOW = 0.02

# Said of whatever runs uncompiled; measured by `python -m benchmarks.uncompiled`.
UNCOMPILED_COST = "10 to 200 times slower in a bandit, 500 or more in a simulation"

# When called kernels are compiled; those called "within" an uncompiled one are not compiled.
_when: contextvars.ContextVar[When | Literal["within"]] = contextvars.ContextVar(
    "when", default="now"
)
_checked: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "checked", default=os.environ.get("LOWBID_CHECKED", "") not in ("", "0")
)


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first called.

    Attributes
    ----------
    function
        The function, uncompiled.
    allocates : bool
        Whether it creates arrays.
    is_hint : bool
        Whether a call is a hint to the compiler.
    natives : dict
        Its compiled forms; None for those that cannot be compiled.
    reason : str
        Why it runs uncompiled: the file, the line, and what to write instead. Empty if it was not
        refused.
    """

    def __init__(
        self,
        function: Callable[P, R],
        bindings: dict[str, Any] | None = None,
        allocates: bool = False,
        is_hint: bool = False,
    ) -> None:
        self.allocates, self.is_hint = allocates, is_hint
        self.function = function if bindings is None else rebind(function, bindings)
        self.special: tuple[Any, ...] = ()  # the template and bindings that it was made from
        self.natives: dict[Any, Any] = {}
        self.reason = ""
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        when = _when.get()
        if when == "within" or self.is_hint:
            return self.function(*args, **kwargs)
        if when == "never":
            return run_uncompiled(self.function, *args, **kwargs)
        given: tuple[Any, ...] = args
        if kwargs or len(args) != _count(self.function):
            given = _in_order(self.function, args, kwargs)
        call = self.native("Call", given, wait=when == "now")
        if callable(call):
            try:
                return cast(R, call(*given))
            except _native().OverlapError as reason:
                self._stay_uncompiled(reason)
        begin = time.monotonic()
        answer = run_uncompiled(self.function, *args, **kwargs)
        if call is PENDING and time.monotonic() - begin > _SLOW:
            background.submit(self, "Call", given)
        return answer

    def uncompiled(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it as plain Python: for a call or two, compiling takes longer."""
        return run_uncompiled(self.function, *args, **kwargs)

    def bind(self, *arguments: Any) -> tuple[Callable[..., R], bool]:
        """The kernel as a function of the numbers among these arguments.

        It keeps the others: arrays, which must not be moved, and named tuples. The second result is
        False while it is being compiled in the background, in which case binding it again later
        gives a faster function.
        """
        when = _when.get()
        uncompiled = functools.partial(run_uncompiled, with_numbers, self.function, arguments)
        if when not in ("now", "background"):
            return uncompiled, True
        bound = self.native("Bound", arguments, wait=when == "now")
        if bound is PENDING:
            background.submit(self, "Bound", arguments)
            return uncompiled, False
        if bound is not None:
            try:
                return bound.to(arguments), True
            except _native().OverlapError as reason:
                self._stay_uncompiled(reason)
        return uncompiled, True

    def native(self, form: str, arguments: tuple[Any, ...], wait: bool) -> Any:
        """Its compiled form for arguments like these; None if it cannot be compiled.

        If it has not been compiled yet, and the caller does not `wait`, it is PENDING.
        """
        if not wait and (not self.natives or background.has(self, form)):
            return PENDING  # without importing the compiler, and looking at the arguments
        compiler = _native()
        if compiler is None:
            self.natives[form] = None
            return None
        try:
            name = form, compiler.kinds_of(arguments), _checked.get()
        except compiler.UnsupportedError as reason:
            self._stay_uncompiled(reason)
            return None
        if wait and name not in self.natives:
            with background.compiler:  # one thread compiles; the others wait for it
                if name not in self.natives:
                    self.natives[name] = self._compiled(*name)
        return self.natives.get(name, PENDING)

    def _compiled(self, form: str, kinds: Any, checked: bool) -> Any:
        compiler = _native()
        try:
            return getattr(compiler, form)(self, kinds, checked)
        except compiler.UnsupportedError as reason:
            self._stay_uncompiled(reason)
        except RecursionError:
            name = self.function.__name__
            self._stay_uncompiled(
                compiler.UnsupportedError(
                    f"{name}, or one that it calls, calls itself; write a loop"
                )
            )
        except Exception as error:  # for example, a processor that LLVM does not know
            _report_failure(repr(self), error)
        return None

    def _stay_uncompiled(self, reason: Any) -> None:
        """Say why it runs uncompiled, once per kernel."""
        reason.locate(definition(self.function))
        self.reason = str(reason)
        if self not in _reported:
            _reported.add(self)
            text = "%r runs uncompiled, %s: %s"
            logging.getLogger("lowbid").warning(text, self, UNCOMPILED_COST, reason)

    @functools.cached_property
    def digest(self) -> str:
        """A fingerprint of this kernel's code and of everything that it refers to."""
        return fingerprint(self.function, f"allocates={self.allocates}")

    def has_changed(self) -> bool:
        """Whether a global of it, or of a kernel that it calls, has changed since the first use."""
        called = (each for each in referenced(self.function).values() if isinstance(each, Kernel))
        digest: Any = Kernel.__dict__["digest"]
        return digest.func(self) != self.digest or any(each.has_changed() for each in called)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle it by name, as functions are, so that its compiled code is found again."""
        if self.special:
            return _specialise, self.special
        return _kernel_named, (self.function.__module__, self.function.__qualname__)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__qualname__}>"


_reported: set[Kernel[..., Any]] = set()  # kernels that were said to run uncompiled


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function for compilation on its first call; it must not create arrays."""
    return Kernel(function)


def allocating_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function that creates arrays for compilation on its first call."""
    return Kernel(function, allocates=True)


def hint(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function as a hint that changes no result; see `lowbid._compile._hints`."""
    return Kernel(function, is_hint=True)


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


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Let compiled kernels check their indices inside this block, which takes longer.

    One outside its array raises `KernelIndexError`, which names the file and the line; otherwise,
    compiled code reads or writes whatever is there. The environment variable ``LOWBID_CHECKED=1``
    does the same for the whole process.
    """
    token = _checked.set(True)
    try:
        yield
    finally:
        _checked.reset(token)


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


def with_numbers(function: Callable[..., R], arguments: tuple[Any, ...], *numbers: Any) -> R:
    """Call a function with other numbers in the place of those among its arguments."""
    given = iter(numbers)
    return function(*(next(given) if isinstance(each, int | float) else each for each in arguments))


def _in_order(
    function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments of a call by their position."""
    bound = inspect.signature(function).bind(*args, **named)
    bound.apply_defaults()
    return bound.args


def _count(function: Callable[..., Any]) -> int:
    """How many arguments a function takes by their position."""
    return cast(types.FunctionType, function).__code__.co_argcount


@functools.cache
def _native() -> Any:
    """The compiler, which takes a while to import; None if it cannot be imported."""
    with background.compiler:  # a fork must wait: in the child, an import begun here never ends
        try:
            return importlib.import_module("lowbid._compile._native")
        except Exception as error:  # for example, a library of LLVM that does not fit this machine
            _report_failure("code", error)
    return None


def _report_failure(what: str, error: Exception) -> None:
    """Warn once per process, since such a failure is likely to occur for every kernel."""
    level = logging.DEBUG if background.failed else logging.WARNING
    background.failed = True
    text = (
        "%s cannot be compiled on this machine (%r); policies run uncompiled, a hundred times "
        "slower or more."
    )
    logging.getLogger("lowbid").log(level, text, what, error)

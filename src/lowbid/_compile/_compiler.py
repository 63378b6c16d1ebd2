"""Everything that uses numba, which is imported with this module, only when needed.

Numba compiles each function to machine code separately before it is inlined into its callers. A
kernel calls dozens of others, all of which become part of one loop. Here, therefore, compilation of
a *part* stops at unoptimised LLVM code, which is optimised once, when all parts are linked.

Numba caches compiled code on disk, and does not notice when a *called* function in another file
changes; therefore, the names of kernels carry a digest of everything they call.
"""

from __future__ import annotations

import contextlib
import pickle
import uuid
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

from lowbid._compile._allocation import numpy_for_kernels
from lowbid._compile._functions import rebind
from lowbid._compile._waiting import compiler_at_work


class Part(JITCodeLibrary):
    """The code of a function that only other functions call, without machine code of its own."""

    def finalize(self) -> None:
        """Nothing may be added from now on."""
        self._finalized = True


class Whole(JITCodeLibrary):
    """The code of a function that Python calls, and of all its parts."""

    def finalize(self) -> None:
        """Link all parts, and generate machine code."""
        found: dict[Any, None] = {}
        waiting = list(reversed(self._linking_libraries))
        while waiting:
            library = waiting.pop()
            if library not in found:
                found[library] = None
                if isinstance(library, Part):
                    waiting += reversed(library._linking_libraries)
        self._linking_libraries = list(found)
        super().finalize()  # type: ignore[no-untyped-call]
        # Constants that parts refer to are reached through the whole library.
        for variable in self._final_module.global_variables:
            constants = lookup_environment(variable.name)
            if constants is not None:
                self.codegen.set_env(variable.name, constants)


def _library(kind: Any, state: Any) -> Any:
    return kind(state.targetctx.codegen(), state.func_id.func_qualname)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    _name = "lowbid_lower_part"

    def run_pass(self, state: Any) -> bool:
        state.library = _library(Part, state)
        state.flags = state.flags.copy()
        state.flags.no_compile = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        lowered = state["cr"]
        # Its address is never used: only compiled code calls it, by name.
        name, nowhere = lowered.fndesc.qualname, 0
        module = lowered.fndesc.lookup_module()
        entry = _dynfunc.make_function(module, name, "", nowhere, lowered.env, (state.library,))
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class _PartCompiler(compiler.Compiler):
    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()  # type: ignore[no-untyped-call]
        lower = [
            (_LowerPart if step is NativeLowering else step, why) for step, why in passes.passes
        ]
        passes.passes, passes._finalized = lower, False
        passes.finalize()
        return [passes]


class _WholeCompiler(compiler.Compiler):
    def compile_extra(self, func: Any) -> Any:
        with compiler_at_work():
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = _library(Whole, state)
        state.library.enable_object_caching()
        return list(super().define_pipelines())  # type: ignore[no-untyped-call]


_NUMPY = numpy_for_kernels()


def _with_quick_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with array creation replaced."""
    names = [name for name, value in function.__globals__.items() if value is np]
    return rebind(function, dict.fromkeys(names, _NUMPY)) if names else function


def build_part(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """A dispatcher for other kernels to call."""
    without = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options = {"pipeline_class": _PartCompiler, **without, **options}
    return numba.njit(**options)(_with_quick_arrays(function))


def build_callable(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """A dispatcher for Python to call."""
    options = {"pipeline_class": _WholeCompiler, "no_cfunc_wrapper": True, **options}
    function = _with_quick_arrays(function)
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no source file to cache beside, or no writable folder
        return numba.njit(**options)(function)
    _share_cache(dispatcher)
    return dispatcher


def compiled_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Compiled code for arguments of exactly these types."""
    if not hasattr(dispatcher, "compile"):
        return dispatcher
    return dispatcher.compile(_signature(arguments))


def loaded_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The same if it need not be compiled, otherwise None."""
    signature = _signature(arguments)
    known = signature in dispatcher.overloads
    if known or dispatcher._cache.load_overload(signature, dispatcher.targetctx) is not None:
        return dispatcher.compile(signature)
    return None


def keeps(dispatcher: Any) -> bool:
    """Whether compiled code can be stored on disk."""
    return hasattr(dispatcher._cache, "_cache_file")


def _signature(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(numba.typeof(argument) for argument in arguments)


def _share_cache(dispatcher: Any) -> None:
    """Let several processes and versions of the code share one cache on disk.

    Numba numbers the files of a kernel's compiled forms. When several processes compile at once,
    the one that writes the index last drops the entries of the others, so a number could be reused
    while an index that was read earlier still refers to the old file: the wrong code would run.
    Here no name is ever used twice. Also, numba fails on an index that refers to a class that no
    longer exists, and when nothing can be written; here both are handled.
    """
    cache = dispatcher._cache
    files, save = cache._cache_file, cache.save_overload
    pattern = files._data_name_pattern.replace(".nbc", ".{unique}.nbc")
    files._data_name = lambda number: pattern.format(number=number, unique=uuid.uuid4().hex[:12])
    load_index = files._load_index

    def load_index_or_start_anew() -> Any:
        try:
            return load_index()
        except (AttributeError, ImportError, EOFError, OSError, pickle.UnpicklingError):
            return {}

    def save_if_possible(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(signature, data)

    files._load_index, cache.save_overload = load_index_or_start_anew, save_if_possible

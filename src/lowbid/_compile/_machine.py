"""From LLVM's text to machine code, and from machine code to a function that Python can call."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

import llvmlite
import llvmlite.binding as llvm

_loading = threading.Lock()
_engines: list[Any] = []  # loaded code is kept: a function may be called at any time


@functools.cache
def _target_machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=_features(),
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


@functools.cache
def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


def machine() -> str:
    """A description of everything that machine code depends on, besides LLVM's text."""
    parts = (llvmlite.__version__, llvm.get_process_triple(), llvm.get_host_cpu_name())
    return "\n".join([*parts, _features()])


def object_of(text: str) -> bytes:
    """Machine code, optimised for this processor."""
    tuned = _target_machine()
    module = llvm.parse_assembly(text, llvm.create_context())
    module.triple, module.data_layout = tuned.triple, str(tuned.target_data)
    module.verify()
    _gather(module, tuned)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    passes = llvm.create_pass_builder(tuned, options)
    passes.getModulePassManager().run(module, passes)
    return bytes(tuned.emit_object(module))


def _gather(module: Any, tuned: Any) -> None:
    """Inline functions into their callers before any of them is optimised separately.

    Otherwise branches that are nearly always taken become selections between two results, both of
    which are computed: measured, that made some rules slower by half.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(tuned, options)
    manager = passes.getModulePassManager()
    manager.add_loop_rotate_pass()
    manager.add_instruction_combine_pass()
    manager.add_jump_threading_pass()
    manager.run(module, passes)


def functions_of(code: bytes) -> Callable[..., Any]:
    """Load machine code.

    Returns a function that makes the functions in it: of their name, the type of their result, and
    the types of their arguments. They run without the GIL unless they are to keep it.
    """
    with _loading:
        empty = llvm.parse_assembly("", llvm.create_context())
        engine = llvm.create_mcjit_compiler(empty, _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)

    def function(name: str, *types: Any, keeps_gil: bool = False) -> Any:
        address = engine.get_function_address(name)
        if not address:
            raise ValueError(f"there is no {name} in this code")
        return (ctypes.PYFUNCTYPE if keeps_gil else ctypes.CFUNCTYPE)(*types)(address)

    return function

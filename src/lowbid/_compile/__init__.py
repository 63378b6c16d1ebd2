"""The compiler: kernels, which are a small part of Python, become machine code.

::

    a function marked as a kernel                                    _kernel, _hints
        │    called, or bound to a state, with arguments of certain kinds
        ▼
    Call: all arguments, long runs │ Bound: numbers only, quick calls    _native, _arguments
        │    is its machine code on disk? ── yes ──▶ load it              _cache
        ▼
    its source, statement by statement, as LLVM's text               _module, _function,
        │                      _source, _variables, _expressions, _arithmetic, _builtins, _code
        ▼
    LLVM: optimise, machine code, load                               _machine

A kernel is compiled for the kinds of its arguments, together with all kernels that it calls, as one
function. There are two ways in. A simulation's loop is a kernel that is *called* with everything it
needs, and runs for long, without the GIL. A bandit's rule is *bound* to its state: the addresses of
its arrays are packed once, and a call passes only the step, the arm and the value, in registers.

When that happens is the caller's choice (`compiling`). "now" waits for it. In the "background",
kernels run uncompiled until one thread has compiled them, in the order in which they were first
used (`_background`). Both give the same bits, so a bandit switches between two calls. Processes
share the code on disk. What cannot be compiled runs uncompiled, which is logged once, with the file
and the line.

What a kernel may use, and where compiled code differs from Python, is on the page "Write a kernel"
of the documentation (docs/kernels.md). In short: numbers of 64 bits, contiguous arrays of them,
tuples and named tuples; arithmetic and comparisons; `if`, `while`, `for` over a range; calls of
other kernels, and of the functions of Python, `math` and NumPy that `_builtins` lists. Nothing
raises, and indices are not checked, except in checked mode (`checked`).

Parameters that are True, False, 0 or infinite are constants of compiled code. Branches that depend
on them are decided at compile time, so an option that is off costs nothing. Memory allocated in an
iteration of a loop is freed at its end.
"""

from lowbid._compile._background import background
from lowbid._compile._cache import cache_folder, can_store
from lowbid._compile._functions import fingerprint, rebind
from lowbid._compile._hints import fetch, from_start, use_huge_pages
from lowbid._compile._kernel import (
    UNCOMPILED_COST,
    WHEN,
    Kernel,
    When,
    allocating_kernel,
    checked,
    code_digest,
    compiling,
    default_when,
    interpreted,
    kernel,
    run_uncompiled,
    specialise,
    with_numbers,
)
from lowbid._compile._waiting import on_behalf_of, waiting

__all__ = [
    "UNCOMPILED_COST",
    "WHEN",
    "Kernel",
    "When",
    "allocating_kernel",
    "background",
    "cache_folder",
    "can_store",
    "checked",
    "code_digest",
    "compiling",
    "default_when",
    "fetch",
    "fingerprint",
    "from_start",
    "interpreted",
    "kernel",
    "on_behalf_of",
    "rebind",
    "run_uncompiled",
    "specialise",
    "use_huge_pages",
    "waiting",
    "with_numbers",
]

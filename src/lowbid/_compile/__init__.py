"""A small compiler for long-running kernels: the loops of simulations.

Numba supports most of Python and NumPy, and takes seconds to compile a loop made of dozens of
kernels. Kernels use only a small part of both, which is translated here directly into LLVM's
language. LLVM, which comes with numba, does the rest. The results are the same bit for bit, except
where a kernel relies on behaviour that compiled code does not have (see the end).

A kernel may use: numbers (float, int of 64 bits, uint64, bool) and contiguous arrays of them;
tuples and named tuples; assignments, including those to parts of arrays; arithmetic and
comparisons; `if`, `while`, `for` over a range, `break`, `continue`, `return`; views of a number's
64 bits; calls of other kernels, and of the functions of Python, `math` and NumPy that `_builtins`
supports. Anything else, and anything whose meaning might differ between Python and LLVM, raises
`UnsupportedError`, and numba compiles the whole loop.

How a loop becomes one function, from the top down:

- `_build` takes a kernel and its arguments, and looks for its machine code on disk (`_kept`). If
  there is none, the loop is compiled. The result is an object that Python can call.
- `_module` writes the text of a loop: a function for each kernel and the kinds of its arguments,
  constants, memory, and the entry point.
- `_function` writes one of these functions, statement by statement, from its source (`_source`),
  and infers the kinds of its variables (`_variables`). `_expressions`, `_arithmetic` and
  `_builtins` translate the expressions. Instructions are collected in a `_code`; operands and
  results are `_values`.
- `_machine` lets LLVM compile the text to machine code, and loads it.

It is not used if the environment variable ``LOWBID_LOOPS`` is "numba".

A loop is compiled for the exact values of parameters that are True, False, 0 or infinite. Branches
that depend on them are decided at compile time, so an option that is off costs nothing, neither per
step nor to compile.

Memory allocated in an iteration of a loop is freed at its end. Loops run without the GIL.

Differences from Python, most of which numba has too:

- Whole numbers wrap around at 64 bits. Division of them by 0 gives 0. In an operation with a
  float, and under ``/``, they are rounded to floats first.
- Nothing is raised: indices are not checked, the largest number of an empty array is unspecified,
  and so is the whole number that a NaN or an out-of-range float converts to. Lengths that are
  negative or too large raise MemoryError.
- A variable has one kind in the whole function. One that is an int in one place and a float in
  another is always a float, so an int in it is exact up to 2**53 only; the same is true of
  ``x if y else z``. A list that is returned is a tuple.
- A whole number that is known not to be negative is assumed not to overflow 64 bits by small
  increments.
- ``x in (x,)`` is False for NaN, although Python compares identities first.
- Globals are constants, read when the kernel is compiled.
"""

from lowbid._compile._background import background
from lowbid._compile._cache import cache_folder, can_store
from lowbid._compile._functions import fingerprint, rebind
from lowbid._compile._hints import fetch, from_start, use_huge_pages
from lowbid._compile._kernel import (
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

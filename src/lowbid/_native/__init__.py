"""A small compiler for long-running kernels: the loops of simulations.

Numba knows most of Python and NumPy, and takes seconds for a loop that is made of dozens of
kernels. Kernels use little of either, and that little is translated here, straight into LLVM's
language. LLVM, which numba brings along, does the rest. The results are the same bit for bit,
except where a kernel relies on what compiled code does not have (see the end).

A kernel may use: numbers (float, int of 64 bits, uint64, bool) and contiguous arrays of them;
tuples and named tuples; assignments, also to parts of arrays; arithmetic and comparisons; `if`,
`while`, `for` over a range, `break`, `continue`, `return`; views of a number's 64 bits; calls of
other kernels, and of the functions of Python, `math` and NumPy that `_builtins` knows. Anything
else, and anything whose meaning might differ between Python and LLVM, raises `UnsupportedError`,
and numba compiles the whole loop.

How a loop becomes one function, from the top down:

- `_build` takes a kernel and its arguments, and looks for its machine code on disk (`_kept`). If
  there is none, it has it made, and gives something that Python can call.
- `_module` writes the text of a loop: a function for each kernel and the kinds of its arguments,
  constants, memory, and the entry point.
- `_function` writes one of them, statement by statement, from its source (`_source`); the kinds of
  variables become known on the way (`_variables`). `_expressions`, `_arithmetic` and `_builtins`
  write what stands in statements, all of them into a `_code`, as `_values`.
- `_machine` has LLVM make machine code of the text, and loads it.

It is not used where the environment variable ``LOWBID_LOOPS`` is "numba".

A loop is compiled for the exact values of parameters that are True, False, 0 or infinite. What
depends on them is decided while the code is written, so an option that is off takes no time in a
step, and none to compile.

Memory allocated in a turn of a loop is freed at its end. Loops run without the GIL.

What differs from Python, mostly as it does with numba:

- Whole numbers wrap around at 64 bits. Divided by 0 they give 0. Beside a float, and under ``/``,
  they are rounded to floats first.
- Nothing is raised: indices are not checked, the largest number of an empty array is unspecified,
  and so is the whole number that a NaN or an out-of-range float converts to. Lengths that are
  negative or too large raise MemoryError.
- A variable has one kind in the whole function. One that is an int here and a float there is
  always a float, so an int in it is exact up to 2**53 only; the same is true of ``x if y else z``.
  A list that is returned is a tuple.
- A whole number that is known not to be negative is taken not to get beyond 64 bits by small
  steps.
- NaN is in no tuple, although Python finds the same object there.
- Globals are constants, read when the kernel is compiled.
"""

from lowbid._native._build import Native, build, kinds_of

__all__ = ["Native", "build", "kinds_of"]

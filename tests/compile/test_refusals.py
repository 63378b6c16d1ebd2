"""What cannot be compiled: each refusal names the line, and says what to write instead."""

import ast
import inspect
import linecache
import re
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import lowbid._compile
from compile.test_language import function_of
from lowbid._compile import _builtins
from lowbid._compile._hints import fetch
from lowbid._compile._kernel import Kernel, allocating_kernel, kernel
from lowbid._compile._module import Module
from lowbid._compile._native import Bound, Call, OverlapError, kinds_of
from lowbid._compile._values import UnsupportedError

# The body of a kernel, and a part of the remedy. The line that is refused ends with "#".
BODIES = [
    # Arithmetic
    ("return a ** 2", "write x * x"),
    ("return x ** x", "write x * x"),
    ("return x // 2.0", "write math.floor(x / y)"),
    ("return x & 1", "x.view(np.int64)"),
    ("return 1 << a", "a constant from 0 to 63"),
    ("return a // 0", "divide by a positive one"),
    ("return a % -2", "divide by a positive one"),
    ("return word // word", "shift them"),
    ("return -word", "convert it with np.int64(x)"),
    ("return word + a", "convert one with np.int64 or np.uint64"),
    ("return (x < 1.0) + (x < 2.0)", "convert them with int()"),
    ("return +x", "leave it out"),
    ("return ~a", "write not x, or x ^ -1"),
    ("return 99999999999999999999", "use a float"),
    # Comparisons
    ("return a or 3", "compare them, as in x != 0"),
    ("return 0 < a < numbers[0]", "write x < y and y < z"),
    ("return a not in (1, 2)", "write not (x in (y, z))"),
    ("return a is 1", "use =="),
    ("return a is not 1", "use !="),
    ("return (1 < a) in (1, 2) == True", "write each comparison by itself"),
    # Functions
    ("return [1, a][0] if a else sum((1, 2))", "write a loop over range(...)"),
    ("return np.argmin(numbers)", "write a loop over range(...)"),
    ("return np.log(x)", "use math.log"),
    ("return math.log(x, 2.0)", 'the page "Write a kernel" shows'),
    ("return float(x, x)", 'the page "Write a kernel" shows'),
    ("return np.searchsorted(numbers, x)", 'the page "Write a kernel" shows'),
    ("return plain(x)", "mark it with @kernel"),
    ("return int(word)", "use np.int64(x)"),
    ("return abs(word)", "convert it with np.int64(x)"),
    ("return min(a)", "pass them one by one"),
    ("return math.ldexp(x, x)", "convert it with int(x)"),
    ("return len(a)", "pass len an array or a tuple"),
    ("return (a > 0).view(np.int64)", "convert it with int(x)"),
    ("return x.view(np.float32)", "use np.float64, np.int64"),
    ("fetch(a, 0)", "pass one"),
    ("return a()", "marked with @kernel"),
    ("return adds(x)", "pass a, b"),
    ("return adds(**x)", "pass them one by one"),
    ("return adds(*x)", "pass arguments one by one"),
    ("return Two(x)", "give one, two"),
    ("return made(a, x, word, numbers, table)", "write a loop"),
    ("return starred(a, x)", "write each without a star"),
    ("return named(a, b=x)", "write each without a star"),
    ("return forever(a)", "add a return"),
    # Arrays
    ("return numbers + numbers", "one number at a time"),
    ("numbers[:] = numbers", "one number at a time"),
    ("return numbers[x]", "convert it with int(x)"),
    ("return numbers[None]", "use a float, a whole number or a Boolean"),
    ("return numbers[0, 0]", "one per axis at most"),
    ("numbers[0, 0] = x", "one per axis at most"),
    ("return numbers[::2][0]", "range(start, stop, step)"),
    ("return table[:, 0][0]", "write a loop over range(...)"),
    ("numbers[1:] += 1.0", "write a loop over range(...)"),
    ("table[0] += 1.0", "write a loop over range(...)"),
    ("return numbers.sum()", "write a loop over range(len(array))"),
    ("return numbers.max(initial=9)", "write a loop instead"),
    ("return numbers.T", "use shape, size, or len(array)"),
    ("CONSTANT[0] = 1.0", "write to an array of the state"),
    ("CONSTANT[0] += 1.0", "write to an array of the state"),
    ("return SHORT[0]", "use np.float64, np.int64"),
    ("return np.arange(x)[0]", "convert it with int(x)"),
    ("return np.zeros(x)[0]", "convert it with int(x)"),
    ("return np.zeros(shape=3, order='F')[0]", "write np.zeros(shape, dtype)"),
    ("return np.full(3)[0]", "write np.full(shape, fill_value, dtype)"),
    ("return np.full(3, a, None)[0]", "use np.float64, np.int64"),
    ("return np.zeros(3, np.float32)[0]", "use np.float64, np.int64"),
    ("return np.array(numbers)[0]", "use np.zeros"),
    ("return np.array([1, 2])[0]", "write 1.0 for 1"),
    ("return quiet(a)", "@allocating_kernel, or keep the array in the state"),
    ("return calls_allocating(a)", "mark this kernel with @allocating_kernel too"),
    # Tuples, names and attributes
    ("return (a, x)[a]", "use an array"),
    ("return (a, x)[2]", "give a smaller index"),
    ("b, c = a", "use a tuple"),
    ("b, c = a, x, x", "use as many"),
    ("pair = (a, x)\n    pair[0] = a  #", "use an array of the state"),
    ("pair = Two(x, x)\n    pair.one = x  #", "write pair.one[0] = ..."),
    ("pair = Two(x, x)\n    pair.one += x  #", "write pair.one[0] = ..."),
    ("[b, c] = a, x", "one by one"),
    ("return later", "define it in the module"),
    ("return a.real", "use the fields of named tuples"),
    ("return types.GenericAlias", "write from types import GenericAlias"),
    ("return math.tua", "check its spelling"),
    ("return y\n    y = x", "assign it first"),
    ("if a > 0:\n        y = x\n    return y  #", "assign it before the branch or the loop"),
    ("for i in range(a):\n        y = x\n    x = 1.0\n    return y  #", "assign it before"),
    (
        "for i in range(4):\n        if i % 2 == 0:\n            z = np.zeros(3)\n"
        "        x += z[0]  #\n    return x",  # else turn 1 would read what turn 0 has given back
        "assign it before the branch or the loop",
    ),
    ("if False:\n        b = 1\n    b = 1 if a else None  #\n    return b", "use two names"),
    ("b = 1\n    b = None  #", "use two names"),
    # Statements
    ("for i in numbers:\n        a += 1", "for i in range(len(array))"),
    ("for i in len(numbers):\n        a += 1", "for i in range(len(array))"),
    ("for i in range(x):\n        a += 1", "convert each with int(x)"),
    ("for i in range(0, 9, a):\n        a += 1", "use while"),
    ("for i in range(a):\n        x += 1\n    else:\n        x = 0.0", "ended by break"),
    ("while a:\n        a -= 1\n    else:\n        x = 0.0", "ended by break"),
    ("raise ValueError", "check arguments where the policy is made"),
    ("assert a > 0", "check arguments where the policy is made"),
    ("try:\n        a = 1\n    except ValueError:\n        a = 2", "nothing raises"),
    ("with a:\n        a = 1", "nothing in a kernel needs to be closed"),
    ("b = a\n    del b  #", "costs nothing"),
    ("import os", "import at the top of the module"),
    ("from os import path", "import at the top of the module"),
    ("global later\n    return a", "write to an array of the state"),
    ("match a:\n        case 1:\n            return 1", "use if and elif"),
    ("def inside():\n        return 1", "define it outside, marked as @kernel"),
    ("class Inside:\n        pass", "define it outside"),
    ("return f'{a}'", "use numbers"),
    ("return lambda b: b", "define a function marked as @kernel"),
    ("return (b := a)", "assign on a line of its own"),
    ("return [i for i in range(a)][0]", "in a loop over range(...)"),
    ("return sum(i for i in range(a))", "write a loop over range(...)"),
    ("return {1, a}", "use an array of the state"),
    ("return {i for i in range(a)}", "use an array of the state"),
    ("return {1: a}", "use an array of the state, or a named tuple"),
    ("return {i: 1 for i in range(a)}", "use an array of the state"),
    ("yield a", "write to an array of the state"),
    ("yield from numbers", "write to an array of the state"),
    ("async def inside():\n        pass", 'the page "Write a kernel" lists'),
]  # fmt: skip


class Two(NamedTuple):
    one: float
    two: float


@kernel
def adds(a, b):
    return a + b


@kernel
def starred(a, *rest):
    return a


@kernel
def named(a, *, b):
    return a + b


@kernel
def forever(a):
    while True:
        a += 1


@kernel
def quiet(n):
    return np.zeros(n)[0]


@allocating_kernel
def allocating(n):
    return np.zeros(n)[0]


@kernel
def calls_allocating(n):
    return allocating(n)


def plain(x):
    return x


GLOBALS = {
    "adds": adds, "starred": starred, "named": named, "forever": forever, "quiet": quiet,
    "calls_allocating": calls_allocating, "plain": plain, "fetch": fetch, "Two": Two,
    "types": types, "CONSTANT": np.zeros(3), "SHORT": np.zeros(3, np.float32),
}  # fmt: skip
ELSEWHERE = {  # refused in another function: the line is there
    "starred": starred, "named": named, "forever": forever, "quiet": quiet,
    "calls_allocating": calls_allocating,
}  # fmt: skip
ARGUMENTS = 1, 1.0, np.uint64(1), np.zeros(3), np.zeros((2, 3))
HEAD = "@allocating_kernel\ndef made(a, x, word, numbers, table):\n    "


def refusal(body):
    """What is said of a kernel, and the line at which it should be."""
    source = HEAD + body + "\n"
    made = function_of(source)
    made.function.__globals__.update(GLOBALS)
    with pytest.raises(UnsupportedError) as error:
        Module().call(made, kinds_of(ARGUMENTS))
    marked = [i for i, line in enumerate(source.splitlines(), 1) if line.endswith("#")]
    return str(error.value), f"{made.function.__code__.co_filename}, line {(marked or [3])[0]}: "


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("body", "remedy"), BODIES)
def test_a_refusal_names_the_line_and_says_what_to_write_instead(body, remedy):
    text, place = refusal(body)
    other = next((each for name, each in ELSEWHERE.items() if f"{name}(" in body), None)
    if other is None:
        assert text.startswith(place), text
    else:
        first = other.function.__code__.co_firstlineno
        line = int(re.search(r"test_refusals\.py, line (\d+): ", text)[1])
        assert first <= line <= first + 3
    assert remedy in text.partition("; ")[2], text


@kernel
def two_numbers(x):
    return x, x


@kernel
def a_function(x):
    return np.float64


def closure():
    x = 1.0

    @kernel
    def inside(y):
        return x + y

    return inside


def unfinished():
    name = "<a file that cannot be read>"
    linecache.cache[name] = 5, None, ["def made(:\n"], name
    return Kernel(types.FunctionType(compile("0", name, "exec"), {}, "made"))


def edited():
    made = function_of("@kernel\ndef made(x):\n    return x + 12345.0\n")
    name = made.function.__code__.co_filename
    linecache.cache[name] = 5, None, ["@kernel\n", "def made(x):\n", "    return x - 1.0\n"], name
    return made


def from_a_string():
    space = {"kernel": kernel}
    exec("@kernel\ndef hidden(x):\n    return x\n", space)
    return space["hidden"]


@kernel
def descends(n):
    return descends(n - 1) if n > 0 else n


BITS = np.zeros(4)

# A kernel, its arguments, how it is called, and a part of the remedy: refused as a whole.
WHOLE = [
    (adds, (1.0, 2**64), "Call", "pass a smaller one, or a float"),
    (adds, (1.0, "much"), "Call", "pass numbers, arrays, and tuples of them"),
    (adds, (np.zeros(3, np.float32), 1), "Call", "use np.float64, np.int64"),
    (adds, (np.zeros((3, 3)).T, 1), "Call", "pass np.ascontiguousarray(array)"),
    (a_function, (1.0,), "Call", "return numbers, arrays, and tuples of them"),
    (two_numbers, (1.0,), "Bound", "write the rest to an array of the state"),
    (allocating, (3,), "Bound", "keep them in the state"),
    (closure(), (1.0,), "Call", "define it at the top of a module, and pass them as arguments"),
    (kernel(lambda x: x), (1.0,), "Call", "define it by def, in a file or a notebook"),
    (from_a_string(), (1.0,), "Call", "define it by def, in a file or a notebook"),
    (unfinished(), (), "Call", "correct it, and restart Python"),
    (edited(), (1.0,), "Call", "restart Python"),
    (descends, (3,), "Call", "write a loop"),
]


@pytest.mark.parametrize(("function", "arguments", "form", "remedy"), WHOLE)
def test_what_is_refused_as_a_whole_names_the_kernel(function, arguments, form, remedy, caplog):
    other = Kernel(function.function, allocates=function.allocates)  # not reported yet
    assert other.native(form, arguments, wait=True) is None
    code = function.function.__code__
    place = f"{code.co_filename}, line {code.co_firstlineno}: "
    text = caplog.messages[0].partition(place)[2]
    assert remedy in text.partition("; ")[2], caplog.messages
    assert len(caplog.messages) == 1


@kernel
def two_arrays(first, second):
    return first[0] + second[0]


def test_the_page_for_writers_of_kernels_names_every_function():
    page = (Path(__file__).parents[2] / "docs" / "kernels.md").read_text()
    prefixes = {"numpy": "np.", "math": "math.", "builtins": ""}
    for called in _builtins._SUPPORTED:
        name = prefixes[called.__module__] + called.__name__
        assert re.search(rf"`{re.escape(name)}[`(]", page), name


def sites():
    """Where the compiler refuses something: the module, and the lines of the message."""
    for path in sorted(Path(lowbid._compile.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in ("UnsupportedError", "OverlapError"):
                yield path.name, node.lineno, node.end_lineno


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_every_refusal_is_tried(monkeypatch, caplog):
    seen = set()

    def note(self, *arguments):
        frame = inspect.currentframe().f_back
        seen.add((Path(frame.f_code.co_filename).name, frame.f_lineno))

    monkeypatch.setattr(UnsupportedError, "__init__", note)
    for body, _ in BODIES:
        refusal(body)
    for function, arguments, form, _ in WHOLE:
        Kernel(function.function, allocates=function.allocates).native(form, arguments, wait=True)
    given = BITS, BITS.view(np.int64)
    with pytest.raises(OverlapError):
        Call(two_arrays, kinds_of(given), False)(*given)
    with pytest.raises(OverlapError):
        Bound(two_arrays, kinds_of(given), False).to(given)
    missed = [
        f"{name}, line {first}"
        for name, first, last in sites()
        if not any(name == file and first <= line <= last for file, line in seen)
    ]
    assert not missed

"""Where compiled kernels could differ from Python: random ones, and each trap by itself."""

import ast
import random
from typing import NamedTuple

import numpy as np
import pytest

from compile.test_language import WHOLES, build, expression, function_of, same
from lowbid._compile._arguments import kind_of_argument, share_memory
from lowbid._compile._functions import fingerprint
from lowbid._compile._kernel import allocating_kernel, run_uncompiled
from lowbid._compile._native import OverlapError
from lowbid._compile._source import unsettled_names

HEAD = "@allocating_kernel\ndef made(a, b, x, y, p, numbers, table):\n"


def statements(draw, depth, indent):
    """Random statements, as lines; the variables i, j, f and t are assigned before them."""
    lines = []
    for _ in range(draw.randint(1, 3)):
        rules = ["whole", "float", "truth", "array", "swap"]
        rule = draw.choice(rules + ["if", "for", "while"] * (depth > 0))
        i, f, b = (expression(draw, 1, kind) for kind in "ifb")
        blocks = [statements(draw, depth - 1, indent + "    ") for _ in "12"] if depth else []
        leave = draw.choice(["break", "continue", "i += 1"])
        jump = f"{indent}    if {b}:\n{indent}        {leave}"
        step = draw.choice(["", ", 2", ", -1", ", -3"])
        k = f"k{depth}"
        lines += {
            "whole": lambda i=i: [f"{draw.choice(['i', 'j'])} {draw.choice(['', '+', '-'])}= {i}"],
            "float": lambda f=f: [f"f {draw.choice(['', '+', '-', '*'])}= {f}"],
            "truth": lambda b=b: [f"t = {b} or t"],
            "array": lambda f=f: [f"numbers[{draw.choice(['i % 5', '-1', '1:3'])}] = {f}",
                                  "table[i % 2, j % 3] += i"],
            "swap": lambda: ["i, j = j, i", "numbers[0], numbers[i % 5] = numbers[j % 5], f"],
            "if": lambda b=b, w=blocks: [f"if {b}:", *w[0], f"{indent}else:", *w[1]],
            "for": lambda w=blocks, s=step, k=k, jump=jump: [
                f"for {k} in range(i % 4, j % 7{s}):", *w[0], jump,
                f"{indent}    {k} += 1", f"{indent}    j += {k}"],
            "while": lambda w=blocks, k=k, jump=jump: [
                f"{k} = 0", f"while {k} < 3:", f"{indent}    {k} += 1", *w[0], jump],
        }[rule]()  # fmt: skip
    return [line if line.startswith(indent) else indent + line for line in lines]


@pytest.mark.parametrize("seed", range(40))
def test_random_kernels_do_what_python_does(seed):
    draw = random.Random(seed)
    body = ["    i, j, f, t = a, b, x, p", *statements(draw, 2, "    "), "    return i, j, f, t"]
    function = function_of(HEAD + "\n".join(body) + "\n")
    native = None
    for _ in range(20):
        a, b = (np.int64(draw.choice(WHOLES)) for _ in "ab")
        x, y = (np.float64(draw.choice([0.0, -0.0, 2.5, -1e300, np.inf, np.nan])) for _ in "xy")
        mine, theirs = ((np.arange(5.0), np.zeros((2, 3), np.int64)) for _ in "12")
        native = native or build(function, (1, 1, 1.0, 1.0, True, *mine))
        found = native(int(a), int(b), float(x), float(y), seed % 2 == 0, *mine)
        expected = run_uncompiled(function.function, a, b, x, y, seed % 2 == 0, *theirs)
        np.testing.assert_array_equal(np.array(found), np.array(expected), "\n".join(body))
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other, "\n".join(body))


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        # Grows beyond 64 bits, and is negative then: the remainder must not be.
        ("k = 1\n    for i in range(a):\n        k = k * 3\n    return k % 7", (41,), None),
        ("k = 1\n    for i in range(a):\n        k = k + k\n    return k % 7", (63,), None),
        ("return abs(a) % 7", (-(2**63),), None),
        ("n = 0\n    for i in range(a, 9223372036854775807, 4):\n        n += 1\n    return n",
         (2**63 - 7,), 2),
        ("n = 0\n    for i in range(a, -9223372036854775807, -4):\n        n += 1\n    return n",
         (-(2**63) + 6,), 2),
        ("return math.ldexp(1.0, a)", (-(2**32),), 0.0),
        ("return len(np.arange(a))", (-3,), 0),
        ("return a & True", (True,), True),
    ],
)  # fmt: skip
def test_traps_that_are_compiled(body, arguments, expected):
    function = function_of(f"@allocating_kernel\ndef made(a):\n    {body}\n")
    found = build(function, arguments)(*arguments)
    if expected is None:  # as NumPy has it, in 64 bits
        wrapped = {41: 3**41, 63: 2**63}.get(arguments[0], -(2**63))
        expected = ((wrapped + 2**63) % 2**64 - 2**63) % 7
    assert found == expected
    assert type(found) is type(expected)


def test_a_product_is_rounded_before_it_is_added():
    # Processors that do both at once round once: -2**-60 is what they would find.
    function = function_of("@kernel\ndef made(x, y, z):\n    return x * y + z\n")
    assert same(function, 1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0) == 0.0


@pytest.mark.parametrize("length", [-1, 2**61, 2**62])
def test_lengths_that_do_not_fit_are_too_much_memory(length):
    function = function_of("@allocating_kernel\ndef made(n):\n    return np.zeros((n, 8))[0, 0]\n")
    with pytest.raises(MemoryError):
        build(function, (1,))(length)


_EARLIER = """
@allocating_kernel
def made(n, out):
    last = np.zeros(50)
    for i in range(n):
        for j in range(3):
            if j == 0:
                last = np.full(50, float(i))
            other = np.full(50, -1.0)
            out[i] += last[0] + last[49] + other[0]
"""


def test_an_array_of_an_earlier_turn_is_still_there():
    same(function_of(_EARLIER), 12, np.zeros(12))


def test_what_is_read_before_it_is_assigned():
    def names(text):
        return set(unsettled_names(ast.parse(text).body))

    assert names("for i in r:\n if i:\n  last = z\n u = last") == {"r", "z", "last"}
    assert names("if a:\n b = 1\nelse:\n b = 2\nc = b") == {"a"}
    assert names("if a:\n b = 1\nelse:\n return\nc = b") == {"a"}
    assert names("while a:\n b = 1\nc = b") == {"a", "b"}
    assert names("b += 1") == {"b"}
    assert names("b = b + 1") == {"b"}


def test_a_flag_of_numpys_is_taken():
    function = function_of("@allocating_kernel\ndef made(p):\n    return not p\n")
    assert build(function, (np.True_,))(np.False_) is True


def test_the_order_of_fields_is_part_of_the_name():
    def one(a, b):
        class Same(NamedTuple):
            x: float

        Same._fields = (a, b)
        return repr(kind_of_argument(Same.__new__(Same, 1.0)))

    assert one("a", "b") != one("b", "a")


def test_defaults_are_part_of_a_digest():
    one, other = (function_of(f"def made(x, by={by}):\n    return x + by\n") for by in (1, 2))
    assert fingerprint(one) != fingerprint(other)


@allocating_kernel
def _bits_and_numbers(words, numbers):
    numbers[0] = 1.0
    words[0] = words[1]
    return numbers[0]


def test_views_of_an_arrays_bits_run_uncompiled(caplog):
    numbers = np.array([0.0, 2.5])
    words = numbers.view(np.uint64)
    with pytest.raises(OverlapError):
        build(_bits_and_numbers, (words, numbers))(words, numbers)
    assert _bits_and_numbers(words, numbers) == 2.5
    assert "share memory; pass a copy" in caplog.text
    assert _bits_and_numbers(np.zeros(2, np.uint64), numbers) == 1.0
    assert not share_memory([(0, 8, "d"), (4, 9, "d"), (9, 12, "q"), (10, 10, "d")])
    assert share_memory([(9, 12, "q"), (0, 10, "d"), (1, 2, "d")])

"""What kernels may say, compiled here and run by Python: the same, bit for bit."""

import linecache
import math
import random
from typing import NamedTuple

import numpy as np
import pytest

from lowbid._compile._hints import from_start
from lowbid._compile._kernel import allocating_kernel, kernel, run_uncompiled
from lowbid._compile._module import Module
from lowbid._compile._native import Call, kinds_of
from lowbid._compile._values import UnsupportedError

WHOLES = [0, 1, 2, 3, 7, -1, -2, -7, 64, -(2**63), 2**63 - 1, 2**53 + 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e300, -1e-300, math.inf, -math.inf, math.nan]


class Pair(NamedTuple):
    first: float
    numbers: np.ndarray


class Nest(NamedTuple):
    pair: Pair
    count: int


def build(function, arguments):
    """The compiled kernel; an error says what cannot be compiled."""
    return Call(function, kinds_of(arguments), False)


def same(function, *arguments):
    """Run a kernel both ways, and compare what it returns and what it writes."""

    def fresh():
        return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)

    mine, theirs = fresh(), fresh()
    native = build(function, mine)
    found, expected = native(*mine), run_uncompiled(function.function, *theirs)
    np.testing.assert_array_equal(np.array(found, float), np.array(expected, float))
    for one, other in zip(mine, theirs, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()
    return found


def function_of(source):
    """A kernel of a text, with its source where Python looks for it."""
    name = f"<made up {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = {"np": np, "math": math, "allocating_kernel": allocating_kernel, "kernel": kernel}
    exec(compile(source, name, "exec"), space)  # as a module of a user's would be
    return space["made"]


def refused(source, *arguments):
    with pytest.raises(UnsupportedError) as error:
        Module().call(function_of(source), kinds_of(arguments))
    return str(error.value)


def expression(draw, depth, kind):
    """A random expression of a kind: "i" whole, "f" float, "b" true or false."""
    deeper = depth - 1
    if depth == 0:
        leaves = {"i": ["a", "b", "(a + 3)", "(b - 2)"], "f": ["x", "y", "0.5", "(a - x)"]}
        return draw.choice(leaves.get(kind, ["p"]))
    i, f, b = (lambda k=k: expression(draw, deeper, k) for k in "ifb")
    rules = {
        "i": [
            lambda: f"({i()} {draw.choice('+-*')} {i()})",
            lambda: f"({i()} {draw.choice(['//', '%'])} {draw.choice(['a', 'b', '3', '8'])})",
            lambda: f"({i()} {draw.choice(['&', '|', '^'])} {i()})",
            lambda: f"({i()} {draw.choice(['>>', '<<'])} {draw.choice('0159')})",
            lambda: f"{draw.choice(['min', 'max'])}({i()}, {i()})",
            lambda: f"(-{i()})",
            lambda: f"({i()} if {b()} else {i()})",
            lambda: f"int({b()})",
        ],
        "f": [
            lambda: f"({f()} {draw.choice('+-*/')} {f()})",
            lambda: f"({i()} / {i()})",
            lambda: f"{draw.choice(['min', 'max'])}({f()}, {f()}, {f()})",
            lambda: f"abs({f()})",
            lambda: f"float({i()})",
            lambda: f"({f()} if {b()} else {f()})",
        ],
        "b": [
            lambda: f"({f()} {draw.choice(['<', '<=', '>', '>=', '==', '!='])} {f()})",
            lambda: f"({i()} {draw.choice(['<', '<=', '>', '>=', '==', '!='])} {i()})",
            lambda: f"({b()} {draw.choice(['and', 'or'])} {b()})",
            lambda: f"(not {b()})",
            lambda: "(x <= y < 2.5)",
            lambda: f"math.isnan({f()})",
            lambda: f"math.isfinite({f()})",
        ],
    }
    return draw.choice(rules[kind])()


@pytest.mark.parametrize("seed", range(4))
def test_expressions_are_worth_what_python_says(seed):
    draw = random.Random(seed)
    made = [expression(draw, 3, "iffb"[i % 4]) for i in range(60)]
    lines = [f"    out[{i}] = {text}\n" for i, text in enumerate(made)]
    head = "@allocating_kernel\ndef made(a, b, x, y, p, out):\n"
    function = function_of(head + "".join(lines))
    out = np.zeros(len(made))
    native = build(function, (1, 1, 1.0, 1.0, True, out))
    assert native is not None
    for _ in range(150):
        a, b = draw.choice(WHOLES), draw.choice(WHOLES)
        x, y, p = draw.choice(FLOATS), draw.choice(FLOATS), draw.random() < 0.5
        native(a, b, x, y, p, out)
        expected = np.zeros(len(made))
        # NumPy's numbers wrap around and divide by 0 as compiled ones do.
        numbers = np.int64(a), np.int64(b), np.float64(x), np.float64(y), p
        run_uncompiled(function.function, *numbers, expected)
        for text, one, other in zip(made, out, expected, strict=True):
            alike = one == other and np.signbit(one) == np.signbit(other)  # 0.0 is not -0.0
            assert alike or (one != one and other != other), (text, a, b, x, y, p)


@allocating_kernel
def _statements(n, numbers, table):
    total = 0  # becomes a float
    for i in range(n - 1, -3, -2):
        if i < 0:
            break
        if i % 3 == 0:
            continue
        total += numbers[i] * 0.5
    k = 10
    while True:
        k -= 3
        if k < 0:
            break
        numbers[-1] += k
    for row in range(len(table)):
        for column in range(1, table.shape[1]):
            if column == 2:
                break
            table[row, column] = table[row - 1, column] + row
    a, b = 1, 2.5
    a, b = b, a
    table[1:, -1] = a
    table[0, :2] = b
    table[:, 0] = k
    numbers[2:-1] = 7.0
    last = numbers[1:4]
    last[0] += 0.25
    return total + len(last)


@pytest.mark.parametrize("n", [0, 1, 5, 6])
def test_statements_do_what_python_does(n):
    same(_statements, n, np.arange(6.0), np.arange(12.0).reshape(3, 4))


@kernel
def _side_effect(seen, value):
    seen[0] += 1
    return value


@allocating_kernel
def _short_circuits(seen, p, q):
    a = _side_effect(seen, p) and _side_effect(seen, q)
    b = _side_effect(seen, p) or _side_effect(seen, q)
    if not (a or (b and p != q)):
        return 0
    return 1 if a else -1


@pytest.mark.parametrize("p", [False, True])
@pytest.mark.parametrize("q", [False, True])
def test_and_and_or_look_no_further_than_they_must(p, q):
    same(_short_circuits, np.zeros(1, np.int64), p, q)


@kernel
def _moved(nest, by=2.0):
    pair = nest.pair
    pair.numbers[nest.count] += by
    return Nest(pair=Pair(pair.first + by, pair.numbers), count=nest.count - 1)


@allocating_kernel
def _nested(numbers, abs):  # a name that means something else here
    nest = Nest(Pair(0.5, numbers), abs)
    nest = _moved(nest)
    nest = _moved(nest, by=nest.count)
    first, (second, _) = nest.count, nest.pair
    return first, second


def test_named_tuples_go_in_and_out_of_functions():
    same(_nested, np.arange(4.0), 2)


class Options(NamedTuple):
    flag: bool
    count: int
    rate: float


@kernel
def _rate_of(options, flag):
    if flag and options.count == 0:
        return options.rate
    return -options.rate if not flag else options.rate + 1.0


@kernel
def _first_of_two(options, seen):
    return (seen[0] if options.flag else seen[1]), options.count


@allocating_kernel
def _with_options(options, seen, limit):
    total = 0.0
    rate = options.rate
    while rate < limit and options.flag:
        rate = rate + 1.5
        total += rate
    if not options.flag or (seen[0] > limit and options.count > 0):
        total += 0.25
    elif options.rate == math.inf or options.count:
        total += 0.5
    else:
        seen[1] = options.count + 3
    if (total > limit and options.flag) or not options.count < 2:
        total += 16.0
    first, count = _first_of_two(options, seen)
    total += first + count + min(options.count, 1) + int(options.flag)
    for i in range(options.count):
        seen[i - 1] += i + options.rate
    return total, _rate_of(options, options.flag), options.count * 3 - 1, options.flag and count > 0


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("rate", [0.0, -0.0, 0.5, math.inf])
@pytest.mark.parametrize("limit", [-1.0, 2.0])
def test_options_do_what_python_does_with_them(flag, count, rate, limit):
    same(_with_options, Options(flag, count, rate), np.array([1.0, 2.0, 4.0]), limit)


@kernel
def _last_two(table, row, column):
    if column <= 0:
        return 2, table[row, column]
    return column - 4, table[row, column - 1] + table[row - 1, 2 * column - 3]


@allocating_kernel
def _places(table, row):
    total = 0.0
    for column in range(len(table)):
        place, found = _last_two(table, row, column)
        total = 10.0 * total + found + table[place, -column]
    return total + _last_two(table, row, row)[1]


@pytest.mark.parametrize("row", [-1, 0, 1, 2])
def test_places_are_counted_from_the_end_where_they_are_negative(row):
    same(_places, np.arange(9.0).reshape(3, 3), row)


@allocating_kernel
def _from_start(numbers, places):
    total = 0.0
    for i in range(len(places)):
        total = 2.0 * total + numbers[from_start(places[i] + 1)]
        numbers[from_start(places[i])] += 1.0
    return total, from_start(places[0])


def test_places_that_are_promised_to_be_counted_from_the_start_are():
    same(_from_start, np.arange(5.0), np.array([3, 0, 2, 0]))
    text = Module()
    text.call(_from_start, kinds_of((np.arange(5.0), np.arange(2))))
    assert text.text().count(f", {2**63 - 1}\n") == 3  # LLVM is told


@allocating_kernel
def _new_each_turn(n, buffer, out):
    for i in range(n):
        out[i] = buffer[0]
        buffer = np.full(3000, float(i) + 1.0)
    return 0


def test_an_argument_that_a_turn_makes_anew_is_there_in_the_next():
    same(_new_each_turn, 9, np.full(3, -1.0), np.zeros(9))
    module = Module()
    module.call(_new_each_turn, kinds_of((9, np.zeros(3), np.zeros(9))))
    written = module.text().partition("@f0._new_each_turn")[2].partition("\n}")[0]
    assert "@allocate" in written
    assert "@release" not in written  # what is freed may still look as it did


@allocating_kernel
def _far_ends(x):
    a, b = len(x[:9223372036854775807]), len(x[9223372036854775806:])
    return a, b, len(x[1:9223372036854775806]), len(x[-9223372036854775807:2])


def test_ends_far_outside_are_those_of_the_array():
    same(_far_ends, np.arange(5.0))


@kernel
def _ψ(μ, σ):
    return μ - 2.0 * σ


@allocating_kernel
def _greek(μ, σ):
    return _ψ(μ, σ)


def test_names_may_be_greek():
    same(_greek, 1.5, 0.25)


@allocating_kernel
def _remainders(x):
    total = 0.0
    for i in range(9):
        total = 3.0 * total + x[(np.int64(i) * np.int64(2862933555777941757)) % 7]
    return total


def test_what_wraps_around_inside_an_index_does(recwarn):
    same(_remainders, np.arange(7.0))


@allocating_kernel
def _test_takes_memory(limit):
    i = 0.0
    while np.full(1000, i)[0] < limit:
        i += 1.0
    return i


def test_memory_of_a_test_is_given_back():
    resource = pytest.importorskip("resource", reason="Windows counts memory otherwise")
    native = build(_test_takes_memory, (1.0,))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert native(20_000.0) == 20_000.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # of 160,000 kB


_TABLE = np.array([[1.5, 2.5], [3.5, 4.5]])
_POWERS = ((1.0, 2.0, 4.0), (1.0, 3.0, 9.0))


@kernel
def _polynomial(powers, x):
    total = 0.0
    for i in range(3):
        total = total * x + powers[i]
    return total


@allocating_kernel
def _constants(x, row):
    ends = x in (0.0, 1.0)
    return _polynomial(_POWERS[0], x) + _polynomial(_POWERS[1], x) + _TABLE[row, 1] + float(ends)


@pytest.mark.parametrize("x", [0.0, 0.3])
def test_constants_are_what_they_were(x):
    same(_constants, x, -1)


@allocating_kernel
def _made(n):
    counts = np.full(n, 3, np.int64)
    both = np.ones((n, 2))
    flags = np.zeros(n, np.bool_)
    flags[n - 1] = True
    both[0, 1] = float(flags[n - 1]) + float(flags[0])
    return counts, both, np.arange(n), np.array([1.0, math.inf])


@allocating_kernel
def _arrays(n, sums):
    kept = np.zeros(2)
    for turn in range(3):
        counts, both, order, ends = _made(n + turn)
        copy = order.copy()
        copy[0] = 5
        kept[0] += copy.max() + order[0] + ends[0] + both[0, 1] + both.size
        kept[1] += np.searchsorted(counts, 3, side="right") + np.searchsorted(
            order, 1, side="right"
        )
    sums[:] = 0.0
    sums[0], sums[1] = kept[0], kept[1]


def test_arrays_are_made_as_numpy_makes_them():
    same(_arrays, 3, np.full(3, math.nan))


_ULP = 2.0**-53
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@allocating_kernel
def _words(word, out):
    out[0] = (word ^ (word >> np.uint64(30))) * _MIX
    out[1] = word + np.uint64(1)
    out[2] = (word << out[2]) | (word >> np.uint64(60 + len(out)))
    return np.int64(word >> np.uint64(11)) * _ULP + np.int64(word & np.uint64(3)) * 2.0**-70


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1])
def test_words_wrap_around(word):
    same(_words, np.uint64(word), np.array([0, 0, 65], np.uint64))


@allocating_kernel
def _bits_of(x, words):
    bits = np.float64(x).view(np.int64) ^ (np.int64(3) << np.int64(52))
    words[0] = np.float64(x).view(np.uint64)
    return np.int64(bits).view(np.float64) + words[1].view(np.int64)


@pytest.mark.parametrize("x", [-0.0, 1.5, -2.5e-300, math.inf])
def test_bits_of_numbers_are_those_of_numpy(x):
    same(_bits_of, x, np.array([0, 2**64 - 5], np.uint64))


@allocating_kernel
def _of_floats(x, out):
    out[0], out[1], out[2] = math.log(x), math.exp(-x), math.sqrt(x)
    out[3], out[4], out[5] = math.log1p(x), math.expm1(x), math.sin(x)
    out[6], out[7], out[8] = math.floor(-x), math.ceil(x), math.ldexp(x, 3)


@pytest.mark.parametrize("x", [0.1, 1.0, 2.5, 77.7])
def test_functions_of_floats_are_those_of_python(x):
    same(_of_floats, x, np.zeros(9))


HEAD = "@allocating_kernel\ndef made(a, x, numbers):\n    "


def test_arrays_that_may_not_be_written_to_are_not():
    numbers = np.zeros(3)
    numbers.flags.writeable = False
    assert "read-only" in refused(HEAD + "numbers[0] = 1.0\n", 1, 1.0, numbers)
    assert "read-only" in refused(HEAD + "numbers[0] += 1.0\n", 1, 1.0, numbers)


def test_items_of_a_tuple_are_counted_from_both_ends():
    head = "@kernel\ndef made(a, b):\n    both = (a, b)\n    return "
    items = function_of(head + "1000 * both[0] + 100 * both[1] + 10 * both[-1] + both[-2]\n")
    assert same(items, 3, 5) == 3553
    for index in (2, -3):
        assert f"a tuple of 2 has no item {index}" in refused(head + f"both[{index}]\n", 3, 5)

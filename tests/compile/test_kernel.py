import gc
import os
import pickle
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

from lowbid._compile._kernel import (
    Kernel,
    allocating_kernel,
    compiling,
    interpreted,
    kernel,
    specialise,
)


@kernel
def double(x):
    return 2.0 * x


@kernel
def through_another(x):
    return defined_later(x) + 1.0


@kernel
def defined_later(x):
    return 10.0 * x


step = None
OFFSET = 0.0


@kernel
def template(x):
    return step(x) + OFFSET


@allocating_kernel
def make(n):
    return np.zeros(n)


def test_kernels_give_the_same_compiled_and_interpreted():
    compiled = through_another(2.5)
    with interpreted():
        assert through_another(2.5) == compiled == 26.0


def test_interpreting_never_touches_the_compiler(monkeypatch):
    monkeypatch.setattr(Kernel, "native", lambda *_, **__: pytest.fail("compiled"))
    with interpreted():
        assert double(3.0) == 6.0


def test_specialise_binds_functions_and_constants():
    doubled, tenfold = specialise(template, step=double), specialise(template, step=defined_later)
    assert (doubled(1.0), tenfold(1.0)) == (2.0, 10.0)
    assert specialise(template, step=double, OFFSET=5.0)(1.0) == 7.0
    assert specialise(template, step=double) is doubled
    assert isinstance(doubled, Kernel)


def test_specialise_with_a_plain_function_is_a_plain_function():
    plain = specialise(template, step=lambda x: -x)
    assert not isinstance(plain, Kernel)
    assert plain(4.0) == -4.0


@kernel
def hidden(n):
    return np.zeros(n)


def test_kernels_may_make_arrays_only_if_they_say_so(caplog):
    assert make(3).tolist() == [0.0, 0.0, 0.0]
    assert hidden(3).tolist() == [0.0, 0.0, 0.0]  # uncompiled
    assert "mark the kernel with @allocating_kernel" in caplog.text


def test_a_digest_follows_the_code_of_what_is_called():
    assert double.digest != defined_later.digest
    first = Kernel(template.function, {"step": double}).digest
    second = Kernel(template.function, {"step": defined_later}).digest
    third = Kernel(template.function, {"step": double, "OFFSET": 1.0}).digest
    assert len({first, second, third}) == 3
    assert Kernel(template.function, {"step": double}).digest == first


@kernel
def divide(x, y):
    return x / y


def test_division_by_zero_does_not_raise():
    assert divide(1.0, 0.0) == np.inf


def test_an_edit_in_another_file_takes_effect(tmp_path):
    (tmp_path / "outer.py").write_text(
        textwrap.dedent(
            """
            from inner import inner
            from lowbid._compile._kernel import kernel

            @kernel
            def outer(x):
                return inner(x)

            print(outer(1.0))
            """
        )
    )
    inner = "from lowbid._compile import kernel\n\n@kernel\ndef inner(x):\n    return x + {}\n"
    answers = []
    for number in ("1.0", "2.0", "1.0"):
        (tmp_path / "inner.py").write_text(inner.format(number))
        run = [sys.executable, "-B", "outer.py"]
        out = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        answers.append(float(out.stdout))
    assert answers == [2.0, 3.0, 2.0]


def test_processes_that_compile_at_once_do_not_mix_up_their_code(tmp_path):
    (tmp_path / "shared.py").write_text(
        textwrap.dedent(
            """
            import sys
            from lowbid._compile._kernel import kernel

            @kernel
            def half(x):
                return x / 2

            values = [3, 3.0, True, (3, 4)[0]] if sys.argv[1] == "0" else [3.0, 5, False]
            print([half(x) for x in values])
            """
        )
    )
    expected = ["[1.5, 1.5, 0.5, 1.5]", "[1.5, 2.5, 0.0]"]
    for _ in range(3):
        runs = [
            subprocess.Popen(
                [sys.executable, "shared.py", number],
                cwd=tmp_path,
                env=with_its_own_cache(tmp_path),
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in "01"
        ]
        assert [run.communicate()[0].strip() for run in runs] == expected


def with_its_own_cache(folder):
    return {**os.environ, "LOWBID_CACHE_DIR": str(folder / "cache")}


def test_the_compiler_is_not_imported_before_it_is_needed():
    script = "import sys, lowbid, lowbid.cli; lowbid.cli.parser(); print('llvmlite' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


class Pair(NamedTuple):
    numbers: np.ndarray
    count: np.ndarray


@allocating_kernel
def pair_of(n, first):
    numbers = np.full(n, 2.5)
    return Pair(numbers[1:], np.full(1, n, np.int64)), first, first[1:], n > 2


def test_arrays_that_a_kernel_returns_live_as_long_as_they_are_used():
    first = np.arange(3.0)
    for n in (4, 100_000):  # the second does not come from the heap that the first came from
        pair, same, part, is_large = pair_of(n, first)
        numbers = pair.numbers
        del pair
        gc.collect()
        np.testing.assert_array_equal(numbers, np.full(n - 1, 2.5))
        same[1] = n
        assert part[0] == first[1] == n
        assert is_large is True
    assert pickle.loads(pickle.dumps(numbers)).sum() == numbers.sum()


def test_arguments_may_be_named():
    assert divide(y=4.0, x=2.0) == divide(2.0, y=4.0) == 0.5


@kernel
def add_to(numbers, place, by, scale):
    numbers[place] += by * scale[0]
    return numbers[place]


def test_a_kernel_can_be_bound_to_its_arrays():
    expected = None
    for when in ("now", "never"):
        numbers, scale = np.zeros(3), np.array([2.0])
        with compiling(when):
            bound, is_final = add_to.bind(numbers, 0, 0.0, scale)
            assert is_final
            found = [bound(place, by) for place, by in ((1, 0.5), (2, 7), (1, 1.0))]
        scale[0] = 10.0
        found.append(bound(0, 1.0))
        assert expected is None or (found, numbers.tolist()) == expected
        expected = found, numbers.tolist()
    assert expected == ([1.0, 14.0, 3.0, 10.0], [10.0, 3.0, 14.0])


def test_overlapping_arrays_are_bound_uncompiled(caplog):
    numbers = np.zeros(3)
    words = numbers.view(np.int64)
    bound, is_final = copy_bits.bind(words, numbers, 0)
    assert is_final
    assert bound(2) == 4607182418800017408 == words[2]
    assert "share memory; pass a copy" in caplog.text


@kernel
def copy_bits(words, numbers, place):
    numbers[place] = 1.0
    return words[place]


@kernel
def with_default(x, factor=2.0):
    return factor * x


@kernel
def behind_a_star(x, *, factor=2.0):
    return factor * x


@kernel
def any_number(*numbers):
    return numbers[-1]


def test_defaults_of_a_called_kernel_are_compiled(caplog):
    assert with_default(3.0) == 6.0
    assert with_default(factor=3.0, x=3.0) == 9.0
    assert caplog.text == ""
    with pytest.raises(TypeError, match="factor"):
        with_default(1.0, 2.0, factor=3.0)
    with pytest.raises(TypeError, match="argument"):
        with_default()


def test_arguments_with_a_star_are_passed_on_uncompiled(caplog):
    assert behind_a_star(3.0, factor=5.0) == 15.0
    assert any_number(1.0, 2.0) == 2.0
    assert caplog.text.count("has a star among its parameters") == 2

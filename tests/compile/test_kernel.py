import ast
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import lowbid
from lowbid._compile._kernel import Kernel, allocating_kernel, interpreted, kernel, specialise


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
    monkeypatch.setattr(Kernel, "compiled", property(lambda self: pytest.fail("compiled")))
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


def test_kernels_may_make_arrays_only_if_they_say_so():
    assert make(3).tolist() == [0.0, 0.0, 0.0]

    @kernel
    def hidden(n):
        return np.zeros(n)

    with pytest.raises(Exception, match="Only accept returning of array passed"):
        hidden(3)


METHODS_OF_ARRAYS = {"all", "any", "argmax", "argmin", "copy", "max", "mean", "min", "sort", "sum"}


def test_kernels_that_make_no_arrays_call_no_methods_of_arrays():
    """numba compiles these with reference counts, unless it already has, for another kernel.

    So they can be compiled in the process that also compiles a rule's `init`, and not in one that
    reads it from disk.
    """
    found = []
    for path in sorted(Path(lowbid.__file__).parent.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and "kernel" in map(
                ast.unparse, function.decorator_list
            ):
                found += [
                    f"{path.name}: {ast.unparse(call)}"
                    for call in ast.walk(function)
                    if isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and call.func.attr in METHODS_OF_ARRAYS
                ]
    assert found == []


def test_a_digest_follows_the_code_of_what_is_called():
    assert double.digest != defined_later.digest
    first = Kernel(template.function, {"step": double}).digest
    second = Kernel(template.function, {"step": defined_later}).digest
    third = Kernel(template.function, {"step": double, "OFFSET": 1.0}).digest
    assert len({first, second, third}) == 3
    assert Kernel(template.function, {"step": double}).digest == first


def test_division_by_zero_does_not_raise():
    @kernel
    def divide(x, y):
        return x / y

    assert divide(1.0, 0.0) == np.inf


def test_an_edit_in_another_file_takes_effect(tmp_path):
    """Numba's own disk cache would keep using the old code of `inner`."""
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


def test_processes_that_compile_at_once_do_not_mix_up_their_code(tmp_path, monkeypatch):
    """All forms of one kernel go into one index, whichever process wrote it last."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)  # keep code beside its source
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
    return {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}


def test_a_file_of_compiled_code_is_never_written_again_for_another_form(tmp_path):
    """Another process may have read the old index, and would take the one for the other."""
    (tmp_path / "forms.py").write_text(
        textwrap.dedent(
            """
            import pathlib
            from lowbid._compile._kernel import kernel

            @kernel
            def half(x):
                return x / 2

            for number in (3, 3.0, True):
                half(number)
                for index in pathlib.Path("cache").rglob("*.nbi"):
                    index.unlink()  # as if a process that knew nothing of it had written last
            print(len(list(pathlib.Path("cache").rglob("*.nbc"))))
            """
        )
    )
    out = subprocess.run(
        [sys.executable, "forms.py"],
        cwd=tmp_path,
        env=with_its_own_cache(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout == "3\n"


def test_an_index_that_cannot_be_read_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)  # keep code beside its source
    script = (
        "from lowbid._compile import kernel\n\n@kernel\ndef one():\n    return 1\n\nprint(one())"
    )
    (tmp_path / "single.py").write_text(script)
    for _ in range(2):
        out = subprocess.run(
            [sys.executable, "single.py"],
            cwd=tmp_path,
            env=with_its_own_cache(tmp_path),
            capture_output=True,
            text=True,
            check=True,
        )
        assert out.stdout == "1\n"
        (index,) = tmp_path.rglob("*.nbi")
        version = pickle.dumps(__import__("numba").__version__)
        index.write_bytes(version + b"cnowhere\nGone\n.")


def test_numba_is_not_imported_before_it_is_needed():
    script = "import sys, lowbid, lowbid.cli; lowbid.cli.parser(); print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_the_switch_of_numba_is_the_switch_of_lowbid():
    script = "from lowbid._compile import _kernel; print(_kernel._when.get())"
    for value, expected in (("1", "never"), ("0", "now")):
        out = subprocess.run(
            [sys.executable, "-c", script],
            env={"NUMBA_DISABLE_JIT": value, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert out.stdout.strip() == expected

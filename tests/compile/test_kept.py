import errno

import numpy as np
import pytest

from lowbid._compile import _build, _kept
from lowbid._compile._build import build
from lowbid._compile._kernel import loop_kernel


@loop_kernel
def _twice(numbers):
    for i in range(len(numbers)):
        numbers[i] *= 2.0
    return len(numbers)


@pytest.fixture
def compilations(monkeypatch, tmp_path):
    """How often LLVM was at work; nothing is kept at first."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    done, object_of = [], _build.object_of

    def counted(text):
        done.append(1)
        return object_of(text)

    monkeypatch.setattr(_build, "object_of", counted)
    return done


def works():
    numbers = np.array([1.0, 2.5])
    return build(_twice, (numbers,))(numbers) == 2 and list(numbers) == [2.0, 5.0]


def test_code_is_made_once(compilations, tmp_path):
    assert works()
    assert works()
    assert len(compilations) == 1
    assert len(list((tmp_path / "kept" / "lowbid").iterdir())) == 1


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b"", lambda b: b[:200] + b"?" + b[201:]]
)
def test_a_damaged_file_is_made_again(compilations, tmp_path, damage):
    assert works()
    (file,) = (tmp_path / "kept" / "lowbid").iterdir()
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert works()
    assert len(compilations) == 2
    assert file.read_bytes() == good


def test_a_file_of_another_loop_is_not_taken(compilations, tmp_path):
    assert works()
    (file,) = (tmp_path / "kept" / "lowbid").iterdir()
    other = _kept.name_of("another loop")
    file.rename(file.with_name(f"loop-{other}.o"))
    assert _kept.load(other) is None


def test_without_a_home_the_other_folders_are_used(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "USERPROFILE", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as for a user without an entry
    assert _kept.load(_kept.name_of("a loop that was never made")) is None


def test_a_full_disk_costs_time_only(compilations, monkeypatch, tmp_path):
    def full(*arguments, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_kept, "replace_file", full)
    assert works()
    assert works()
    assert len(compilations) == 2


def test_a_folder_that_cannot_be_made_costs_time_only(compilations, monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a file" / "folder"))
    assert works()
    assert works()
    assert len(compilations) == 2


def test_another_machine_or_compiler_does_not_take_it(monkeypatch):
    before = _kept.name_of("code", "kinds", "machine")
    assert before != _kept.name_of("code", "kinds", "another machine")
    monkeypatch.setattr(_kept, "_generation", lambda: "another compiler")
    assert before != _kept.name_of("code", "kinds", "machine")

import errno
import os
import time

import numpy as np
import pytest

from compile.test_language import build
from lowbid._compile import _cache, _native
from lowbid._compile._kernel import allocating_kernel


@allocating_kernel
def _twice(numbers):
    for i in range(len(numbers)):
        numbers[i] *= 2.0
    return len(numbers)


@pytest.fixture
def compilations(monkeypatch, tmp_path):
    """How often LLVM was at work; nothing is kept at first."""
    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path / "kept"))
    done, object_of = [], _native.object_of

    def counted(text):
        done.append(1)
        return object_of(text)

    monkeypatch.setattr(_native, "object_of", counted)
    return done


def works():
    numbers = np.array([1.0, 2.5])
    return build(_twice, (numbers,))(numbers) == 2 and list(numbers) == [2.0, 5.0]


def test_code_is_made_once(compilations, tmp_path):
    assert works()
    assert works()
    assert len(compilations) == 1
    assert len(list((tmp_path / "kept").iterdir())) == 1


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b"", lambda b: b[:200] + b"?" + b[201:]]
)
def test_a_damaged_file_is_made_again(compilations, tmp_path, damage):
    assert works()
    (file,) = (tmp_path / "kept").iterdir()
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert works()
    assert len(compilations) == 2
    assert file.read_bytes() == good


def test_a_file_of_another_loop_is_not_taken(compilations, tmp_path):
    assert works()
    (file,) = (tmp_path / "kept").iterdir()
    other = _cache.name_of("another loop")
    file.rename(file.with_name(f"{other}.o"))
    assert _cache.load(other) is None


def test_without_a_home_code_is_made_again(monkeypatch, tmp_path):
    for name in ("LOWBID_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "USERPROFILE", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as for a user without an entry
    assert _cache.load(_cache.name_of("a loop that was never made")) is None
    assert not _cache.can_store()
    assert list(tmp_path.iterdir()) == []  # no folder named ~


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_can_write_to_is_not_used(compilations, tmp_path, mode, caplog):
    folder = tmp_path / "kept"
    folder.mkdir()
    folder.chmod(mode)
    assert works()
    assert works()
    assert len(compilations) == 2
    assert list(folder.iterdir()) == []
    (said,) = caplog.records
    assert str(folder) in said.getMessage()


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_file_that_others_can_write_to_is_not_used(compilations, tmp_path):
    assert works()
    (file,) = (tmp_path / "kept").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    file.chmod(0o666)
    assert works()
    assert len(compilations) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_code_of_another_user_is_not_used(compilations, tmp_path):
    assert works()
    (file,) = (tmp_path / "kept").iterdir()
    os.chown(file, 12345, -1)
    assert works()
    assert len(compilations) == 2
    os.chown(tmp_path / "kept", 12345, -1)
    assert works()
    assert len(compilations) == 3


def test_old_code_is_removed_and_what_is_used_is_kept(compilations, tmp_path, monkeypatch):
    assert works()
    (used,) = (tmp_path / "kept").iterdir()
    old, large, unfinished = (used.with_name(n) for n in ("old.o", "large.o", ".x.o.1.part"))
    for file, days in ((used, 30), (old, 91), (large, 80), (unfinished, 2)):
        file.exists() or file.write_bytes(b"?" * 1000)
        then = time.time() - days * 86_400
        os.utime(file, (then, then))
    assert works()  # which notes that it was used
    _cache.prune(tmp_path / "kept")
    assert sorted(file.name for file in (tmp_path / "kept").iterdir()) == sorted(
        [used.name, large.name]
    )
    monkeypatch.setattr(_cache, "_LARGEST", used.stat().st_size + 100)
    _cache.prune(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == [used]


def test_a_full_disk_costs_time_only(compilations, monkeypatch, tmp_path):
    def full(*arguments, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_cache, "replace_file", full)
    assert works()
    assert works()
    assert len(compilations) == 2


def test_a_folder_that_cannot_be_made_costs_time_only(compilations, monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path / "a file" / "folder"))
    assert works()
    assert works()
    assert len(compilations) == 2


def test_another_machine_or_compiler_does_not_take_it(monkeypatch):
    before = _cache.name_of("code", "kinds", "machine")
    assert before != _cache.name_of("code", "kinds", "another machine")
    monkeypatch.setattr(_cache, "_generation", lambda: "another compiler")
    assert before != _cache.name_of("code", "kinds", "machine")

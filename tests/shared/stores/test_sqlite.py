"""Files of an SQLite store that disappear or change while it is open."""

import os
import shutil
import tempfile
import time

import pytest

import lowbid
from lowbid.errors import StoreError
from lowbid.shared.stores import _sqlite_connection
from seen_from_outside import requests_in


def opened(url):
    return lowbid.open(url, "b", ["x", "y", "z"], reward_range=(0, 1))


def decide_all(bandit, requests):
    for request in requests:
        bandit.decide(request_id=request)


def let_a_tick_pass(folder):
    """Wait until the last change of a folder is not just now."""
    while time.time_ns() - folder.stat().st_ctime_ns <= _sqlite_connection._TICK:
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove files in use")
@pytest.mark.parametrize("quiet", [True, False])
def test_a_lost_write_ahead_log_is_noticed(url, tmp_path, quiet):
    bandit = opened(url)
    decide_all(bandit, "ab")
    if quiet:
        let_a_tick_pass(tmp_path)
    decide_all(bandit, "c")
    (tmp_path / "shop.db-wal").unlink()
    decide_all(bandit, "def")
    assert requests_in(url) == list("abcdef")


@pytest.mark.skipif(os.name == "nt", reason="Windows does not replace files in use")
@pytest.mark.parametrize("how", ["replaced", "removed and made"])
def test_a_copy_restored_with_the_times_of_its_folder_is_noticed(url, tmp_path, how):
    file, copy = tmp_path / "store" / "shop.db", tmp_path / "copy.db"
    file.parent.mkdir()
    url = f"sqlite:///{file}"
    bandit = opened(url)
    decide_all(bandit, "ab")
    bandit.close()
    shutil.copy(file, copy)
    decide_all(bandit, "c")
    bandit.close()
    decide_all(bandit, "d")
    let_a_tick_pass(file.parent)
    decide_all(bandit, "e")  # from now on, nothing happens in the folder
    times = file.parent.stat()
    for end in ("-wal", "-shm", *[""] * (how != "replaced")):
        (file.parent / f"shop.db{end}").unlink()
    os.replace(copy, file)
    os.utime(file.parent, ns=(times.st_atime_ns, times.st_mtime_ns))  # as tar does
    assert file.parent.stat().st_mtime_ns == times.st_mtime_ns
    decide_all(bandit, "fgh")
    assert requests_in(url) == list("abfgh")


def test_few_files_are_looked_at_while_nothing_happens_in_their_folder(url, tmp_path, monkeypatch):
    bandit, looks, identity = opened(url), [], _sqlite_connection._identity
    bandit.decide()
    monkeypatch.setattr(
        _sqlite_connection, "_identity", lambda file: looks.append(file) or identity(file)
    )

    def looks_of_second_call():
        let_a_tick_pass(tmp_path)
        bandit.decide()
        looks.clear()
        bandit.decide()
        return list(looks)

    file = str(tmp_path / "shop.db")
    # A fork of this process, by another thread, would make it connect and look again.
    assert [file] in [looks_of_second_call() for _ in range(5)]
    looks.clear()
    (tmp_path / "other").touch()
    bandit.decide()
    assert looks == [file, f"{file}-wal"]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove files in use")
def test_files_behind_a_link_are_looked_at_in_every_call(tmp_path):
    real, links = tmp_path / "real", tmp_path / "links"
    real.mkdir()
    links.mkdir()
    (links / "shop.db").symlink_to(real / "shop.db")
    bandit = opened(f"sqlite:///{links / 'shop.db'}")
    let_a_tick_pass(links)
    decide_all(bandit, "ab")
    (real / "shop.db").unlink()
    with pytest.raises(StoreError, match="its file was removed"):
        bandit.decide()


@pytest.mark.skipif(os.name == "nt", reason="needs the modes of POSIX")
@pytest.mark.parametrize("linked", [False, True])
def test_files_are_for_their_owner_alone(tmp_path, linked):
    folder, mask = tmp_path / "real", os.umask(0)
    folder.mkdir()
    place = tmp_path / "link.db" if linked else folder / "shop.db"
    if linked:
        place.symlink_to(folder / "shop.db")
    try:
        bandit = opened(f"sqlite:///{place}")
        bandit.decide()
        modes = {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
    finally:
        os.umask(mask)
    assert modes == dict.fromkeys(["shop.db", "shop.db-wal", "shop.db-shm"], 0o600)


@pytest.mark.skipif(os.name == "nt", reason="needs the modes of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o666])
def test_the_mode_of_an_existing_file_stays(url, tmp_path, mode):
    (tmp_path / "shop.db").touch()
    (tmp_path / "shop.db").chmod(mode)
    opened(url).decide()
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {mode}


@pytest.mark.skipif(not hasattr(os, "fork") or os.getuid() != 0, reason="needs another user")
@pytest.mark.parametrize(("mode", "reads"), [(0o644, True), (0o600, False)])
def test_another_user_in_a_folder_that_is_read_only(mode, reads):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        url, (answer, say), (told, tell) = f"sqlite:///{folder}/shop.db", os.pipe(), os.pipe()
        bandit = opened(url)
        decide_all(bandit, "a")
        child = os.fork()
        if child == 0:
            try:
                os.read(told, 1)
                os.setgid(65534)
                os.setuid(65534)
                there = lowbid.open(url, "b")
                os.write(say, f"{there.summary().decisions} decisions; ".encode())
                there.decide()
            except StoreError as error:
                os.write(say, str(error).encode())
            finally:
                os._exit(0)
        decide_all(bandit, "b")  # opens the file again, which the fork has closed
        for file in os.listdir(folder):
            os.chmod(f"{folder}/{file}", mode)
        os.write(tell, b".")
        os.waitpid(child, 0)
        os.close(say)
        said = os.read(answer, 10_000).decode()
        for end in (answer, told, tell):
            os.close(end)
        assert ("2 decisions; " in said) == reads, said
        assert "read" in said
        assert "this user" in said
        decide_all(bandit, "c")
        assert requests_in(url) == list("abc")
        bandit.close()

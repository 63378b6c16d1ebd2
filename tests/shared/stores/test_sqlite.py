"""Files of an SQLite store that disappear or change while it is open."""

import os
import time

import pytest

import lowbid
from lowbid.errors import StoreError
from lowbid.shared.stores import sqlite
from seen_from_outside import requests_in


def opened(url):
    return lowbid.open(url, "b", ["x", "y", "z"], reward_range=(0, 1))


def decide_all(bandit, requests):
    for request in requests:
        bandit.decide(request_id=request)


def let_an_hour_pass(folder):
    """Have the last change of a folder be an hour ago."""
    then = time.time() - 3600.0
    os.utime(folder, (then, then))


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove files in use")
@pytest.mark.parametrize("quiet", [True, False])
def test_a_lost_write_ahead_log_is_noticed(url, tmp_path, quiet):
    bandit = opened(url)
    decide_all(bandit, "ab")
    if quiet:
        let_an_hour_pass(tmp_path)
    decide_all(bandit, "c")
    (tmp_path / "shop.db-wal").unlink()
    decide_all(bandit, "def")
    assert requests_in(url) == list("abcdef")


def test_files_are_not_looked_at_while_nothing_happens_in_their_folder(url, tmp_path, monkeypatch):
    bandit, looks, identity = opened(url), [], sqlite._identity
    bandit.decide()
    monkeypatch.setattr(sqlite, "_identity", lambda file: looks.append(file) or identity(file))

    def looks_of_second_call():
        let_an_hour_pass(tmp_path)
        bandit.decide()
        looks.clear()
        bandit.decide()
        return len(looks)

    # A fork of this process, by another thread, would make it connect and look again.
    assert 0 in [looks_of_second_call() for _ in range(5)]
    (tmp_path / "other").touch()
    bandit.decide()
    assert len(looks) == 2  # at the file and at its write-ahead log


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove files in use")
def test_files_behind_a_link_are_looked_at_in_every_call(tmp_path):
    real, links = tmp_path / "real", tmp_path / "links"
    real.mkdir()
    links.mkdir()
    (links / "shop.db").symlink_to(real / "shop.db")
    bandit = opened(f"sqlite:///{links / 'shop.db'}")
    let_an_hour_pass(links)
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

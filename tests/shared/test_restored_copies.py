"""Stores restored from a copy, or mended: the log counts, not what a process remembers."""

import shutil
import threading
import time

import pytest

import lowbid
from lowbid.errors import FileFormatError, StoreError
from lowbid.shared._events import LoggedEvent
from lowbid.shared._requests import deciding
from lowbid.shared.stores._patience import Patience
from shared_replay import replayed

SETTINGS = {"seed": 3, "reward_range": (0, 1)}


def opened(url):
    return lowbid.open(url, "b", ["x", "y", "z"], **SETTINGS)


def play(bandit, turns, reward):
    for _ in range(turns):
        bandit.update(bandit.decide(), reward=reward)


def require_whole(bandit):
    numbers = [entry.number for entry in bandit.log()]
    assert numbers == list(range(1, len(numbers) + 1))
    plain = replayed(bandit, **SETTINGS)
    assert bandit.counts() == plain.counts()
    assert bandit.means() == plain.means()


@pytest.mark.parametrize("moved", [True, False])
def test_a_file_that_is_restored_from_an_earlier_copy(url, tmp_path, moved):
    file, copy = tmp_path / "shop.db", tmp_path / "copy.db"
    bandit = opened(url)
    play(bandit, 3, reward=1.0)
    bandit.close()
    shutil.copy(file, copy)
    play(bandit, 4, reward=0.0)
    bandit.close()
    shutil.move(copy, file) if moved else shutil.copy(copy, file)
    assert sum(bandit.counts().values()) == 3
    play(bandit, 2, reward=0.5)
    require_whole(bandit)


def replaced_by_another(url, file, decisions):
    """The store's file is removed, and another one with another bandit is put in its place."""
    for end in ("", "-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    with lowbid.open(url, "banner", ["cat", "dog"], reward_range=(0, 1)) as other:
        other.submit_all([deciding(None, None, None) for _ in range(decisions)])
        return other.summary().events


@pytest.mark.parametrize("decisions", [2, 3, 1200])
@pytest.mark.parametrize("from_snapshot", [True, False])
def test_a_file_that_is_replaced_by_one_with_another_bandit(
    url, tmp_path, decisions, from_snapshot
):
    bandit = opened(url)
    play(bandit, 1, reward=1.0)
    if from_snapshot:
        bandit.compact(events="0s")
        bandit.close()
        bandit = lowbid.open(url, "b")
    bandit.close()
    events = replaced_by_another(url, tmp_path / "shop.db", decisions)
    for call in (bandit.decide, bandit.counts, bandit.compact, lambda: list(bandit.log())):
        with pytest.raises(StoreError, match=r"no longer in the store .* was replaced by another"):
            call()
    assert lowbid.open(url, "banner").summary().events == events


def events_after(bandit, number):
    return "DELETE FROM lowbid_events WHERE bandit = ? AND number > ?", (bandit, number)


def test_a_log_that_lost_its_last_events(any_url):
    bandit = opened(any_url)
    play(bandit, 3, reward=1.0)
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.run(*events_after(bandit._log.bandit, 5))
    assert sum(bandit.counts().values()) == 2
    play(bandit, 2, reward=0.5)
    require_whole(bandit)


def test_a_log_that_went_on_without_its_last_events(any_url):
    bandit, other = opened(any_url), opened(any_url)
    play(bandit, 3, reward=1.0)
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.run(*events_after(bandit._log.bandit, 3))
    play(other, 4, reward=0.25)
    assert bandit.means() == other.means()
    play(bandit, 1, reward=0.5)
    require_whole(bandit)
    require_whole(other)


@pytest.mark.parametrize("name", ["danced", "decided"])
def test_a_log_that_is_mended_after_it_could_not_be_read(any_url, name):
    bandit = opened(any_url)
    play(bandit, 2, reward=1.0)
    key, store = bandit._log.bandit, bandit._log.store.twin()
    with store.transaction(write=True) as transaction:
        transaction.append(key, [LoggedEvent(6, 2**60, name, "batch", '{"colour": 1}')])
    kept = []  # and with them, where they were raised
    for call in (bandit.decide, bandit.counts, lambda: opened(any_url)):
        with pytest.raises(
            FileFormatError, match=r"'b' in (sqlite|postgresql).* restore"
        ) as caught:
            call()
        kept.append(caught)
    with store.transaction(write=True) as transaction:
        transaction.run(*events_after(key, 5))
    play(bandit, 2, reward=0.5)
    require_whole(bandit)
    store.close()


def test_a_log_of_many_events_that_cannot_be_read_to_its_end(any_url):
    bandit = opened(any_url)
    key, store = bandit._log.bandit, bandit._log.store.twin()
    bandit.update_many(["x"] * 3, rewards=[1.0] * 3)
    time = bandit.summary().time
    bad = LoggedEvent(1300, time, "danced", "batch", "{}")
    with store.transaction(write=True) as transaction:
        elapsed = [LoggedEvent(n, time, "elapsed", "batch", "{}") for n in range(3, 1300)]
        transaction.append(key, [*elapsed, bad, *[bad._replace(number=n) for n in (1301, 1302)]])
    with pytest.raises(FileFormatError, match="event 1300") as caught:
        bandit.decide()
    with store.transaction(write=True) as transaction:
        transaction.run(*events_after(key, 1299))
    play(bandit, 2, reward=0.5)
    assert bandit.counts()["x"] >= 3
    assert caught
    store.close()


def test_a_commit_that_is_still_under_way_is_waited_for(any_url):
    bandit = opened(any_url)
    log, store, begun = bandit._log, bandit._log.store.twin(), threading.Event()

    def commit_slowly():
        with store.transaction(write=True) as transaction:
            transaction.lock(log.bandit)
            transaction.append(log.bandit, [LoggedEvent(2, 2**60, "elapsed", "mine", "{}")])
            begun.set()
            time.sleep(0.3)
        store.close()

    thread = threading.Thread(target=commit_slowly)
    thread.start()
    assert begun.wait(20)
    patience = Patience(10.0)
    assert log._is_settled(2, "mine", patience)
    assert not log._is_settled(2, "another", patience)
    assert not log._is_settled(3, "mine", patience)
    thread.join(20)


def test_events_that_were_compacted_away_behind_a_change_that_stays(any_url):
    bandit, other = opened(any_url), opened(any_url)
    bandit.add_arm("w")  # the last event that it knows is kept
    play(other, 5, reward=1.0)
    assert other.compact(events="0s").events > 0
    assert bandit.counts() == other.counts()
    assert sum(bandit.counts().values()) == 5

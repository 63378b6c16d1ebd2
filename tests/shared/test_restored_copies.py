"""Stores restored from a copy, or mended: the log counts, not what a process remembers."""

import contextlib
import os
import shutil
import sqlite3
import threading
import time

import pytest

import lowbid
import postgresql_server
import together
from lowbid.errors import FileFormatError, LowbidError, StoreError
from lowbid.shared import Decide
from lowbid.shared._events import LoggedEvent
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


def copied_by_sqlite(source, target):
    """What `sqlite3 source ".backup target"` does, and `sqlite3 target ".restore source"`."""
    ends = sqlite3.connect(source), sqlite3.connect(target)
    ends[0].backup(ends[1])
    for end in ends:
        end.close()


def test_a_file_in_use_that_sqlite_itself_copies_and_restores(url, tmp_path):
    file, copy = tmp_path / "shop.db", tmp_path / "copy.db"
    bandit, other = opened(url), opened(url)
    play(bandit, 3, reward=1.0)
    copied_by_sqlite(file, copy)
    lost = bandit.decide(request_id="lost")
    play(other, 4, reward=0.0)
    copied_by_sqlite(copy, file)
    for one in (bandit, other):
        assert sum(one.counts().values()) == 3
    assert other.answer([lost.id], rewards=[1.0]) == ["unknown"]
    play(bandit, 2, reward=0.5)
    play(other, 2, reward=0.5)
    for one in (bandit, other):
        require_whole(one)


def replaced_by_another(url, file, decisions):
    """The store's file is removed, and another one with another bandit is put in its place."""
    for end in ("", "-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    with lowbid.open(url, "banner", ["cat", "dog"], reward_range=(0, 1)) as other:
        together.submitted(other, [Decide() for _ in range(decisions)])
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


def lose_events_after(bandit, number):
    """What a standby did not have yet when it was promoted."""
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.run(*events_after(bandit._log.bandit, number))
        transaction.run("DELETE FROM lowbid_memory")


@pytest.mark.parametrize("who", ["itself", "another", "opened later"])
@pytest.mark.parametrize("more", [{}, {"holdout": 0.5, "control": "x"}])
def test_ids_of_lost_decisions_are_not_given_again(any_url, who, more):
    bandit = lowbid.open(any_url, "b", ["x", "y", "z"], **SETTINGS, **more)
    other = lowbid.open(any_url, "b")
    kept, lost = bandit.decide(10), bandit.decide(10)
    lose_events_after(bandit, 2)
    writer = {"itself": bandit, "another": other}.get(who) or lowbid.open(any_url, "b")
    made = writer.decide(10)
    assert not {each.id for each in lost} & {each.id for each in made}
    rewards = [1.0] * 10
    for one in (writer, bandit, other):
        assert one.answer([each.id for each in lost], rewards=rewards) == ["unknown"] * 10
        assert len(one.pending()) == 20
    assert sum(writer.counts().values()) == 0
    for some in (kept, made):
        assert bandit.answer([each.id for each in some], rewards=rewards) == [None] * 10
    assert writer.answer([each.id for each in lost], rewards=rewards) == ["unknown"] * 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_does_not_give_the_ids_of_its_parent(url):
    bandit = opened(url)
    bandit.decide(10)
    (told, tell), (readable, writable) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.read(told, 1)
        os.write(writable, " ".join(each.id for each in bandit.decide(10)).encode())
        os._exit(0)
    lost = bandit.decide(10)
    lose_events_after(bandit, 2)
    os.write(tell, b".")
    assert os.waitpid(child, 0)[1] == 0
    made = os.read(readable, 10_000).decode().split()
    for end in (told, tell, readable, writable):
        os.close(end)
    assert len(set(made)) == 10
    assert not {each.id for each in lost} & set(made)
    assert bandit.answer(made, rewards=[1.0] * 10) == [None] * 10


def test_words_of_processes_that_wrote_long_ago_are_forgotten(url, monkeypatch):
    monkeypatch.setattr("lowbid.shared._replica._MOST_WORDS", 6)
    first = opened(url)
    done, waiting = first.decide(2)
    first.update(done, reward=1.0)
    old = []
    for _ in range(8):
        with lowbid.open(url, "b") as bandit:
            old.append(bandit.decide())
            bandit.update(old[-1], reward=0.0)
    with lowbid.open(url, "b") as bandit:
        assert len(bandit._log.opened().core.decisions.words) <= 6
        ids = [done.id, waiting.id, old[-1].id, old[0].id]
        answers = bandit.answer(ids, rewards=[1.0, 1.0, 1.0, 0.0])
        assert answers == ["repeated", None, "conflict", "unknown"]
        assert bandit.summary().decisions == 10
        require_whole(bandit)
        assert bandit.to_json() == first.to_json()


def caught_up(url, pending):
    """The bandit on a standby, when it has this many pending decisions."""
    for _ in range(600):
        with contextlib.suppress(LowbidError):  # not even its tables may be there yet
            bandit = lowbid.open(url, "b")
            if len(bandit.pending()) == pending:
                return bandit
            bandit.close()
        time.sleep(0.05)
    raise AssertionError("the standby does not follow")


@pytest.mark.slow
@pytest.mark.skipif(postgresql_server.programs() is None, reason="needs servers of its own")
def test_a_standby_that_is_promoted_without_the_last_commits():
    with (
        postgresql_server.private_server() as (url, _),
        postgresql_server.standby(url) as other,
    ):
        primary = postgresql_server.folder_of(url)
        both = f"postgresql://lowbid@/postgres?host={primary},{other}"
        bandit = opened(f"{both}&target_session_attrs=read-write")
        postgresql_server.start(other)
        kept = bandit.decide(10)
        behind = caught_up(f"postgresql://lowbid@/postgres?host={other}", 10)
        with pytest.raises(StoreError, match="takes no changes"):
            behind.decide()
        behind.close()
        postgresql_server.stop(other)
        lost = bandit.decide(10)  # on the primary alone
        postgresql_server.stop(primary)
        try:
            postgresql_server.start(other)
            postgresql_server.promote(other)
            made = bandit.decide(10)
            assert not {each.id for each in lost} & {each.id for each in made}
            rewards = [1.0] * 10
            for some, answer in ((lost, "unknown"), (kept, None), (made, None)):
                ids = [each.id for each in some]
                assert bandit.answer(ids, rewards=rewards) == [answer] * 10
            require_whole(bandit)
            bandit.close()
        finally:
            postgresql_server.stop(other)

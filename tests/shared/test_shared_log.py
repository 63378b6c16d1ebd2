"""When things break: the object stays usable, and its state is what the log says."""

import contextlib
import hashlib
import json
import os
import signal
import sqlite3
import threading
import time
import zlib

import pytest

import lowbid
import together
from lowbid.errors import FileFormatError, LowbidError, StoreError, StoreUnavailableError
from lowbid.shared import Decide, _shared_log, _snapshots
from lowbid.shared._calls import Call, Reply
from lowbid.shared._events import LOG_FORMAT
from lowbid.shared.stores import store_at
from lowbid.shared.stores.sqlite import SQLiteStore
from shared_replay import replayed

ARMS = ["x", "y", "z"]
SETTINGS = {"seed": 3, "reward_range": (0, 1)}


def opened(url, **more):
    return lowbid.open(url, "b", ARMS, **SETTINGS, **more)


def play(bandit, turns):
    for turn in range(turns):
        bandit.update(bandit.decide(), reward=turn % 5 / 5)


def require_whole(bandit):
    """Complain unless the bandit, one that is opened now and a replay agree."""
    address = bandit._log.store.twin()
    fresh, plain = lowbid.open(address, bandit.name), replayed(bandit, **SETTINGS)
    assert bandit.counts() == fresh.counts() == plain.counts()
    assert bandit.means() == fresh.means() == plain.means()
    assert bandit.decide().arm == plain.decide().arm
    numbers = [entry.number for entry in bandit.log()]
    assert numbers == list(range(1, len(numbers) + 1))


class Breaking:
    """Fails the next commit of a store, before or after it happened."""

    def __init__(self, monkeypatch, error, after):
        self.left, real = 1, SQLiteStore.transaction

        @contextlib.contextmanager
        def transaction(store, *, write):
            with contextlib.ExitStack() as stack:
                inner = stack.enter_context(real(store, write=write))
                breaks = [False]
                yield _Watched(inner, breaks)
                breaks = breaks[0] and self.left > 0
                if breaks and not after:
                    self.left -= 1
                    raise error
            if breaks:
                self.left -= 1
                raise error

        monkeypatch.setattr(SQLiteStore, "transaction", transaction)


class _Watched:
    def __init__(self, inner, breaks):
        self._inner, self._breaks = inner, breaks

    def __getattr__(self, name):
        if name == "append":
            self._breaks[0] = True
        return getattr(self._inner, name)


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_whose_answer_was_lost_is_looked_up(url, monkeypatch, after):
    bandit = opened(url)
    play(bandit, 5)
    Breaking(monkeypatch, StoreUnavailableError("the network was cut"), after)
    before = bandit.summary().events
    decision = bandit.decide()
    made = [entry.fields["ids"] for entry in bandit.log(before)]
    assert made == [[decision.id]]  # it is in the log, and once
    assert bandit.update(decision, reward=1.0) is None
    require_whole(bandit)


@pytest.mark.parametrize("after", [False, True])
def test_ctrl_c_in_the_middle_of_a_commit(url, monkeypatch, after):
    bandit = opened(url)
    play(bandit, 5)
    Breaking(monkeypatch, KeyboardInterrupt(), after)
    with pytest.raises(KeyboardInterrupt):
        bandit.decide()
    assert bandit.summary().decisions == 5 + after
    require_whole(bandit)


def test_ctrl_c_does_not_reach_the_calls_of_other_threads(url, monkeypatch):
    bandit = opened(url)
    play(bandit, 2)
    Breaking(monkeypatch, KeyboardInterrupt(), after=False)
    answers = []
    with sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None) as blocker:
        blocker.execute("BEGIN IMMEDIATE")  # so that all calls wait, and go into one commit
        threads = [
            threading.Thread(target=lambda: answers.append(_caught(bandit.decide)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        blocker.execute("COMMIT")
    blocker.close()
    for thread in threads:
        thread.join(20)
    assert sum(isinstance(each, KeyboardInterrupt) for each in answers) == 1
    assert bandit.summary().decisions == 2 + 3
    require_whole(bandit)


def _caught(call):
    try:
        return call()
    except BaseException as error:
        return error


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs the timers of POSIX")
# Python only reports an interrupt that comes while it finalises an object, here a connection.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_at_any_moment(any_url):
    bandit = opened(any_url)
    play(bandit, 3)
    before, stopped = signal.signal(signal.SIGALRM, signal.default_int_handler), 0
    try:
        for wait in range(1, 30):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0007 * wait)
                _decide_for_a_second(bandit)
            except KeyboardInterrupt:  # Python drops one that comes while it collects garbage
                stopped += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert stopped > 15
    require_whole(bandit)


def _decide_for_a_second(bandit):
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        bandit.decide()


def _fill(bandit):
    for number in range(500):
        bandit.decide(request_id=f"{number:0400}")


def test_a_full_disk(url):
    bandit = opened(url)
    play(bandit, 20)
    connection = bandit._log.store._pool.idle[0]._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"(?s)shop\.db.*full.*make room"):
        _fill(bandit)
    connection.execute("PRAGMA max_page_count = 1000000")
    require_whole(bandit)


def test_a_store_that_is_locked(url):
    bandit = opened(url, patience=0.2)
    play(bandit, 3)
    with contextlib.closing(
        sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match=r"shop\.db was in use .* for 0\.2 s"):
            bandit.decide()
        assert sum(bandit.counts().values()) == 3  # reading goes on
        other.execute("COMMIT")
    require_whole(bandit)


@pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
def test_a_file_that_may_not_be_written_to(url, monkeypatch):
    bandit = opened(url)
    play(bandit, 3)
    bandit.close()
    path = url.removeprefix("sqlite:///")
    real = sqlite3.connect  # root may write to anything, so the file is opened for reading only
    monkeypatch.setattr(
        sqlite3, "connect", lambda _, **more: real(f"file:{path}?mode=ro", uri=True, **more)
    )
    reader = lowbid.open(url, "b")
    assert reader.counts() == bandit.counts()
    with pytest.raises(StoreError, match="read-only; give this user the right"):
        reader.decide()
    assert reader.counts() == bandit.counts()


def test_a_file_that_is_gone(url, tmp_path):
    bandit = opened(url)
    play(bandit, 3)
    for file in tmp_path.iterdir():
        file.unlink()
    for call in (bandit.decide, bandit.counts, bandit.decide):
        with pytest.raises(StoreError, match="is gone"):
            call()
    assert list(tmp_path.iterdir()) == []  # a new file would be in the way of a copy
    assert opened(url).counts() == dict.fromkeys(ARMS, 0)


@pytest.mark.parametrize(
    ("path", "words"),
    [("no/such/folder/shop.db", "folder exists"), ("notes.txt", "not an SQLite database")],
)
def test_a_path_that_is_no_store(tmp_path, path, words):
    (tmp_path / "notes.txt").write_text("a list of things to do\n" * 100)
    with pytest.raises(StoreError, match=words):
        lowbid.open(f"sqlite:///{tmp_path}/{path}", "b", ARMS)


def test_a_newer_log_is_refused(url):
    bandit = opened(url)
    play(bandit, 3)
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.run("UPDATE lowbid_bandits SET format = ?", (LOG_FORMAT + 1,))
    for call in (bandit.decide, bandit.counts, lambda: lowbid.open(url, "b")):
        with pytest.raises(StoreError, match="Upgrade lowbid"):
            call()


def test_a_deleted_bandit(url):
    bandit = opened(url)
    lowbid.stores.delete(url, "b")
    with pytest.raises(StoreError, match="was deleted"):
        bandit.decide()
    assert lowbid.stores.list(url) == []


def test_a_renamed_bandit_goes_on(url):
    bandit = opened(url)
    lowbid.stores.rename(url, "b", "c")
    play(bandit, 2)
    assert lowbid.open(url, "c").counts() == bandit.counts()
    opened(url)
    with pytest.raises(LowbidError, match="already"):
        lowbid.stores.rename(url, "b", "c")
    with pytest.raises(LowbidError, match="there is no bandit 'd'"):
        lowbid.stores.delete(url, "d")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_after_opening(any_url):
    bandit = opened(any_url)
    play(bandit, 3)
    children, connection = [], bandit._log.store._pool.idle[0]._connection
    for _ in range(3):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                play(bandit, 5)
                found = bandit._log.store._pool.idle[0]._connection
                os._exit(2 if found is connection else 0)
            os._exit(1)
        children.append(child)
    play(bandit, 5)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    play(bandit, 2)
    assert sum(bandit.counts().values()) == 3 + 4 * 5 + 2
    require_whole(bandit)


def with_leader(snapshot, arm):
    """A whole snapshot of a state that no rule can have reached."""
    format_, digest = _snapshots._FORMAT, _snapshots._DIGEST
    saved = json.loads(zlib.decompress(snapshot[len(format_) + digest :]))
    saved["core"]["state"]["race"]["leader"] = [arm]
    packed = zlib.compress(json.dumps(saved).encode())
    return format_ + hashlib.blake2b(packed, digest_size=digest).digest() + packed


@pytest.mark.parametrize("damage", ["bits", "version", "cut", "state"])
def test_a_damaged_snapshot_is_made_again_from_the_events(url, monkeypatch, damage):
    monkeypatch.setattr(_shared_log, "SNAPSHOT_EVERY", 10)
    bandit = opened(url)
    play(bandit, 20)
    store = store_at(url)
    with store.transaction(write=True) as transaction:
        snapshot = transaction.snapshot(1)
        assert snapshot is not None
        broken = {
            "bits": snapshot[:-5] + bytes([snapshot[-5] ^ 1]) + snapshot[-4:],
            "version": snapshot.replace(b"snapshot-1", b"snapshot-9"),
            "cut": snapshot[: len(snapshot) // 2],
            "state": with_leader(snapshot, 1_000_000),
        }[damage]
        transaction.keep_snapshot(1, broken)
    fresh = lowbid.open(url, "b")
    assert fresh.means() == bandit.means()
    with store.transaction(write=False) as transaction:
        assert transaction.snapshot(1) not in (None, broken)  # a good one is in its place
    require_whole(bandit)


def test_opening_reads_the_snapshot_and_few_events(url, monkeypatch):
    monkeypatch.setattr(_shared_log, "SNAPSHOT_EVERY", 10)
    bandit = opened(url)
    play(bandit, 100)
    applied = []
    real = _shared_log.Replica.apply
    monkeypatch.setattr(
        _shared_log.Replica,
        "apply",
        lambda self, *event: applied.append(event) or real(self, *event),
    )
    fresh = lowbid.open(url, "b")
    assert len(applied) < 60  # none if the snapshot was just taken
    fresh.decide()
    monkeypatch.undo()
    assert fresh.to_json() == bandit.to_json()


def test_who_is_far_behind_goes_on_from_the_snapshot(any_url, monkeypatch):
    monkeypatch.setattr(_shared_log, "SNAPSHOT_EVERY", 10)
    bandit, behind = opened(any_url), opened(any_url)
    play(bandit, 100)
    applied = []
    real = _shared_log.Replica.apply
    monkeypatch.setattr(
        _shared_log.Replica,
        "apply",
        lambda self, *event: applied.append(event) or real(self, *event),
    )
    assert behind.to_json() == bandit.to_json()
    assert 50 <= len(applied) < 120  # of 200: up to where it is far behind, then the last few
    monkeypatch.undo()
    assert behind.decide().arm == replayed(behind, **SETTINGS).decide().arm


def test_a_log_is_read_whole_while_another_process_compacts_it(any_url):
    bandit = opened(any_url)
    together.submitted(bandit, [Decide() for _ in range(1200)])
    entries = bandit.log()
    numbers = [next(entries).number for _ in range(10)]
    assert lowbid.open(any_url, "b").compact(events="0s").events == 1199
    numbers += [entry.number for entry in entries]
    assert numbers == list(range(1, 1202))
    assert [entry.number for entry in bandit.log()] == [1, 1201]


def test_compaction_makes_the_file_shorter(url):
    file = url.removeprefix("sqlite:///")
    bandit = opened(url)
    for number in range(20):
        bandit.decide(1000, request_id=f"{number:0500}")
    bandit.close()
    before = os.path.getsize(file)
    bandit.compact(events=0, answers=1e-6)
    bandit.close()
    assert os.path.getsize(file) < before / 2


def test_a_file_that_something_else_made_is_compacted_all_the_same(url):
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
        other.execute("CREATE TABLE theirs (x)")
    bandit = opened(url)
    play(bandit, 40)
    assert bandit.compact(events=0).events > 30


def test_compaction_keeps_what_is_needed(any_url):
    bandit = lowbid.open(any_url, "b", ARMS, sticky=True, **SETTINGS)
    behind = lowbid.open(any_url, "b")
    first = bandit.decide(request_id="r", unit="u")
    behind.decide()
    bandit.update(first, reward=0.5)
    play(bandit, 30)
    bandit.add_arm("w", actor="ann")
    play(bandit, 5)
    before = bandit.to_json()
    assert bandit.compact(events="1h").events == 0
    dropped = bandit.compact(events=0)
    assert dropped.events > 60
    assert dropped.answers == 0
    kept = [entry.event for entry in bandit.log()]
    assert kept == ["created", "arm changed", "reported"]
    for one in (bandit, behind, lowbid.open(any_url, "b")):
        assert one.to_json() == before
        assert one.decide(request_id="r", unit="u") == first
        assert one.decide(unit="u").arm == first.arm
        assert one.answer([first.id], rewards=[0.5]) == ["repeated"]
        before = one.to_json()
    assert behind.decide().arm == lowbid.Bandit.from_json(before).decide().arm


def test_answers_are_forgotten_when_their_time_is_over(url, clock):
    bandit = opened(url)
    decision = bandit.decide(request_id="r")
    bandit.update(decision, reward=0.5)
    clock.seconds += 86400
    bandit.decide()  # the log's time counts
    assert bandit.compact(answers="2d").answers == 0
    assert bandit.compact(answers="23h").answers == 2
    assert bandit.decide(request_id="r") != decision
    assert bandit.answer([decision.id], rewards=[0.5]) == ["late"]


def test_a_compacted_log_without_a_readable_snapshot_is_refused(url):
    bandit = opened(url)
    play(bandit, 5)
    bandit.compact(events=0)
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.keep_snapshot(1, b"nonsense")
    with pytest.raises(FileFormatError, match="Restore the store"):
        lowbid.open(url, "b")


def test_a_policy_that_fails_fails_one_call(url):
    bandit = lowbid.open(url, "b", ARMS, policy=lowbid.UCB1(), **SETTINGS)
    play(bandit, 3)
    engine = bandit._log._replica.core.engine
    engine.select = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        bandit.decide()
    play(bandit, 3)
    plain = replayed(bandit, policy=lowbid.UCB1(), **SETTINGS)
    assert bandit.means() == plain.means()


def test_the_log_is_followed_where_this_process_would_choose_otherwise(url):
    bandit = lowbid.open(url, "b", ARMS, policy=lowbid.UniformPlay(), **SETTINGS)
    play(bandit, 6)
    other = lowbid.open(url, "b")
    bandit._log._replica.core.engine.stream[0] += 12345  # as if another version had chosen
    bandit.decide(20)
    with pytest.warns(RuntimeWarning, match="The log is followed"):
        assert [each.arm for each in other.pending()] == [each.arm for each in bandit.pending()]


class Poison(Decide):
    """A call whose event the store cannot keep."""

    def __init__(self, request):
        super().__init__()
        self.request_id = request  # which was not checked

    def wanted(self, replica):
        return ()

    def conclude(self, replica, memory, event):
        memory.put("request", self.request_id, 1)
        return super().conclude(replica, memory, event)


@pytest.mark.parametrize("places", [[0], [6], [3, 4], range(7)])
def test_a_call_that_the_store_refuses_fails_alone(any_url, places):
    bad = "\ud800" if any_url.startswith("sqlite") else "a\0b"
    bandit = opened(any_url)
    play(bandit, 3)
    calls = [
        Poison(bad) if number in places else Decide(request_id=f"r{number}") for number in range(7)
    ]
    began = time.monotonic()
    together.submitted(bandit, calls)
    assert time.monotonic() - began < 5.0  # nothing was waited for
    failed = [number for number, call in enumerate(calls) if call.error is not None]
    assert failed == list(places)
    assert not any(isinstance(call.error, StoreUnavailableError) for call in calls)
    for number, call in enumerate(calls):
        if number not in places:
            assert bandit.decide(request_id=f"r{number}") == call.value
    assert bandit.summary().decisions == 3 + 7 - len(failed)
    require_whole(bandit)


class Hours:
    """A clock that moves when somebody sleeps, or by hand."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Lookup(Call):
    """A call that notes when it got its answer."""

    writes = False

    def __init__(self, clock):
        super().__init__()
        self.clock, self.since = clock, clock.now

    def plan(self, replica, memory, time):
        return Reply(None)

    def fail(self, error):
        super().fail(error)
        self.failed_after = self.clock.now - self.since


@pytest.fixture
def hanging(url, monkeypatch):
    """A log whose store is away, and the clock; each attempt takes a quarter of a second."""
    clock = Hours()
    for module in ("_shared_log", "stores._patience"):
        monkeypatch.setattr(f"lowbid.shared.{module}.time", clock)
    log = opened(url, patience=10.0)._log

    def attempt(calls, patience):
        clock.sleep(0.25)
        for what in log.meanwhile:
            what()
        raise StoreUnavailableError("the store is away")

    monkeypatch.setattr(log, "_attempt", attempt)
    log.meanwhile = []
    return log, clock


def test_a_call_waits_for_those_before_it_within_its_own_patience(hanging):
    log, clock = hanging
    later = []

    def arrive():
        if clock.now > 104.0 + 3.0 * len(later) and len(later) < 2:
            later.append(Lookup(clock))

    log.meanwhile.append(arrive)
    first = Lookup(clock)
    log.carry_out([first])
    assert 10.0 <= first.failed_after <= 11.5
    log.meanwhile.clear()
    later.append(Lookup(clock))
    assert len({call.since for call in later}) == 3
    log.carry_out(later)
    for call in later:
        assert isinstance(call.error, StoreUnavailableError)
        assert 9.9 <= call.failed_after <= 11.5
    assert clock.now - first.since < 10.0 + 10.0 + 2.0


def test_a_call_that_waited_while_nothing_ran_has_its_patience_left(hanging):
    log, clock = hanging
    call = Lookup(clock)
    clock.now += 3600.0  # the process was stopped
    log.carry_out([call])
    assert call.failed_after >= 3610.0

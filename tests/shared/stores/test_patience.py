import contextlib
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import lowbid
from lowbid.errors import StoreUnavailableError
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._sqlite_connection import FileConnection


def steps(clock, patience, *seconds, longest=0.1):
    """After which step of so many seconds the limit is reached."""
    for number, step in enumerate(seconds, 1):
        clock.now += step
        if patience.is_over(longest):
            return number
    return None


def test_steps_add_up(clock):
    assert steps(clock, Patience(1.0), 0.25, 0.25, 0.25, 0.25) == 4


def test_a_step_in_which_the_process_did_not_run_is_not_counted(clock):
    assert steps(clock, Patience(1.0), 0.25, 60.0, 0.25, 0.25, 0.25) == 5


def test_a_step_that_is_a_little_late_is_counted(clock):
    assert steps(clock, Patience(1.0), 1.05) == 1
    assert steps(clock, Patience(10.0), 10.9, longest=10.0) == 1


def test_steps_that_always_take_too_long_are_counted_from_the_second_on(clock):
    assert steps(clock, Patience(10.0), 25.0, 25.0, 25.0, longest=10.0) == 2


def test_no_patience(clock):
    assert steps(clock, Patience(0.0), 0.0) == 1


def test_work_on_much_data_does_not_count_until_something_fails(clock):
    patience = Patience(10.0)
    for _ in range(5):
        with patience.extended(60.0):
            assert steps(clock, patience, 30.0, longest=30.0) is None
            assert patience.left == 30.0
    assert patience.left == 10.0
    assert not patience.ends_after_failure(10.0)
    with patience.extended(60.0):
        assert steps(clock, patience, 4.0, 4.0, 4.0, longest=10.0) == 3


def test_work_on_much_data_that_fails_counts(clock):
    patience = Patience(10.0)
    with contextlib.suppress(OSError), patience.extended(20.0):
        assert steps(clock, patience, 15.0, longest=20.0) is None
        raise OSError
    assert patience.left == 5.0


def away(monkeypatch, times):
    """Let a store be out of reach when it is connected to, so many times."""
    left, connect = [times], FileConnection._connect

    def connected(store):
        left[0] -= 1
        if left[0] >= 0:
            raise StoreUnavailableError("away")
        return connect(store)

    monkeypatch.setattr(FileConnection, "_connect", connected)


def test_opening_waits_for_a_store_that_is_away(url, monkeypatch):
    away(monkeypatch, 2)
    assert lowbid.open(url, "b", arms=2).decide().arm in (0, 1)
    away(monkeypatch, 1)
    assert lowbid.open(url, "b").decide().arm in (0, 1)
    away(monkeypatch, 1)
    assert [found.name for found in lowbid.stores.list(url)] == ["b"]


def test_opening_gives_up_when_patience_is_over(url, monkeypatch):
    away(monkeypatch, 1000)
    with pytest.raises(StoreUnavailableError, match="away"):
        lowbid.open(url, "b", arms=2, patience=0.2)


WAITS = """
import lowbid, sys
bandit = lowbid.open(sys.argv[1], "b", patience=1.0)
print("ready", flush=True)
sys.stdin.readline()
print("waits", flush=True)
bandit.decide()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process is stopped here")
def test_a_process_that_was_stopped_does_not_give_up_when_it_goes_on(url):
    lowbid.open(url, "b", arms=2, reward_range=(0, 1)).close()
    command = [sys.executable, "-c", WAITS, url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"waits\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.2)
        other.execute("ROLLBACK")
        other.close()
        assert process.wait(20) == 0

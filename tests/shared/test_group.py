import threading
import time

import pytest

from lowbid.shared._calls import Look
from lowbid.shared._group import GroupCommit


def calls_of(count):
    return [Look(lambda *_: None) for _ in range(count)]


def submitted(group, calls):
    """Submit each call from a thread of its own; what each thread got."""
    got = [None] * len(calls)

    def run(place):
        try:
            got[place] = group.submit(calls[place])
        except BaseException as error:
            got[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return got


def test_calls_that_come_meanwhile_go_together():
    batches = []

    def carry_out(batch):
        time.sleep(0.02)
        batches.append(len(batch))
        for call in batch:
            call.succeed("done")

    group = GroupCommit(carry_out)
    assert submitted(group, calls_of(20)) == ["done"] * 20
    assert sum(batches) == 20
    assert len(batches) < 10
    assert not group.busy


def test_the_calls_of_others_survive_a_leader_that_fails():
    failures = [MemoryError("first"), MemoryError("second")]

    def carry_out(batch):
        time.sleep(0.01)
        if failures:
            raise failures.pop()
        for call in batch:
            call.succeed("done")

    got = submitted(GroupCommit(carry_out), calls_of(8))
    assert got.count("done") == 6
    assert sum(isinstance(each, MemoryError) for each in got) == 2


def test_an_error_is_raised_where_it_belongs():
    def carry_out(batch):
        for call in batch:
            call.fail(KeyError("mine"))

    with pytest.raises(KeyError, match="mine"):
        GroupCommit(carry_out).submit(calls_of(1)[0])


def test_calls_of_one_thread_go_together():
    batches = []

    def carry_out(batch):
        batches.append(len(batch))
        for call in batch:
            call.succeed(len(batches))

    group, calls = GroupCommit(carry_out), calls_of(5)
    group.submit_all(calls)
    assert batches == [5]
    assert all(call.done for call in calls)

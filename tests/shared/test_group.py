import asyncio
import threading
import time

import pytest

import lowbid
import together
from lowbid.shared import Decide, answering
from lowbid.shared._calls import Call, Reply
from lowbid.shared._group import GroupCommit


class Plain(Call):
    def plan(self, replica, memory, time):
        return Reply(None)


def test_calls_of_an_event_loop_are_carried_out_together():
    batches = []

    def carry_out(calls):
        batches.append(list(calls))
        for number, call in enumerate(calls):
            call.succeed(number)

    calls = together.carried_out(GroupCommit(carry_out), plain(5))
    assert batches == [calls]
    assert [call.future.result() for call in calls] == [0, 1, 2, 3, 4]


def test_an_error_of_one_call_is_kept_with_it():
    def carry_out(calls):
        for number, call in enumerate(calls):
            call.fail(ValueError(number)) if number == 1 else call.succeed(number)

    calls = together.carried_out(GroupCommit(carry_out), plain(3))
    assert [call.value for call in calls] == [0, None, 2]
    assert isinstance(calls[1].future.exception(), ValueError)


def test_what_a_commit_for_event_loops_raises_is_the_error_of_their_calls():
    failures = [RuntimeError("the store is gone")]

    def carry_out(calls):
        calls[0].succeed("done")
        if failures:
            raise failures.pop()
        calls[-1].succeed("done")

    group = GroupCommit(carry_out)
    first, *rest = together.carried_out(group, plain(3))
    assert first.value == "done"
    assert [str(call.error) for call in rest] == ["the store is gone"] * 2
    assert not group.busy
    assert group.submit(Plain()) == "done"


def test_threads_and_event_loops_wait_for_each_other():
    lock = threading.Lock()

    def carry_out(calls):
        assert lock.acquire(blocking=False)  # one leader at a time
        for call in calls:
            call.succeed(1)
        lock.release()

    group, total = GroupCommit(carry_out), []

    async def several():
        for _ in range(200):
            total.append(sum(await asyncio.gather(*map(group.submit_async, plain(3)))))

    def work(number):
        if number % 2:
            asyncio.run(several())
            return
        for _ in range(200):
            total.append(group.submit(Plain()))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert sum(total) == 3 * 200 * (1 + 3)
    assert not group.busy


def test_calls_that_come_from_a_loop_during_a_commit_share_the_next_one():
    go, sizes = threading.Event(), []

    def carry_out(calls):
        go.wait(10)
        sizes.append(len(calls))
        for call in calls:
            call.succeed(len(sizes))

    async def work():
        group = GroupCommit(carry_out)
        first = group.submit_async(Plain())
        await asyncio.sleep(0.05)
        rest = [group.submit_async(call) for call in plain(20)]
        go.set()
        return await asyncio.gather(first, *rest)

    assert asyncio.run(work()) == [1] + [2] * 20
    assert sizes == [1, 20]


def test_an_answer_that_nobody_waits_for_any_more_is_dropped():
    go = threading.Event()

    def carry_out(calls):
        go.wait(10)
        for call in calls:
            call.succeed("done")

    async def work(group):
        gone, there = group.submit_async(Plain()), group.submit_async(Plain())
        gone.cancel()
        go.set()
        return await there

    group = GroupCommit(carry_out)
    assert asyncio.run(work(group)) == "done"

    async def leave():
        group.submit_async(Plain())
        go.clear()
        group.submit_async(Plain())

    asyncio.run(leave())  # the loop is closed before the commit
    go.set()
    assert group.submit(Plain()) == "done"


def test_the_thread_that_commits_for_event_loops_ends_when_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr("lowbid.shared._group._IDLE", 0.01)
    group = GroupCommit(counting([]))
    for _ in range(3):
        together.carried_out(group, plain(2))
        thread = group._thread
        if thread is not None:
            thread.join(20)
        assert group._thread is None
    assert not group.busy


@pytest.mark.parametrize("several", [1, 3])
def test_a_bandit_answers_calls_together(url, several):
    bandit = lowbid.open(url, "shop", arms=["a", "b"], reward_range=(0, 1))
    calls = [Decide(request_id=f"request {i}") for i in range(several)]
    together.submitted(bandit, calls)
    decisions = [call.value for call in calls]
    assert len({decision.id for decision in decisions}) == several
    report = answering([decision.id for decision in decisions], rewards=[1.0] * several)
    together.submitted(bandit, [report])
    assert report.value == [None] * several
    assert sum(bandit.counts().values()) == several


def plain(count):
    return [Plain() for _ in range(count)]


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
    assert submitted(group, plain(20)) == ["done"] * 20
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

    got = submitted(GroupCommit(carry_out), plain(8))
    assert got.count("done") == 6
    assert sum(isinstance(each, MemoryError) for each in got) == 2


def test_an_error_is_raised_where_it_belongs():
    def carry_out(batch):
        for call in batch:
            call.fail(KeyError("mine"))

    with pytest.raises(KeyError, match="mine"):
        GroupCommit(carry_out).submit(Plain())


def counting(batches):
    def carry_out(batch):
        batches.append(len(batch))
        for call in batch:
            call.succeed("done")

    return carry_out


def test_threads_that_are_expected_back_are_waited_for_and_the_last_one_leads():
    batches = []
    group = GroupCommit(counting(batches))
    group._expected, group._pause = 3, 60.0  # nobody has that much time
    assert submitted(group, plain(3)) == ["done"] * 3
    assert batches == [3]


def test_threads_that_do_not_come_back_are_not_waited_for_twice():
    batches = []
    group = GroupCommit(counting(batches))
    group._expected, group._pause = 3, 0.01
    assert group.submit(Plain()) == "done"
    group._pause = 60.0
    assert group.submit(Plain()) == "done"
    assert batches == [1, 1]


class SlowClock:
    """A clock by which a commit takes ten minutes, although nobody has to wait for it."""

    def __init__(self):
        self.seconds = 0.0

    def monotonic(self):
        return 0.0

    def perf_counter(self):
        self.seconds += 600.0
        return self.seconds


def test_whoever_comes_first_waits_for_the_others_of_the_last_commit(monkeypatch):
    monkeypatch.setattr("lowbid.shared._group.time", SlowClock())
    group = GroupCommit(counting([]))
    group._expected, group._pause = 2, 60.0
    assert submitted(group, plain(2)) == ["done"] * 2  # which are expected back
    first = threading.Thread(target=group.submit, args=plain(1))
    first.start()
    while first.is_alive() and not group.busy:
        time.sleep(0.001)
    assert group.submit(Plain()) == "done"
    first.join(20)
    assert group.sizes == {2: 2}


def test_threads_are_waited_for_longer_when_all_came_back_last_time(monkeypatch):
    monkeypatch.setattr("lowbid.shared._group.time", SlowClock())
    group, pauses = GroupCommit(counting([])), []
    for expected, come in [(2, 2), (3, 2), (2, 2), (1, 1)]:
        group._expected, group._pause = expected, 0.05 if come < expected else 60.0
        submitted(group, plain(come))
        pauses.append(group._pause)
    assert pauses == [1200.0, 150.0, 1200.0, 150.0]


class InterruptedWait:
    """The lock of a call whose thread gets Ctrl-C while it waits."""

    def __init__(self):
        self.now = threading.Event()

    def locked(self):
        return True

    def release(self):
        pass

    def acquire(self, timeout=-1):
        assert self.now.wait(20)
        raise KeyboardInterrupt


def test_a_thread_that_is_interrupted_while_it_waits_does_not_keep_others_asleep():
    interrupted = Plain()
    interrupted.wake = InterruptedWait()

    def carry_out(batch):
        interrupted.wake.now.set()
        first.join(20)
        for call in batch:
            call.succeed("done")

    def wait_in_vain():
        with pytest.raises(KeyboardInterrupt):
            group.submit(interrupted)

    group = GroupCommit(carry_out)
    group._expected, group._pause = 5, 60.0
    first = threading.Thread(target=wait_in_vain)
    first.start()
    while not group.busy:
        time.sleep(0.001)
    assert submitted(group, plain(4)) == ["done"] * 4
    assert not first.is_alive()
    assert interrupted.left
    assert not group.busy


def test_a_thread_that_is_interrupted_while_it_leads_takes_its_call_along():
    class Interrupted:
        def acquire(self, timeout=-1):
            raise KeyboardInterrupt

    interrupted, batches = Plain(), []
    interrupted.wake = Interrupted()
    group = GroupCommit(counting(batches))
    group._expected, group._pause = 2, 60.0
    with pytest.raises(KeyboardInterrupt):
        group.submit(interrupted)
    group._expected = 1
    assert group.submit(Plain()) == "done"
    assert batches == [1]


def test_an_interrupt_of_a_leader_leaves_a_group_that_works():
    interrupts = [KeyboardInterrupt()]

    def carry_out(batch):
        if interrupts:
            raise interrupts.pop()
        for call in batch:
            call.succeed("done")

    group = GroupCommit(carry_out)
    with pytest.raises(KeyboardInterrupt):
        group.submit(Plain())
    assert not group.busy
    assert submitted(group, plain(2)) == ["done"] * 2


def test_threads_that_come_back_share_one_commit():
    def carry_out(calls):
        time.sleep(0.04)
        for call in calls:
            call.succeed(None)

    group, threads = GroupCommit(carry_out), 4

    def come_back():
        for _ in range(12):
            group.submit(Plain())

    workers = [threading.Thread(target=come_back) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert group.sizes.get(1, 0) <= 4  # a leader that waits for nobody is alone in every other one


def test_calls_of_a_thread_that_is_gone_do_not_keep_the_next_one_asleep():
    group, (gone, gone_too, waiting) = GroupCommit(counting([])), plain(3)
    gone.left = gone_too.left = True
    group._asleep.extend([gone, gone_too, waiting])
    group._wake_next()
    assert not waiting.wake.locked()
    assert not group._asleep

import asyncio
import threading

import pytest

import lowbid
from lowbid.errors import StoreUnavailableError
from lowbid.service._lane import Lane
from lowbid.shared._calls import Decide


class Carrier:
    """A bandit that takes calls, and waits for a sign before it answers them."""

    name = "checkout"

    def __init__(self):
        self.sizes, self.go = [], threading.Event()

    def submit_all(self, calls):
        self.go.wait(10)
        self.sizes.append(len(calls))
        for call in calls:
            call.succeed(len(self.sizes))


def test_calls_that_come_during_a_commit_share_the_next_one():
    carrier = Carrier()
    lane = Lane(carrier)

    async def work():
        first = asyncio.create_task(lane.submit(Decide(None, None, None)))
        await asyncio.sleep(0.05)
        rest = [asyncio.create_task(lane.submit(Decide(None, None, None))) for _ in range(20)]
        await asyncio.sleep(0)
        carrier.go.set()
        return await asyncio.gather(first, *rest)

    assert asyncio.run(work()) == [1] + [2] * 20
    assert carrier.sizes == [1, 20]
    lane.close()


def test_a_lane_that_closes_finishes_what_was_submitted_and_takes_no_more():
    carrier = Carrier()
    lane = Lane(carrier)

    async def work():
        tasks = [asyncio.create_task(lane.submit(Decide(None, None, None))) for _ in range(5)]
        await asyncio.sleep(0.05)
        closing = asyncio.get_running_loop().run_in_executor(None, lane.close)
        await asyncio.sleep(0.05)
        with pytest.raises(StoreUnavailableError, match="send the request again"):
            await lane.submit(Decide(None, None, None))
        carrier.go.set()
        await closing
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(work())) == 5
    assert not any("lane" in thread.name for thread in threading.enumerate())


def test_an_error_of_one_call_is_its_own(tmp_path):
    bandit = lowbid.open(f"sqlite:///{tmp_path}/shop.db", "checkout", ["a", "b"], kind="loss")
    lane = Lane(bandit)

    class Broken(Decide):
        def plan(self, replica, memory, time):
            raise lowbid.errors.InvalidValueError("no")

    async def work():
        calls = [Decide(None, None, None), Broken(None, None, None), Decide(None, None, None)]
        return await asyncio.gather(*map(lane.submit, calls), return_exceptions=True)

    good, bad, fine = asyncio.run(work())
    assert {good.arm, fine.arm} <= {"a", "b"}
    assert str(bad) == "no"
    lane.close()
    bandit.close()

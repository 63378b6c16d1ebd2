"""A bandit on SQLite in a process that forks: what was acknowledged stays, and both continue."""

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import time
import weakref

import pytest

import lowbid
from lowbid.errors import StoreError
from seen_from_outside import requests_in

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")

ARMS = ["x", "y", "z"]


def opened(url, **more):
    return lowbid.open(url, "b", ARMS, reward_range=(0, 1), **more)


def forked(work):
    """A child that does some work; its exit code is 0 if nothing was raised."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    return child


def require_success(*children):
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)


def decide_all(bandit, requests):
    for request in requests:
        bandit.decide(request_id=request)


@pytest.mark.parametrize("again", [False, True])
def test_what_a_child_was_told_survives_its_parents_close(any_url, again):
    bandit = opened(any_url)
    decide_all(bandit, ["parent"])
    (told, tell), (closed, say_closed) = os.pipe(), os.pipe()
    before, after = [f"before-{n}" for n in range(3)], [f"after-{n}" for n in range(20)]

    def work():
        here = lowbid.open(any_url, "b") if again else bandit
        decide_all(here, before)
        os.write(tell, b".")
        os.read(closed, 1)
        decide_all(here, after)

    child = forked(work)
    os.close(tell)  # so that reading ends if the child fails
    os.read(told, 1)
    bandit.close()
    os.write(say_closed, b".")
    require_success(child)
    for end in (told, closed, say_closed):
        os.close(end)
    assert requests_in(any_url) == ["parent", *before, *after]


def test_forks_while_threads_commit(any_url):
    bandit = opened(any_url)
    stop, made, children = threading.Event(), [], []

    def commit(thread):
        while not stop.is_set():
            request = f"{thread}-{len(made)}"
            bandit.decide(request_id=request)
            made.append(request)

    threads = [threading.Thread(target=commit, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for number in range(8):
        time.sleep(0.03)
        requests = [f"child-{number}-{turn}" for turn in range(3)]
        children.append(forked(lambda requests=requests: decide_all(bandit, requests)))
        made.extend(requests)
    stop.set()
    for thread in threads:
        thread.join()
    bandit.close()
    require_success(*children)
    assert set(requests_in(any_url)) == set(made)


def test_threads_that_a_child_starts_at_once(any_url):
    bandit = opened(any_url)
    bandit.decide()

    def play(name):
        decide_all(bandit, [f"{os.getpid()}-{name}-{turn}" for turn in range(3)])

    def work():
        threads = [threading.Thread(target=play, args=(name,)) for name in "abcdef"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    require_success(*[forked(work) for _ in range(3)])
    assert len(set(requests_in(any_url))) == 3 * 6 * 3


def test_pools_of_forked_processes(any_url):
    bandit = opened(any_url)
    requests = [f"job-{n}" for n in range(12)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        pool.starmap(_decide_in_pool, [(any_url, request) for request in requests])
    assert bandit.decide() is not None
    assert set(requests_in(any_url)) == set(requests)


def _decide_in_pool(url, request):
    lowbid.open(url, "b").decide(request_id=request)


@pytest.mark.parametrize("again", [False, True])
def test_a_fork_while_the_forking_thread_reads_the_log(url, again):
    bandit = opened(url)
    bandit.decide(2)
    bandit.decide()
    entries = bandit.log()
    next(entries)

    def work():
        with pytest.raises(StoreError, match="at the moment of the fork"):
            (lowbid.open(url, "b") if again else bandit).decide()

    began = time.monotonic()
    require_success(forked(work))
    assert time.monotonic() - began < 5.0  # it did not wait for itself
    assert len(list(entries)) == 2  # the parent reads on
    bandit.decide(request_id="parent")
    require_success(forked(lambda: bandit.decide(request_id="child")))
    assert requests_in(url) == ["parent", "child"]


def test_a_fork_after_closing(url):
    bandit = opened(url)
    bandit.close()
    require_success(forked(lambda: bandit.decide(request_id="child")))
    bandit.decide(request_id="parent")
    assert requests_in(url) == ["child", "parent"]


def test_commits_of_parent_and_child_have_names_of_their_own(any_url):
    bandit = opened(any_url)
    bandit.decide()
    require_success(forked(bandit.decide))
    bandit.decide()
    names = [row.batch for row in bandit._log.read(0)]
    assert len(set(names)) == len(names) == 4


def test_forks_keep_no_bandit_alive(url):
    bandit = opened(url)
    bandit.decide()
    references = [weakref.ref(bandit), weakref.ref(bandit._log.store)]
    del bandit
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_a_forked_process_does_not_keep_the_locks_of_its_killed_parent(any_url):
    bandit = opened(any_url, patience=3.0)
    (told, tell), (end, ends) = os.pipe(), os.pipe()
    parent = os.fork()
    if parent == 0:
        here = lowbid.open(any_url, "b")
        with here._log.store.transaction(write=True) as transaction:
            transaction.lock(here._log.bandit)
            if os.fork() == 0:
                os.close(ends)
                os.write(tell, b".")
                os.read(end, 1)  # until the test is over
                os._exit(0)
            signal.pause()
    os.read(told, 1)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    assert bandit.decide() is not None
    for each in (told, tell, end, ends):
        os.close(each)

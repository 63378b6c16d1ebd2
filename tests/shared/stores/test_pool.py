"""Bandits of a store share a few connections."""

import contextlib
import gc
import os
import threading
import time

import pytest

import lowbid
from lowbid.errors import StoreUnavailableError
from lowbid.shared.stores import _pool
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._pool import MOST, Pool, pool_of


class Plain:
    def __init__(self):
        self.closed = self.abandoned = 0

    def close(self):
        self.closed += 1

    def abandon(self):
        self.abandoned += 1


class User:
    """Somebody who uses a pool."""


@pytest.fixture
def pool():
    return Pool("sqlite:///shop.db", Plain)


def lend(pool, stack, user=None, patience=0.1):
    return stack.enter_context(pool.lent(user or User(), Patience(patience)))


def test_a_connection_that_comes_back_is_lent_again(pool):
    user = User()
    with contextlib.ExitStack() as stack:
        first = lend(pool, stack, user)
        second = lend(pool, stack, user)
        assert first is not second
    assert sorted(map(id, pool.idle)) == sorted([id(first), id(second)])
    with contextlib.ExitStack() as stack:
        assert lend(pool, stack, user) in (first, second)
    assert first.closed == second.closed == 0


def test_there_are_no_more_than_a_few(pool):
    user = User()
    with contextlib.ExitStack() as stack:
        lent = [lend(pool, stack, user) for _ in range(MOST)]
        with pytest.raises(StoreUnavailableError, match=rf"all {MOST} .*shop\.db.* for 0\.1 s"):
            lend(pool, stack, user)
    assert len(set(lent)) == MOST
    with contextlib.ExitStack() as stack:
        assert {lend(pool, stack, user) for _ in range(MOST)} == set(lent)


def test_a_call_that_waits_gets_the_next_free_one(pool):
    user, got = User(), []

    def wait():
        with contextlib.ExitStack() as stack:
            got.append(lend(pool, stack, user, patience=20.0))

    with contextlib.ExitStack() as stack:
        lent = [lend(pool, stack, user) for _ in range(MOST)]
        thread = threading.Thread(target=wait)
        thread.start()
        while not pool._waiting:
            time.sleep(0.001)
    thread.join(20)
    assert got[0] in lent
    assert len(pool.idle) == MOST


def test_one_that_never_comes_back_is_replaced_once_nobody_has_it(pool):
    user = User()
    with contextlib.ExitStack() as stack:
        for _ in range(MOST - 1):
            lend(pool, stack, user)
        lost = pool._free()  # as an interrupt leaves it
        with pytest.raises(StoreUnavailableError):
            lend(pool, stack, user)
        del lost
        gc.collect()
        assert lend(pool, stack, user) is not None


def test_none_is_kept_when_all_users_are_done(pool):
    first, second = User(), User()
    with contextlib.ExitStack() as stack:
        one, other = lend(pool, stack, first), lend(pool, stack, second)
    pool.leave(first)
    assert one.closed == other.closed == 0
    with contextlib.ExitStack() as stack:
        assert lend(pool, stack, second) in (one, other)
        pool.leave(second)
    assert (one.closed, other.closed) == (1, 1)
    assert pool.idle == []


def test_there_is_one_pool_for_a_key_as_long_as_somebody_has_it():
    first = pool_of("key", "x", Plain)
    assert pool_of("key", "x", Plain) is first
    assert pool_of("other", "x", Plain) is not first
    del first
    gc.collect()
    assert "key" not in _pool._POOLS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_leaves_all_connections_to_its_parent(pool):
    user = User()
    with contextlib.ExitStack() as stack:
        lent, idle = lend(pool, stack, user), Plain()
        pool.idle.append(idle)
        child = os.fork()
        if child == 0:
            good = (lent.abandoned, idle.abandoned, pool.idle) == (1, 1, [])
            with contextlib.ExitStack() as there:
                good &= len({lend(pool, there, user) for _ in range(MOST)}) == MOST
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert (lent.abandoned, idle.abandoned) == (0, 0)


def connections_of(bandits):
    return {id(bandit._log.store._pool) for bandit in bandits}, bandits[0]._log.store._pool


def test_many_bandits_use_one_file_at_once(url):
    """Each had a connection of its own: with the usual limit of 1,024 files, 509 were the most."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    bandits = [lowbid.open(url, "0", ["a", "b"], reward_range=(0, 1))]
    used = len(os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 4 * MOST, before[1]))
    try:
        bandits += [lowbid.open(url, str(n), 2, reward_range=(0, 1)) for n in range(1, 60)]
        threads = [threading.Thread(target=bandit.decide) for bandit in bandits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert [bandit.summary().decisions for bandit in bandits] == [1] * 60
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    pools, pool = connections_of(bandits)
    assert len(pools) == 1
    assert 1 <= len(pool.idle) <= MOST
    for bandit in bandits:
        bandit.close()
    assert pool.idle == []


@pytest.mark.slow
def test_many_bandits_need_few_connections_to_a_server(postgresql_url):
    import psycopg

    bandits = [lowbid.open(postgresql_url, str(n), 2, reward_range=(0, 1)) for n in range(120)]
    for bandit in bandits:
        bandit.update(bandit.decide(), reward=1.0)
    threads = [threading.Thread(target=bandit.decide) for bandit in bandits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {bandit.summary().decisions for bandit in bandits} == {2}
    with psycopg.connect(postgresql_url) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert connection.execute(query).fetchone()[0] <= MOST + 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_bandits_of_one_pool_go_on_in_both_processes(any_url):
    bandits = [lowbid.open(any_url, name, 2, reward_range=(0, 1)) for name in "ab"]
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            for bandit in bandits * 5:
                bandit.decide()
            os._exit(0)
        os._exit(1)
    for bandit in bandits * 5:
        bandit.decide()
    assert os.waitpid(child, 0)[1] == 0
    assert [bandit.summary().decisions for bandit in bandits] == [10, 10]

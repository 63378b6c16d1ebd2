"""Logs that are sent while they are read, and clients that do not read them."""

import contextlib
import json
import socket
import time

import pytest

import lowbid
import together
from lowbid.errors import StoreUnavailableError
from lowbid.service import Limits, _line_streams, create_app
from lowbid.shared import Decide, SharedBandit
from lowbid.shared.stores.sqlite import SQLiteStore
from service.conftest import Shop, running

EVENTS = 1200  # of 6 kB each: more than fits into one portion, and into the buffers of the system


def with_long_log(url):
    bandit = lowbid.open(url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    together.submitted(bandit, [Decide(100) for _ in range(EVENTS)])
    bandit.close()


@contextlib.contextmanager
def busy(url, **limits):
    """A server with a long log, and with these limits."""
    with_long_log(url)
    limits = Limits(**limits)
    with running(create_app(url, limits=limits), limits=limits) as address:
        shop = Shop(url, address)
        yield shop
        shop.close()


@contextlib.contextmanager
def unread(shop):
    """A log whose first bytes were received; the rest is not read."""
    host, port = shop.address.removeprefix("http://").split(":")
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        found.settimeout(10)
        found.connect((host, int(port)))
        ask = f"GET /v1/experiments/checkout/log HTTP/1.1\r\nHost: {host}\r\n"
        found.sendall(f"{ask}Authorization: Bearer {shop.keys['read']}\r\n\r\n".encode())
        yield found.recv(12)


def test_a_log_in_portions_is_the_log(shop, monkeypatch):
    monkeypatch.setattr(_line_streams, "_LINES", 7)
    path = "/v1/experiments/checkout"
    for count in (0, 4, 3, 20):  # a portion that is not full, two full ones, more than that
        for _ in range(count):
            shop.decide.post(f"{path}/decisions", json={})
        with contextlib.closing(lowbid.open(shop.url, "checkout")) as bandit:
            wanted = [entry.to_data() for entry in bandit.log()]
        for after in (0, 1, len(wanted) - 1, len(wanted)):
            lines = shop.read.get(f"{path}/log", params={"after": after}).text.splitlines()
            assert [json.loads(line) for line in lines] == wanted[after:]
        pending = shop.read.get(f"{path}/pending").text.splitlines()
        assert len(pending) == len(wanted) - 1


def test_streams_are_limited(url):
    path = "/v1/experiments/checkout"
    with busy(url, streams=3) as shop, contextlib.ExitStack() as stack:
        for _ in range(3):
            assert stack.enter_context(unread(shop)) == b"HTTP/1.1 200"
        for view in ("log", "pending"):
            refused = shop.read.get(f"{path}/{view}")
            assert refused.status_code == 503
            assert refused.json()["type"] == "urn:lowbid:problem:too-many-streams"
            assert refused.headers["Retry-After"] == "5"
        assert shop.read.get(path).status_code == 200


def read_in_the_end(shop):
    """The log, as soon as there is room for another stream."""
    until = time.monotonic() + 20.0
    path = "/v1/experiments/checkout/log"
    while (answer := shop.read.get(path)).status_code == 503 and time.monotonic() < until:
        time.sleep(0.05)
    return answer


def test_a_stream_that_nobody_reads_is_given_up(url):
    with busy(url, streams=1, write_seconds=0.6) as shop, unread(shop) as began:
        assert began == b"HTTP/1.1 200"
        assert len(read_in_the_end(shop).text.splitlines()) == EVENTS + 1


def test_a_client_that_goes_away_leaves_room(url):
    with busy(url, streams=1) as shop:
        with unread(shop) as began:
            assert began == b"HTTP/1.1 200"
        assert len(read_in_the_end(shop).text.splitlines()) == EVENTS + 1


def test_what_fails_before_the_first_line_is_a_problem(shop, monkeypatch):
    def log(self, after):
        raise StoreUnavailableError("the store cannot be reached.")
        yield

    monkeypatch.setattr(SharedBandit, "log", log)
    for _ in range(2 * Limits().streams):  # and no stream is left over
        answer = shop.read.get("/v1/experiments/checkout/log")
        assert answer.status_code == 503
        assert answer.json()["type"] == "urn:lowbid:problem:store-unavailable"


def test_nothing_is_open_in_the_store_between_two_portions(url, monkeypatch):
    stores, apart = [], SQLiteStore.apart
    monkeypatch.setattr(
        SQLiteStore, "apart", lambda store: stores.append(apart(store)) or stores[-1]
    )
    monkeypatch.setattr(_line_streams, "_LINES", 7)
    with contextlib.closing(lowbid.open(url, "checkout", arms=["blue", "green"])) as bandit:
        together.submitted(bandit, [Decide(1) for _ in range(20)])
        for _ in _line_streams.log_in_portions(bandit, 0):
            assert not any(store._pool.idle or store._pool._lent for store in stores)
    assert len(stores) == 4  # 21 events in portions of 7, and none after them


@pytest.mark.slow
def test_unread_logs_hold_no_connections_to_postgresql(postgresql_url):
    import psycopg

    with_long_log(postgresql_url)
    with running(create_app(postgresql_url, limits=Limits(streams=60))) as address:
        shop = Shop(postgresql_url, address)
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        with contextlib.ExitStack() as stack, psycopg.connect(postgresql_url) as connection:
            assert shop.read.get("/v1/experiments/checkout").status_code == 200
            [before] = connection.execute(query).fetchone()
            for _ in range(60):
                assert stack.enter_context(unread(shop)) == b"HTTP/1.1 200"
            until = time.monotonic() + 10.0  # the last ones may still be reading
            while time.monotonic() < until:
                connection.rollback()  # the view is that of the transaction's begin
                [found] = connection.execute(query).fetchone()
                if found <= before:
                    break
                time.sleep(0.05)
            assert found <= before
        shop.close()

import contextlib
import threading
import time

import httpx
import pytest

from lowbid.service import Limits, create_app
from lowbid.service.api_keys import make_key
from lowbid.service.server import server_of
from lowbid.shared.stores import store_at


@contextlib.contextmanager
def running(app, **settings):
    """A server of this app on a port of its own; gives its address."""
    server = server_of(app, "127.0.0.1", 0, log_level="warning", lifespan="on", **settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(1000):
        if server.started:
            break
        time.sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


class Shop:
    """A server with one experiment, and clients with keys of each role."""

    def __init__(self, url, address):
        self.url, self.address = url, address
        store = store_at(url)
        self.keys = {role: make_key(store, role, [role]) for role in ("decide", "read", "admin")}
        store.close()
        self.nobody = httpx.Client(base_url=address)
        self.decide, self.read, self.admin = (
            httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"})
            for key in self.keys.values()
        )

    def make(self, name="checkout", arms=("blue", "green"), **settings):
        body = {"name": name, "arms": list(arms), "reward_range": [0, 1], **settings}
        return self.admin.post("/v1/experiments", json=body)

    def close(self):
        for client in (self.nobody, self.decide, self.read, self.admin):
            client.close()


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/shop.db"


@pytest.fixture
def shop(url):
    limits = Limits(body_bytes=100_000, body_seconds=1.0, arms=50, outcomes=500, open_decisions=200)
    with running(create_app(url, limits=limits)) as address:
        shop = Shop(url, address)
        shop.make()
        yield shop
        shop.close()

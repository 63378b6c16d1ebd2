"""kill -9 of a server under load: nothing acknowledged is lost, nothing counts twice.

LOWBID_KILLS=200 kills it two hundred times.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

import lowbid
from lowbid.errors import LowbidError
from lowbid.service.api_keys import make_key
from lowbid.shared.stores import store_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX"),
]
KILLS = int(os.environ.get("LOWBID_KILLS", "5"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(url, port, *options):
    command = [sys.executable, "-m", "lowbid", "serve", "--store", url, "--port", str(port)]
    command += options
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def wait_until_ready(port):
    client = lowbid.Client(f"http://127.0.0.1:{port}", retries=0)
    for _ in range(600):
        try:
            client.send("GET", "/readyz")
            break
        except LowbidError:
            time.sleep(0.05)
    client.close()


class Visitor(threading.Thread):
    """Decides and reports as long as it may, and remembers what was acknowledged."""

    def __init__(self, port, key, stop):
        super().__init__(daemon=True)
        self.client = lowbid.Client(f"http://127.0.0.1:{port}", key, timeout=5.0, retries=300)
        self.stop, self.decided, self.taken = stop, {}, Counter()

    def run(self):
        bandit = self.client.bandit("checkout")
        while not self.stop.is_set():
            decision = bandit.decide()
            assert decision.id not in self.decided
            self.decided[decision.id] = decision.arm
            if bandit.update(decision, reward=1.0) in (None, "repeated"):  # its answer was lost
                self.taken[decision.arm] += 1
        self.client.close()


def test_a_killed_server_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("lowbid.client._FIRST_PAUSE", 0.05)
    monkeypatch.setattr("lowbid.client._LONGEST_PAUSE", 0.1)  # back before the next kill
    url, port, stop = f"sqlite:///{tmp_path}/shop.db", free_port(), threading.Event()
    key = make_key(store_at(url), "shop", ["decide"])
    bandit = lowbid.open(url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    visitors = [Visitor(port, key, stop) for _ in range(4)]
    server = start(url, port)
    wait_until_ready(port)
    for visitor in visitors:
        visitor.start()
    for kill in range(KILLS):
        time.sleep(0.2 + 0.037 * (kill % 7))
        server.send_signal(signal.SIGKILL)
        server.wait()
        server = start(url, port)
        wait_until_ready(port)
    stop.set()
    for visitor in visitors:
        visitor.join(60)
        assert not visitor.is_alive()
    server.terminate()
    assert server.wait(40) == 0
    taken = sum((visitor.taken for visitor in visitors), Counter())
    decided = [identity for visitor in visitors for identity in visitor.decided]
    assert len(decided) == len(set(decided)) > 4 * KILLS
    assert bandit.counts() == {"blue": taken["blue"], "green": taken["green"]}
    logged = {i for entry in bandit.log() for i in entry.fields.get("ids", [])}
    assert set(decided) <= logged
    bandit.close()


def test_of_two_servers_on_one_store_one_is_killed_and_the_other_goes_on(postgresql_url, tmp_path):
    """Both together, and then the one that is left, choose as one bandit alone does."""
    settings = {"arms": ["blue", "green", "red"], "reward_range": (0, 1), "seed": 7}
    lowbid.open(postgresql_url, "checkout", **settings).close()
    alone = lowbid.open(f"sqlite:///{tmp_path}/alone.db", "checkout", **settings)
    store = store_at(postgresql_url)
    key = make_key(store, "shop", ["decide", "read"])
    store.close()
    ports = [free_port(), free_port()]
    servers = [start(postgresql_url, port) for port in ports]
    for port in ports:
        wait_until_ready(port)
    clients = [lowbid.Client(f"http://127.0.0.1:{port}", key, retries=0) for port in ports]

    def step(number, client):
        """A decision and its outcome; of a request that got no answer, by its id again."""
        made = client.bandit("checkout").decide(request_id=f"visit {number}")
        expected = alone.decide()
        assert (made.arm, made.propensity) == (expected.arm, expected.propensity)
        reward = {"blue": 0.2, "green": 0.8, "red": number % 2}[made.arm]
        assert client.bandit("checkout").update(made, reward=reward) is None
        alone.update(expected, reward=reward)

    for number in range(30):
        step(number, clients[number % 2])
    killer = threading.Timer(0.03, servers[0].send_signal, [signal.SIGKILL])
    killer.start()
    lost = clients[0].bandit("checkout")
    answered = True
    while answered:  # the last request of the first server was carried out, or was not
        number += 1
        try:
            lost.decide(request_id=f"visit {number}")
        except LowbidError:
            answered = False
        step(number, clients[1])  # repeats it on the other server
    killer.join()
    assert servers[0].wait(10) == -signal.SIGKILL
    for further in range(number + 1, number + 31):
        step(further, clients[1])
    assert clients[1].bandit("checkout").counts() == alone.counts()
    servers[1].terminate()
    servers[1].wait(40)
    for client in clients:
        client.close()
    alone.close()

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
from lowbid.service._keys import make_key
from lowbid.shared.stores import store_at

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("LOWBID_KILLS", "5"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(url, port):
    command = [sys.executable, "-m", "lowbid", "serve", "--store", url, "--port", str(port)]
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
        self.client = lowbid.Client(f"http://127.0.0.1:{port}", key, timeout=5.0, retries=30)
        self.stop, self.decided, self.taken = stop, {}, Counter()

    def run(self):
        bandit = self.client.bandit("checkout")
        while not self.stop.is_set():
            decision = bandit.decide()
            assert decision.id not in self.decided
            self.decided[decision.id] = decision.arm
            if bandit.update(decision, reward=1.0) is None:
                self.taken[decision.arm] += 1
        self.client.close()


def test_a_killed_server_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("lowbid.client._FIRST_PAUSE", 0.05)
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
    assert server.wait(40) == -signal.SIGTERM  # uvicorn ends as the signal says, after its work
    taken = sum((visitor.taken for visitor in visitors), Counter())
    decided = [identity for visitor in visitors for identity in visitor.decided]
    assert len(decided) == len(set(decided)) > 4 * KILLS
    assert bandit.counts() == {"blue": taken["blue"], "green": taken["green"]}
    logged = {i for entry in bandit.log() for i in entry.fields.get("ids", [])}
    assert set(decided) <= logged
    bandit.close()

"""SIGTERM: what was accepted is finished, then the server stops."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

import lowbid
from lowbid.errors import LowbidError, ServiceError
from service.test_kill import free_port, start, wait_until_ready

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX"),
]


@pytest.fixture
def server(tmp_path):
    url, port = f"sqlite:///{tmp_path}/shop.db", free_port()
    bandit = lowbid.open(url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    process = start(url, port, "--no-keys")
    wait_until_ready(port)
    yield process, f"http://127.0.0.1:{port}", bandit, tmp_path / "shop.db"
    process.kill()
    process.wait()
    bandit.close()


def test_requests_that_wait_for_their_commit_are_answered_before_it_stops(server):
    process, address, bandit, file = server
    with lowbid.Client(address) as client:
        client.bandit("checkout").decide()  # the experiment is open
    answers = []

    def ask():
        with lowbid.Client(address, retries=0) as client:
            answers.append(client.bandit("checkout").decide(5))

    store = sqlite3.connect(file, isolation_level=None)
    store.execute("BEGIN IMMEDIATE")  # nobody else can commit
    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)  # now all of them are with the server
    assert answers == []
    process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert process.poll() is None
    with lowbid.Client(address, retries=0) as client, pytest.raises(ServiceError):
        client.bandit("checkout").decide()  # no further ones are accepted
    store.execute("COMMIT")
    store.close()
    for thread in threads:
        thread.join(20)
    assert process.wait(40) == 0
    assert [len(answer) for answer in answers] == [5] * 20
    made = {i for entry in bandit.log() for i in entry.fields.get("ids", [])}
    assert {each.id for answer in answers for each in answer} <= made


def test_sigterm_under_load(server):
    process, address, bandit, _ = server
    answered, unanswered, wrong = [], [], []

    def ask(number):
        client = lowbid.Client(address, retries=0)
        for visit in range(100_000):
            request = f"{number}-{visit}"
            try:
                decision = client.bandit("checkout").decide(request_id=request)
            except ServiceError as error:
                if "gave no answer" not in str(error):
                    wrong.append(error)
                unanswered.append(request)
                break
            except LowbidError as error:
                wrong.append(error)
                break
            answered.append((request, decision))
        client.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(40) == 0
    for thread in threads:
        thread.join(20)
    assert wrong == []
    assert len(answered) > 50
    for request, decision in answered:  # known again: it was kept before it was answered
        assert bandit.decide(request_id=request).id == decision.id


HANGS = """
import sys, threading
from lowbid.service import server

async def app(scope, receive, send):
    while scope["type"] == "lifespan":
        if (await receive())["type"] == "lifespan.startup":
            threading.Thread(target=threading.Event().wait).start()  # it is never joined
            await send({"type": "lifespan.startup.complete"})
        else:
            print("stopping", flush=True)
            threading.Event().wait()

server._PATIENCE, server._CLOSING = 1, 1
sys.exit(server.serve(app, "127.0.0.1", int(sys.argv[1])))
"""


def test_sigterm_ends_a_server_that_hangs():
    port = free_port()
    command = [sys.executable, "-c", HANGS, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for line in process.stderr:
            if b"Uvicorn running" in line:
                break
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == b"stopping\n"
        try:
            assert process.wait(20) == 1
        finally:
            process.kill()
        assert b"did not stop within 2 s" in process.stderr.read()

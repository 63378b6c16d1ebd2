"""What clients without a key can do with connections, headers and unread answers."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lowbid.service import Limits, create_app
from service.conftest import Shop, running
from service.test_kill import free_port, wait_until_ready

HEADER_BYTES, CONNECTIONS = 4096, 20
LIMITS = Limits(
    header_bytes=HEADER_BYTES, header_seconds=0.6, connections=CONNECTIONS, write_seconds=0.6,
    body_bytes=100_000, body_seconds=20.0,
)  # fmt: skip
START = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
# The parsers of uvicorn, each on another event loop.
WAYS = [(HttpToolsProtocol, "auto"), (H11Protocol, "asyncio")]


@pytest.fixture(params=WAYS, ids=["httptools", "h11"], scope="module")
def strict(request, tmp_path_factory):
    parser, loop = request.param
    url = f"sqlite:///{tmp_path_factory.mktemp('strict')}/shop.db"
    with running(
        create_app(url, limits=LIMITS), limits=LIMITS, parser=parser, loop=loop
    ) as address:
        shop = Shop(url, address)
        shop.make()
        yield shop
        shop.close()


@contextlib.contextmanager
def connected(address):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as found:
        yield found


def answer_of(connection):
    """All that the server sends until it closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    return found


def status_of(answer):
    return int(answer.split(b" ", 2)[1])


def problem_in(answer):
    assert b"application/problem+json" in answer
    return json.loads(answer.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("size", [1, 500, HEADER_BYTES + 1])
def test_a_header_has_a_largest_size(strict, size):
    long = START + b"X-Long: "
    for excess, status in ((0, 200), (1, 431)):
        with connected(strict.address) as sender:
            end = b"\r\nConnection: close\r\n\r\n"
            header = long + b"a" * (HEADER_BYTES + excess - len(long) - len(end)) + end
            if size == 1:  # the end of the header byte by byte, across the limit
                parts = [header[:-5], *(bytes([byte]) for byte in header[-5:])]
            else:
                parts = [header[i : i + size] for i in range(0, len(header), size)]
            for part in parts:
                sender.sendall(part)
                time.sleep(0.001)
            answer = answer_of(sender)
        assert status_of(answer) == status
    assert problem_in(answer)["type"] == "urn:lowbid:problem:header-too-large"
    assert "4,096 bytes" in problem_in(answer)["detail"]


@pytest.mark.parametrize(
    "start", [b"GET /", START + b"X: ", START], ids=["address", "line", "many"]
)
def test_an_endless_header_is_cut_off(strict, start):
    more = b"X: y\r\n" * 10_000 if start is START else b"a" * 60_000
    sent = 0
    with connected(strict.address) as sender:
        sender.sendall(start)
        with contextlib.suppress(OSError):
            while sent < 100_000_000:
                sent += sender.send(more)
    assert sent < 20_000_000  # what fits into the buffers of the system


def test_an_endless_body_is_cut_off_whether_or_not_it_is_read(strict):
    head = b"POST /v1/experiments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    key = f"Authorization: Bearer {strict.keys['admin']}\r\n".encode()
    for more in (b"", key):
        for chunk in (b"ffff\r\n" + b"a" * 0xFFFF + b"\r\n", b"0\r\nTrailer: " + b"a" * 60_000):
            sent = 0
            with connected(strict.address) as sender:
                sender.sendall(head + more + b"\r\n")
                with contextlib.suppress(OSError):
                    while sent < 100_000_000:
                        sent += sender.send(chunk)
                        chunk = b"a" * 60_000 if chunk.startswith(b"0\r\n") else chunk
            assert sent < 20_000_000


@pytest.mark.parametrize("start", [b"", b"GET /", START, START + b"\r\n" + START], ids=range(4))
def test_a_header_has_to_arrive_in_time(strict, start):
    with connected(strict.address) as sender:
        began = time.monotonic()
        sender.sendall(start)
        sender.settimeout(0.05)
        found = b""
        while time.monotonic() - began < 10:
            with contextlib.suppress(TimeoutError, ConnectionResetError):
                part = sender.recv(65536)
                if not part:
                    break
                found += part
            with contextlib.suppress(OSError):
                sender.sendall(b"a" if start else b"")  # a byte now and then does not help
    assert 0.5 < time.monotonic() - began < 5.0
    answers = found.split(b"HTTP/1.1 ")[1:]
    assert [int(answer[:3]) for answer in answers] == [200] * start.count(b"\r\n\r\n") + [408]


def test_unfinished_requests_keep_nobody_out(strict):
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(connected(strict.address)) for _ in range(3 * CONNECTIONS)]
        for each in waiting:
            with contextlib.suppress(OSError):  # those that had to make room
                each.sendall(START)
        for _ in range(5):
            with httpx.Client(base_url=strict.address) as client:
                assert client.get("/healthz").status_code == 200


def test_requests_in_progress_are_not_given_up_for_others(strict):
    head = (
        "POST /v1/experiments/checkout/decisions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Authorization: Bearer {strict.keys['decide']}\r\nExpect: 100-continue\r\n"
        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
    ).encode()
    with contextlib.ExitStack() as stack:
        working = [stack.enter_context(connected(strict.address)) for _ in range(CONNECTIONS)]
        for each in working:
            each.sendall(head)
            assert status_of(each.recv(4096)) == 100
        with connected(strict.address) as further:
            answer = answer_of(further)
        assert status_of(answer) == 503
        assert problem_in(answer)["type"] == "urn:lowbid:problem:too-many-connections"
        for each in working:
            each.sendall(b"{}")
        assert {status_of(answer_of(each)) for each in working} == {200}


def test_answers_that_nobody_reads_are_given_up(strict):
    ask = b"GET /static/page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(strict.address) as idle:
        idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        idle.settimeout(0.2)
        began, cut = time.monotonic(), False
        while not cut and time.monotonic() - began < 20:
            try:
                idle.sendall(ask)
            except TimeoutError:
                pass
            except OSError:
                cut = True
        assert cut
    assert strict.nobody.get("/healthz").status_code == 200


def test_requests_one_after_another_are_all_answered(strict):
    with connected(strict.address) as sender:
        sender.sendall((START + b"\r\n") * 300 + START + b"Connection: close\r\n\r\n")
        assert answer_of(sender).count(b"HTTP/1.1 200") == 301


def test_a_request_follows_a_body_that_was_refused_in_the_middle(strict):
    head = b"POST /v1/experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n"
    with connected(strict.address) as sender:
        sender.sendall(head + b" " * 10_000)
        assert status_of(sender.recv(65536)) == 401
        sender.sendall(b" " * 80_000 + START + b"Connection: close\r\n\r\n")
        assert answer_of(sender).count(b"HTTP/1.1 200") == 1


def test_a_large_body_is_no_header(strict):
    outcomes = [{"decision": "0-1", "reward": 1.0}] * 2_000
    answer = strict.decide.post("/v1/experiments/checkout/outcomes", json=outcomes)
    assert answer.json() == {"answers": ["unknown"] * 2_000}


def test_no_other_protocol_is_spoken(strict):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    assert strict.nobody.get("/healthz", headers=upgrade).status_code == 200


class Asker(threading.Thread):
    """Asks for the server's health, over and over, on new connections."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.stop = port, threading.Event()
        self.slowest, self.asked, self.failed = 0.0, 0, []

    def run(self):
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                answer = httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=60)
                if answer.status_code != 200:
                    self.failed.append(answer.status_code)
            except httpx.HTTPError as error:
                self.failed.append(error)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.asked += 1
            time.sleep(0.02)


def long_header(port, stack):
    """A header line of 128 MB; again and again, for 3 seconds, if it is cut off."""
    began = time.monotonic()
    while time.monotonic() - began < 3.0:
        sender = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        with contextlib.suppress(OSError):
            sender.sendall(START + b"X: ")
            for _ in range(2048):
                sender.sendall(b"a" * 65536)


def unfinished(port, stack):
    """1,100 requests that are never finished, of which some are kept up for 5 seconds."""
    senders = []
    for _ in range(1100):
        with contextlib.suppress(OSError):
            sender = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            sender.sendall(START + b"X: ")
            senders.append(sender)
    for _ in range(50):
        for sender in senders:
            with contextlib.suppress(OSError):
                sender.send(b"a")
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs limits on open files")
@pytest.mark.parametrize("attack", [long_header, unfinished])
def test_an_attack_without_a_key_stops_nobody(tmp_path, attack, capsys):
    port = free_port()
    serving = f"serve --store sqlite:///{tmp_path}/shop.db --port {port}"
    command = f"ulimit -n 1024; exec {sys.executable} -m lowbid {serving}"
    server = subprocess.Popen(["sh", "-c", command], stderr=subprocess.DEVNULL)
    asker = Asker(port)
    try:
        wait_until_ready(port)
        asker.start()
        with contextlib.ExitStack() as stack:
            attack(port, stack)
        asker.stop.set()
        asker.join(90)
    finally:
        server.kill()
        server.wait()
    with capsys.disabled():
        print(f"\n{attack.__name__}: {asker.asked} asked, slowest {asker.slowest:.3f} s")
    assert asker.failed == []
    assert asker.slowest < 2.0

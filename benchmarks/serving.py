"""Decisions over HTTP compared with an empty handler: requests per second, and latency.

    python -m benchmarks.serving                      # SQLite, in about a minute
    python -m benchmarks.serving --postgresql URL     # and PostgreSQL
    python -m benchmarks.serving --folder /dev/shm    # without a disk: what the program costs

The server is `lowbid serve` with keys; the empty handler is a FastAPI app that answers every POST
with an empty object, under the same uvicorn with the same settings. 16 connections on loopback send
their next request as soon as they have the answer to the last one. All kinds of requests are
measured in turns; a ratio is that of one turn, and the median is shown with the lowest and the
highest. Exits with 1 if a promise is not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import lowbid
from benchmarks.measure import Spread, ratios, spread
from lowbid.service.api_keys import make_key
from lowbid.shared.stores import store_at

ARMS = [f"arm {number}" for number in range(10)]
CONNECTIONS, BATCH = 16, 100
LEAST_RATIO, LEAST_GAIN = 0.5, 10.0
EMPTY = (
    "import fastapi, sys; from lowbid.service.server import serve; app = fastapi.FastAPI()\n"
    "@app.post('/{path:path}')\nasync def nothing() -> dict[str, str]:\n    return {}\n"
    "serve(app, '127.0.0.1', int(sys.argv[1]))"
)


class Turn(NamedTuple):
    """What one turn of one kind of requests took."""

    per_second: float
    median: float  # milliseconds
    slow: float  # the 99th percentile, in milliseconds
    answers: list[bytes]
    processor: float = 0.0  # microseconds of the server's processor per request


class Connection(asyncio.Protocol):
    """A connection that sends its next request as soon as it has the answer to the last."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Semaphore) -> None:
        self.requests, self.done = requests, done
        self.seconds: list[float] = []
        self.answers: list[bytes] = []
        self.received, self.began = b"", 0.0
        self.failure = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.send()

    def send(self) -> None:
        request = next(self.requests, None)
        if request is None or self.failure:
            self.transport.close()
            return
        self.began = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, _, body = self.received.partition(b"\r\n\r\n")
        size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if not size or len(body) < int(size):
            return
        self.seconds.append(time.perf_counter() - self.began)
        self.answers.append(body)
        if not head.startswith(b"HTTP/1.1 200"):
            self.failure = self.received.decode()
        self.received = b""
        self.send()

    def connection_lost(self, _: Exception | None) -> None:
        self.done.release()


async def _load(port: int, requests: Sequence[bytes]) -> Turn:
    """Send requests over all connections; fails if one is refused or lost."""
    done, rest, loop = asyncio.Semaphore(0), iter(requests), asyncio.get_running_loop()
    began = time.perf_counter()
    connections = [
        (await loop.create_connection(lambda: Connection(rest, done), "127.0.0.1", port))[1]
        for _ in range(CONNECTIONS)
    ]
    for _ in connections:
        await done.acquire()
    taken = time.perf_counter() - began
    seconds = sorted(each for connection in connections for each in connection.seconds)
    failures = [connection.failure for connection in connections if connection.failure]
    if failures or len(seconds) != len(requests):
        sys.exit(f"of {len(requests)} requests {len(seconds)} were answered; {failures[:1]}")
    return Turn(
        len(requests) / taken,
        1000 * statistics.median(seconds),
        1000 * seconds[int(0.99 * len(seconds))],
        [answer for connection in connections for answer in connection.answers],
    )


class Target:
    """A server to be measured, on a port of its own."""

    def __init__(self, port: int, process: int, key: str) -> None:
        self.port, self.process, self.key = port, process, key

    def post(self, path: str, bodies: Sequence[object]) -> Turn:
        """Send these bodies, one request each."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.key}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        texts = [json.dumps(body) for body in bodies]
        requests = [f"{head}{len(text)}\r\n\r\n{text}".encode() for text in texts]
        before = self._processor_seconds()
        turn = asyncio.run(_load(self.port, requests))
        taken = self._processor_seconds() - before
        return turn._replace(processor=1e6 * taken / len(bodies))

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def serving(command: Sequence[str], key: str = "") -> Iterator[Target]:
    """A server while the block lasts; `command` is for Python, and the port is its last word."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    # As in a server that has been up for a minute: policies run compiled.
    environment = {**os.environ, "LOWBID_COMPILED": "now"}
    command = [sys.executable, *command, str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield Target(port, process.pid, key)
    finally:
        process.terminate()
        process.wait(40)


def measured(url: str, count: int, repeats: int) -> dict[str, list[Turn]]:
    """All kinds of requests, by turns."""
    name = secrets.token_hex(4)
    lowbid.open(url, name, ARMS, reward_range=(0, 1)).close()
    store = store_at(url)
    key = make_key(store, f"benchmark {name}", ["decide"])
    store.close()
    turns: dict[str, list[Turn]] = {}
    path, batches = f"/v1/experiments/{name}", max(CONNECTIONS, count // 20)
    ours = serving(["-m", "lowbid", "serve", "--store", url, "--port"], key)
    with ours as server, serving(["-c", EMPTY]) as empty:
        for repeat in range(repeats + 1):  # the first warms up

            def note(what: str, turn: Turn, counts: bool = repeat > 0) -> list[str]:
                if counts:
                    turns.setdefault(what, []).append(turn)
                found = [json.loads(answer).get("decisions", []) for answer in turn.answers]
                return [each["id"] for decisions in found for each in decisions]

            note("empty handler", empty.post("/", [{}] * count))
            ids = note("decision", server.post(f"{path}/decisions", [{}] * count))
            reports = [{"decision": each, "reward": 0.5} for each in ids]
            note("outcome", server.post(f"{path}/outcomes", reports))
            wanted = [{"n": BATCH}] * batches
            ids = note(f"{BATCH} decisions", server.post(f"{path}/decisions", wanted))
            reports = [{"decision": each, "reward": 0.5} for each in ids]
            lists = [reports[i : i + BATCH] for i in range(0, len(reports), BATCH)]
            note(f"{BATCH} outcomes", server.post(f"{path}/outcomes", lists))
    return turns


def shown(kind: str, turns: dict[str, list[Turn]]) -> bool:
    """Print the table of a store; whether the promises are kept."""
    print(
        f"\n| {kind} | requests/s | beside the empty handler | items/s | p50, ms | p99, ms | "
        "processor, µs |"
        "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    rates = {what: [turn.per_second for turn in found] for what, found in turns.items()}
    for what, found in turns.items():
        ratio = ratios(rates[what], rates["empty handler"])
        rate = spread(rates[what]).median
        items = rate * (BATCH if what.startswith(str(BATCH)) else 1)
        print(
            f"| {what} | {rate:,.0f} | {_text(ratio)} | {items:,.0f} | "
            f"{spread(turn.median for turn in found).median:.1f} | "
            f"{spread(turn.slow for turn in found).median:.1f} | "
            f"{spread(turn.processor for turn in found).median:,.0f} |"
        )
    single = ratios(rates["decision"], rates["empty handler"])
    gain = ratios([BATCH * each for each in rates[f"{BATCH} decisions"]], rates["decision"])
    print(f"\nA request for {BATCH} decisions makes {_text(gain)} times as many per second as one.")
    return single.median >= LEAST_RATIO and gain.median >= LEAST_GAIN


def _text(found: Spread) -> str:
    return f"{found.median:.2f} ({found.low:.2f} to {found.high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--postgresql", metavar="URL", help="measure on this server too")
    parser.add_argument(
        "--folder", type=Path, help="where the SQLite file goes: the disk to measure"
    )
    parser.add_argument("--requests", type=int, default=2000, help="single ones in a turn")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        turns = measured(f"sqlite:///{folder}/serving.db", given.requests, given.repeats)
        kept = shown("SQLite", turns)
    if given.postgresql:
        shown("PostgreSQL", measured(given.postgresql, given.requests, given.repeats))
    if not kept:
        sys.exit(
            f"on SQLite single decisions are to reach {LEAST_RATIO} of the empty handler, and "
            f"requests for {BATCH} are to make {LEAST_GAIN:.0f} times as many; one of them missed."
        )


if __name__ == "__main__":
    main()

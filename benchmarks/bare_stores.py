"""Bare programs that commit the rows of decisions and outcomes, and do nothing else.

They use `sqlite3` and psycopg directly, on the tables that lowbid makes. Calls of several threads
are committed in groups, and each thread waits for the commit of its own call. A bare program knows
how many threads it has: the last one to arrive commits for all. lowbid has to find that out.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

EVENTS = (
    "INSERT INTO lowbid_events (bandit, number, time, name, batch, body) VALUES (?, ?, ?, ?, ?, ?)"
)
MEMORY = "INSERT INTO lowbid_memory (bandit, space, key, time, value) VALUES (?, ?, ?, ?, ?)"


class BareCall:
    """A decision, or the outcome of one if its id is known."""

    def __init__(self) -> None:
        self.identity = ""
        self.wake = threading.Lock()
        self.wake.acquire()


class BareStore(ABC):
    """The rows of one bandit in a store."""

    def __init__(self, bandit: int) -> None:
        self.bandit, self.number = bandit, 1

    @abstractmethod
    def write(self, events: list[Any], outcomes: list[Any]) -> None:
        """Write rows in one transaction."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def commit(self, calls: Sequence[BareCall]) -> None:
        """Write the rows of these calls."""
        events, outcomes = [], []
        for call in calls:
            self.number += 1
            if call.identity:
                name = "reported"
                body: Any = {"kind": "reward", "outcomes": [[call.identity, "arm 5", 0.5]]}
                outcomes.append((self.bandit, "outcome", call.identity, 5, "0.5"))
            else:
                name, call.identity = "decided", f"0123abcd-{self.number}"
                body = {"ways": "p", "ids": [call.identity], "arms": ["arm 5"], "chances": [1.0]}
            batch = f"0123456789abcdef-{self.number}"
            events.append((self.bandit, self.number, 5, name, batch, json.dumps(body)))
        self.write(events, outcomes)


class BareSQLite(BareStore):
    """Rows in a file, as safe as lowbid's."""

    def __init__(self, url: str, bandit: int) -> None:
        super().__init__(bandit)
        path = url.removeprefix("sqlite:///")
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")

    def write(self, events: list[Any], outcomes: list[Any]) -> None:
        """Insert rows in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(EVENTS, events)
        if outcomes:
            self._connection.executemany(MEMORY, outcomes)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class BarePostgreSQL(BareStore):
    """Rows in a database, in the same transactions as lowbid's: lock, look for news, write."""

    def __init__(self, url: str, bandit: int) -> None:
        super().__init__(bandit)
        import psycopg

        self._connection = psycopg.connect(url)

    def write(self, events: list[Any], outcomes: list[Any]) -> None:
        """Insert rows in one transaction."""
        run, bandit = self._connection.execute, self.bandit
        run("SELECT format FROM lowbid_bandits WHERE key = %s FOR UPDATE", (bandit,)).fetchone()
        news = "SELECT * FROM lowbid_events WHERE bandit = %s AND number > %s ORDER BY number"
        run(news, (bandit, events[-1][1])).fetchall()
        kinds = ["integer", "bigint", "bigint", "text", "text", "text"]
        self._insert("lowbid_events (bandit, number, time, name, batch, body)", kinds, events)
        if outcomes:
            kinds = ["integer", "text", "text", "bigint", "text"]
            self._insert("lowbid_memory (bandit, space, key, time, value)", kinds, outcomes)
        self._connection.commit()

    def _insert(self, columns: str, kinds: list[str], rows: list[Any]) -> None:
        """Insert rows in one statement, as lowbid does."""
        lists = ", ".join(f"%s::{kind}[]" for kind in kinds)
        values = [list(column) for column in zip(*rows, strict=True)]
        self._connection.execute(f"INSERT INTO {columns} SELECT * FROM unnest({lists})", values)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def bare_store(url: str, bandit: int) -> BareStore:
    """The bare program for a store's address."""
    return (BareSQLite if url.startswith("sqlite:") else BarePostgreSQL)(url, bandit)


def loop(store: BareStore, calls: int, count: int) -> None:
    """Cycles of this many calls at once, in one loop without threads."""
    for _ in range(count):
        group = [BareCall() for _ in range(calls)]
        store.commit(group)
        store.commit(group)


def threads(store: BareStore, number: int, count: int) -> None:
    """Cycles of this many threads, which commit together."""
    mutex, waiting = threading.Lock(), []

    def submit(call: BareCall) -> None:
        with mutex:
            waiting.append(call)
            group = waiting[:] if len(waiting) == number else []
            if group:
                waiting.clear()
        if not group:
            call.wake.acquire()
            return
        store.commit(group)
        for other in group[:-1]:
            other.wake.release()

    def work() -> None:
        for _ in range(count):
            call = BareCall()
            submit(call)
            submit(call)

    workers = [threading.Thread(target=work) for _ in range(number)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

"""The tables of a store that speaks SQL, and the statements on them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lowbid.shared._events import LoggedEvent
from lowbid.shared.stores._interface import Head, Row, StoredBandit, Transaction

# {key}, {whole} and {bytes} stand for the store's own types.
TABLES = (
    """CREATE TABLE IF NOT EXISTS lowbid_bandits (
        key {key},
        name TEXT NOT NULL UNIQUE,
        format INTEGER NOT NULL,
        created {whole} NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS lowbid_events (
        bandit INTEGER NOT NULL,
        number {whole} NOT NULL,
        time {whole} NOT NULL,
        name TEXT NOT NULL,
        batch TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (bandit, number)){clustered}""",
    """CREATE TABLE IF NOT EXISTS lowbid_snapshots (
        bandit INTEGER PRIMARY KEY,
        body {bytes} NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS lowbid_rows (
        bandit INTEGER NOT NULL,
        process TEXT NOT NULL,
        version {whole} NOT NULL,
        time {whole} NOT NULL,
        body {bytes},
        PRIMARY KEY (bandit, process))""",
    """CREATE TABLE IF NOT EXISTS lowbid_memory (
        bandit INTEGER NOT NULL,
        space TEXT NOT NULL,
        key TEXT NOT NULL,
        time {whole} NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (bandit, space, key)){clustered}""",
    """CREATE TABLE IF NOT EXISTS lowbid_documents (
        space TEXT NOT NULL,
        key TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (space, key)){clustered}""",
)
# The columns that are written many rows at a time.
_EVENT_COLUMNS = {
    "bandit": "integer",
    "number": "bigint",
    "time": "bigint",
    "name": "text",
    "batch": "text",
    "body": "text",
}
_MEMORY_COLUMNS = {
    "bandit": "integer",
    "space": "text",
    "key": "text",
    "time": "bigint",
    "value": "text",
}
_OWNED = ("lowbid_events", "lowbid_snapshots", "lowbid_rows", "lowbid_memory")
_EVENT = "SELECT number, time, name, batch, body FROM lowbid_events WHERE bandit = ? AND number"


class SQLTransaction(Transaction):
    """A transaction on the tables above; subclasses add what differs between databases."""

    def __init__(self) -> None:
        self._streams: list[Any] = []

    def stop_reading(self) -> None:
        """Close queries that were not read to the end.

        After a failure in the middle of a query, the exception keeps it alive, and a connection
        with an open query still sees the past.
        """
        for stream in self._streams:
            stream.close()
        self._streams.clear()

    @abstractmethod
    def run(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement, with a question mark for each value, and return its cursor."""

    def run_through(self, statement: str, values: Sequence[Any]) -> Any:
        """Run a statement that goes through a whole log, and return its cursor."""
        return self.run(statement, values)

    @abstractmethod
    def insert(
        self,
        table: str,
        columns: Mapping[str, str],
        rows: Sequence[Sequence[Any]],
        conflict: str = "",
    ) -> None:
        """Insert many rows, with columns of these types, and a clause for conflicts."""

    @abstractmethod
    def stream(self, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a query, which may not fit into memory; it can be closed."""

    def bandits(self) -> list[StoredBandit]:
        """All bandits, in order of name."""
        rows = self.run("SELECT key, name, format, created FROM lowbid_bandits ORDER BY name")
        return [StoredBandit(*row) for row in rows.fetchall()]

    def find(self, name: str) -> StoredBandit | None:
        """The bandit with this name."""
        query = "SELECT key, name, format, created FROM lowbid_bandits WHERE name = ?"
        row = self.run(query, (name,)).fetchone()
        return None if row is None else StoredBandit(*row)

    def create(self, name: str, log_format: int, created: int) -> int | None:
        """Create a bandit and return its key; None if the name is taken."""
        row = self.run(
            "INSERT INTO lowbid_bandits (name, format, created) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING RETURNING key",
            (name, log_format, created),
        ).fetchone()
        return None if row is None else int(row[0])

    @abstractmethod
    def lock(self, bandit: int) -> Head | None:
        """Keep all others from writing to a bandit until the transaction ends."""

    def rename(self, bandit: int, name: str) -> None:
        """Give a bandit another name."""
        self.run("UPDATE lowbid_bandits SET name = ? WHERE key = ?", (name, bandit))

    def delete(self, bandit: int) -> None:
        """Remove a bandit and everything that belongs to it."""
        for table in _OWNED:
            self.run_through(f"DELETE FROM {table} WHERE bandit = ?", (bandit,))
        self.run("DELETE FROM lowbid_bandits WHERE key = ?", (bandit,))

    def events(self, bandit: int, after: int) -> Iterator[LoggedEvent]:
        """The events after this number, in order."""
        rows = self.stream(f"{_EVENT} > ? ORDER BY number", (bandit, after))
        self._streams.append(rows)
        for row in rows:
            yield LoggedEvent(*row)

    def event(self, bandit: int, number: int) -> LoggedEvent | None:
        """One event."""
        row = self.run(f"{_EVENT} = ?", (bandit, number)).fetchone()
        return None if row is None else LoggedEvent(*row)

    def append(self, bandit: int, events: Sequence[LoggedEvent]) -> None:
        """Write events. A number that is taken is an error."""
        self.insert("lowbid_events", _EVENT_COLUMNS, [(bandit, *event) for event in events])

    def drop_events(self, bandit: int, up_to: int, before: int, but: Iterable[str]) -> int:
        """Remove events up to a number and before a time, except those with certain names."""
        names = list(but)
        marks = ", ".join("?" * len(names))
        statement = (
            "DELETE FROM lowbid_events WHERE bandit = ? AND number <= ? AND time < ? "
            f"AND name NOT IN ({marks})"
        )
        return int(self.run_through(statement, (bandit, up_to, before, *names)).rowcount)

    def snapshot(self, bandit: int) -> bytes | None:
        """The latest snapshot."""
        query = "SELECT body FROM lowbid_snapshots WHERE bandit = ?"
        row = self.run(query, (bandit,)).fetchone()
        return None if row is None else bytes(row[0])

    def keep_snapshot(self, bandit: int, snapshot: bytes) -> None:
        """Store a snapshot, replacing the previous one."""
        self.run(
            "INSERT INTO lowbid_snapshots (bandit, body) VALUES (?, ?) "
            "ON CONFLICT (bandit) DO UPDATE SET body = excluded.body",
            (bandit, snapshot),
        )

    def rows(self, bandit: int) -> list[Row]:
        """All rows, in order of process."""
        query = (
            "SELECT process, version, time, body IS NULL FROM lowbid_rows WHERE bandit = ? "
            "ORDER BY process"
        )
        found = self.run(query, (bandit,)).fetchall()
        return [
            Row(process, version, time, bool(closed)) for process, version, time, closed in found
        ]

    def row_bodies(self, bandit: int, processes: Sequence[str]) -> dict[str, bytes]:
        """The bodies of the rows of these processes, without those that are closed."""
        query = (
            "SELECT process, body FROM lowbid_rows "
            "WHERE bandit = ? AND body IS NOT NULL AND process"
        )
        found = self._in_parts(query, (bandit,), processes)
        return {process: bytes(body) for process, body in found}

    def write_row(
        self, bandit: int, process: str, before: int, version: int, time: int, body: bytes
    ) -> bool:
        """Replace the version `before` of a row by another one; 0 stands for no row yet."""
        if before == 0:
            statement = (
                "INSERT INTO lowbid_rows (version, time, body, bandit, process) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            )
            return self._changes_a_row(statement, (version, time, body, bandit, process))
        statement = (
            "UPDATE lowbid_rows SET version = ?, time = ?, body = ? "
            "WHERE bandit = ? AND process = ? AND version = ? AND body IS NOT NULL"
        )
        return self._changes_a_row(statement, (version, time, body, bandit, process, before))

    def _changes_a_row(self, statement: str, values: Sequence[Any]) -> bool:
        return int(self.run(statement, values).rowcount) == 1

    def close_row(self, bandit: int, process: str, version: int) -> bytes | None:
        """Let a row take no more writes, drop its body and return it."""
        where = "WHERE bandit = ? AND process = ? AND version = ? AND body IS NOT NULL"
        values = (bandit, process, version)
        # Writing to the row keeps others from replacing it until the transaction ends.
        if not self._changes_a_row(f"UPDATE lowbid_rows SET version = version {where}", values):
            return None
        body = self.run(f"SELECT body FROM lowbid_rows {where}", values).fetchone()[0]
        self.run(f"UPDATE lowbid_rows SET body = NULL {where}", values)
        return bytes(body)

    def drop_closed_rows(self, bandit: int, before: int) -> None:
        """Remove closed rows that were written last before a time."""
        statement = "DELETE FROM lowbid_rows WHERE bandit = ? AND body IS NULL AND time < ?"
        self.run(statement, (bandit, before))

    def _in_parts(self, query: str, values: Sequence[Any], keys: Sequence[str]) -> Iterator[Any]:
        """The rows of a query that ends with a column that is one of the keys."""
        for first in range(0, len(keys), 500):  # databases limit the values of a statement
            some = keys[first : first + 500]
            yield from self.run(f"{query} IN ({', '.join('?' * len(some))})", (*values, *some))

    def recall(self, bandit: int, space: str, keys: Sequence[str]) -> dict[str, str]:
        """The values of those keys that exist."""
        query = "SELECT key, value FROM lowbid_memory WHERE bandit = ? AND space = ? AND key"
        return dict(self._in_parts(query, (bandit, space), keys))

    def remember(self, bandit: int, space: str, time: int, values: Mapping[str, str]) -> None:
        """Set the values of keys, as of a time."""
        self.insert(
            "lowbid_memory",
            _MEMORY_COLUMNS,
            [(bandit, space, key, time, value) for key, value in values.items()],
            "ON CONFLICT (bandit, space, key) DO UPDATE "
            "SET time = excluded.time, value = excluded.value",
        )

    def forget(self, bandit: int, space: str, before: int) -> int:
        """Remove what was stored before a time; returns how many keys were removed."""
        statement = "DELETE FROM lowbid_memory WHERE bandit = ? AND space = ? AND time < ?"
        return int(self.run_through(statement, (bandit, space, before)).rowcount)

    def documents(self, space: str) -> dict[str, str]:
        """All documents of a space, by key."""
        query = "SELECT key, body FROM lowbid_documents WHERE space = ? ORDER BY key"
        return dict(self.run(query, (space,)).fetchall())

    def put_document(self, space: str, key: str, body: str) -> None:
        """Write a document, replacing one with the same key."""
        self.run(
            "INSERT INTO lowbid_documents (space, key, body) VALUES (?, ?, ?) "
            "ON CONFLICT (space, key) DO UPDATE SET body = excluded.body",
            (space, key, body),
        )

    def drop_document(self, space: str, key: str) -> None:
        """Remove a document, if it exists."""
        self.run("DELETE FROM lowbid_documents WHERE space = ? AND key = ?", (space, key))

"""A store in one file, for the processes of one machine: SQLite, from the standard library.

The database is in write-ahead mode with ``synchronous=FULL``: a commit is on disk before it
returns, even if the power fails. One process writes at a time; the others wait.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lowbid.errors import InvalidValueError, StoreError, StoreUnavailableError
from lowbid.shared.stores._before_forks import forks
from lowbid.shared.stores._interface import Head, Store
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._pool import Pool, pool_of
from lowbid.shared.stores._sql import SQLTransaction
from lowbid.shared.stores._sqlite_connection import FileConnection, begin, is_busy

# How many pages of a file are given back at a time, and the mode in which they can be.
_PAGES, _INCREMENTAL = 1000, 2

_REMEDIES = {
    sqlite3.SQLITE_READONLY: "it is read-only; give this user the right to write to the file and "
    "to its folder",
    sqlite3.SQLITE_FULL: "the disk is full, or the file has reached its largest size; make room",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a copy",
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database; give the path of another file",
    sqlite3.SQLITE_PERM: "this user may not use the file; change its permissions",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that its folder exists, and that "
    "this user may read and write both",
    sqlite3.SQLITE_IOERR: "it could not be read or written; check the disk, its free space and the "
    "limits of this process (ulimit -f), then try again",
}


class SQLiteTransaction(SQLTransaction):
    """A transaction on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement, and return its cursor."""
        return self._connection.execute(statement, values)

    def insert(
        self,
        table: str,
        columns: Mapping[str, str],
        rows: Sequence[Sequence[Any]],
        conflict: str = "",
    ) -> None:
        """Insert rows, one by one."""
        self._connection.executemany(_insertion(table, tuple(columns), conflict), rows)

    def stream(self, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a query, one by one."""
        return self._connection.execute(statement, values)

    def lock(self, bandit: int) -> Head | None:
        """Nothing to lock: a transaction that writes has locked the whole file."""
        query = "SELECT format FROM lowbid_bandits WHERE key = ?"
        row = self.run(query, (bandit,)).fetchone()
        return None if row is None else Head(row[0], self.clock())

    def clock(self) -> int:
        """The time of this machine."""
        return time.time_ns() // 1000


class SQLiteStore(Store):
    """Bandits in a file.

    Parameters
    ----------
    url : str
        ``sqlite:///relative/path`` or ``sqlite:////absolute/path``.
    patience : float
        Seconds to wait for other processes.
    """

    def __init__(self, url: str, patience: float) -> None:
        path = url.removeprefix("sqlite:///")
        if path == url or not path or path.startswith(":memory:"):
            raise InvalidValueError(
                f"the store is {url!r}; give sqlite:/// and the path of a file, such as "
                "sqlite:///shop.db. A bandit in memory is a lowbid.Bandit."
            )
        self.address, self.patience = url, patience
        self._path = Path(path).absolute()
        self._known = False  # whether the file has been there
        self._make = functools.partial(FileConnection, self._path, url, patience)
        self._pool = pool_of((self._path, patience), url, self._make)

    def twin(self) -> SQLiteStore:
        """A store on the same file, for another thread."""
        return SQLiteStore(f"sqlite:///{self._path}", self.patience)

    def apart(self) -> SQLiteStore:
        """A store on the same file, with a connection of its own."""
        store = self.twin()
        store._pool = Pool(self.address, self._make)
        return store

    def close(self) -> None:
        """Close the file, unless other bandits use it."""
        self._pool.leave(self)

    def abandon(self) -> None:
        """Leave the connections to the process that opened them.

        If one was in use, the file can no longer be used in this process: see
        `lowbid.shared.stores._before_forks`.
        """
        self._pool.continue_after_fork()

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[SQLiteTransaction]:
        """A transaction, committed if the block succeeds and rolled back otherwise."""
        with (
            self._pool.lent(self, self.call or Patience(self.patience)) as lent,
            forks.kept_away(lent),
            self._translated_errors(),
        ):
            connection = lent.connected(make=write, known=self._known)
            self._known = True
            transaction = SQLiteTransaction(connection)
            try:
                if connection.in_transaction:  # an interrupt came before the rollback
                    connection.execute("ROLLBACK")
                self._begin(connection, "BEGIN IMMEDIATE" if write else "BEGIN")
                yield transaction
                transaction.stop_reading()
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    transaction.stop_reading()
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    def give_back(self) -> None:
        """Shorten the file by what was dropped, a little at a time, so that others can write."""
        free = 1
        while free:
            with self.transaction(write=True) as transaction:
                transaction.run(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
                [free] = transaction.run("PRAGMA freelist_count").fetchone()
                [kind] = transaction.run("PRAGMA auto_vacuum").fetchone()
            if kind != _INCREMENTAL:  # a file that something else made
                return

    def _begin(self, connection: sqlite3.Connection, statement: str) -> None:
        """Begin a transaction, which may have to wait for another process."""
        begin(connection, statement, self.call or Patience(self.patience))

    @contextlib.contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> StoreError:
        """An error that names the store and the remedy."""
        if is_busy(error):
            return StoreUnavailableError(
                f"the store {self.address} was in use by another process for "
                f"{self.patience:g} s; try again, or open the bandit with more patience."
            )
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        remedy = _REMEDIES.get(code, "try again, and check the disk if it keeps failing")
        return StoreError(f"the store {self.address} failed ({error}): {remedy}.")


@functools.cache
def _insertion(table: str, columns: tuple[str, ...], conflict: str) -> str:
    """The statement that inserts a row."""
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) {conflict}"

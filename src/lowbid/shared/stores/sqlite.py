"""A store in one file, for the processes of one machine: SQLite, from the standard library.

The database is in write-ahead mode with ``synchronous=FULL``: a commit is on disk before it
returns, even if the power fails. One process writes at a time; the others wait.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lowbid.errors import InvalidValueError, StoreError, StoreUnavailableError
from lowbid.shared.stores._before_forks import Use, forks
from lowbid.shared.stores._connections import abandon, close_with
from lowbid.shared.stores._interface import Head, Store
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._sql import TABLES, SQLTransaction

_TYPES = {
    "key": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "whole": "INTEGER",
    "bytes": "BLOB",
    "clustered": " WITHOUT ROWID",
}
# Waiting for another process: the first pause and the longest one, in seconds. SQLite's own way of
# waiting soon pauses for 100 ms at a time, during which a busy store is idle.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.01

# The longest tick of a file system's clock, in nanoseconds. Of two changes of a folder within a
# tick, the second does not show.
_TICK = 100_000_000

_MAKING = threading.Lock()  # held while an empty file is made

# Files, by device and inode, that were open in the parent of this process when it forked.
_UNUSABLE: set[tuple[int, int]] = set()

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
        self._file_name, self._journal_name = str(self._path), f"{self._path}-wal"
        self._folder_name = str(self._path.parent)
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and inode
        self._journal: tuple[int, int] | None = None  # those of the write-ahead log
        self._change: tuple[int, int, int] | None = None  # the last one of the folder
        self.use: Use | None = None
        forks.watch(self)

    def twin(self) -> SQLiteStore:
        """A store on the same file, with its own connection."""
        return SQLiteStore(f"sqlite:///{self._path}", self.patience)

    def close(self) -> None:
        """Close the file."""
        with forks.kept_away(self):
            self.disconnect()

    def disconnect(self) -> None:
        """Close the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def abandon(self) -> None:
        """Leave the connection to the process that opened it.

        The file can no longer be used in this process: see `lowbid.shared.stores._before_forks`.
        """
        if self._connection is not None:
            abandon(self._connection)
            self._connection = None
            if self._file is not None:
                _UNUSABLE.add(self._file)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection is not None and self._connection.in_transaction

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[SQLiteTransaction]:
        """A transaction, committed if the block succeeds and rolled back otherwise."""
        with forks.kept_away(self), self._translated_errors():
            connection = self._connected(make=write)
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

    def _connected(self, make: bool) -> sqlite3.Connection:
        """The connection to the file that is there now.

        While nothing happens in the folder, the files are the same. To look at the write-ahead log
        each time would slow down commits: when someone has asked for a file's times, Linux writes
        them to the disk together with the next data.
        """
        change = _last_change(self._folder_name)
        quiet = change is not None and change == self._change
        if self._connection is not None and quiet and _identity(self._file_name) == self._file:
            return self._connection
        connection = self._connected_to_files(make)
        self._change = None if os.path.islink(self._file_name) else change
        return connection

    def _connected_to_files(self, make: bool) -> sqlite3.Connection:
        """The connection, after a look at the files."""
        found = _identity(self._file_name)
        if found is None and self._file is not None:
            self.disconnect()
            raise StoreError(
                f"the store {self.address} is gone: its file was removed while it was in use. "
                "Restore it from a copy, or open the bandit again to start a new one."
            )
        if found in _UNUSABLE:
            raise StoreError(
                f"the store {self.address} cannot be used in this process: its parent was using "
                "it at the moment of the fork, and SQLite does not survive that. Fork when no call "
                "and no `bandit.log()` is in progress, close the bandit before, or start the "
                "process with multiprocessing's 'spawn' and open the bandit there."
            )
        journal = _identity(self._journal_name)
        if self._connection is not None and (self._file, self._journal) != (found, journal):
            self.disconnect()  # one of them was replaced: what is written would be lost
        if self._connection is None:
            if not make and found is None:
                raise StoreError(f"the store {self.address} does not exist: there is no such file.")
            self._connection = self._connect()
            close_with(self, self._connection)
            self._file = _identity(self._file_name)
            self._journal = _identity(self._journal_name)
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        _make_file(self._file_name)
        connection = sqlite3.connect(
            self._path, timeout=self.patience, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        connection.execute("PRAGMA busy_timeout = 0")  # `_begin` waits in its own way
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Protect the database against power loss, and create the tables."""
        query = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'lowbid!_%' ESCAPE '!'"
        writable = os.access(self._path, os.W_OK) if self._path.exists() else True
        if writable:
            self._begin(connection, "PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if connection.execute(query).fetchone()[0] >= len(TABLES):
            return
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(table.format(**_TYPES))
        connection.execute("COMMIT")

    def _begin(self, connection: sqlite3.Connection, statement: str) -> None:
        """Run a statement that may have to wait for another process."""
        patience, pause = Patience(self.patience), _FIRST_PAUSE
        while True:
            try:
                connection.execute(statement)
                return
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or patience.is_over(_LONGEST_PAUSE):
                    raise
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2.0 * pause, _LONGEST_PAUSE)

    @contextlib.contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> StoreError:
        """An error that names the store and the remedy."""
        if _is_busy(error):
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


def _make_file(name: str) -> None:
    """Make an empty database that only this user can read, if there is no file yet.

    SQLite would let all users read it. The files that it makes beside it get the same mode.
    """
    # To close a file ends all locks of this process on it, so nobody may open it before that.
    with _MAKING, contextlib.suppress(OSError):  # it exists; or SQLite says what is wrong
        os.close(os.open(os.path.realpath(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _identity(file: str) -> tuple[int, int] | None:
    """The device and inode of a file; None if it does not exist."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _last_change(folder: str) -> tuple[int, int, int] | None:
    """The folder, and when a file was last made, removed or renamed there; None if just now.

    Its time of change shows that, even if a program that restores files sets the other times back.
    """
    try:
        status = os.stat(folder)
    except OSError:
        return None
    recent = time.time_ns() - status.st_ctime_ns < _TICK
    return None if recent else (status.st_dev, status.st_ino, status.st_ctime_ns)


def _is_busy(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

"""A connection to an SQLite file, made again whenever the file is replaced."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import threading
import time
from pathlib import Path

from lowbid.errors import StoreError
from lowbid.shared.stores._before_forks import Use, forks
from lowbid.shared.stores._connections import abandon, close_with
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._sql import TABLES

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


class FileConnection:
    """A connection to a file, for one thread at a time.

    Parameters
    ----------
    path : Path
        The file.
    address : str
        The store's address, for errors.
    patience : float
        Seconds to wait for other processes.
    """

    def __init__(self, path: Path, address: str, patience: float) -> None:
        self._path, self._address, self.patience = path, address, patience
        self._file_name, self._journal_name = str(path), f"{path}-wal"
        self._folder_name = str(path.parent)
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and inode
        self._journal: tuple[int, int] | None = None  # those of the write-ahead log
        self._change: tuple[int, int, int] | None = None  # the last one of the folder
        self.use: Use | None = None
        forks.watch(self)

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

    def connected(self, make: bool, known: bool) -> sqlite3.Connection:
        """The connection to the file that is there now.

        While nothing happens in the folder, the files are the same. To look at the write-ahead log
        each time would slow down commits: when someone has asked for a file's times, Linux writes
        them to the disk together with the next data.

        Parameters
        ----------
        make : bool
            Whether to make a file that does not exist.
        known : bool
            Whether the file existed before: then it is gone, and not made again.
        """
        change = _last_change(self._folder_name)
        quiet = change is not None and change == self._change
        if self._connection is not None and quiet and _identity(self._file_name) == self._file:
            return self._connection
        connection = self._connected_to_files(make, known)
        self._change = None if os.path.islink(self._file_name) else change
        return connection

    def _connected_to_files(self, make: bool, known: bool) -> sqlite3.Connection:
        """The connection, after a look at the files."""
        found = _identity(self._file_name)
        if found is None and known:
            self.disconnect()
            raise StoreError(
                f"the store {self._address} is gone: its file was removed while it was in use. "
                "Restore it from a copy, or open the bandit again to start a new one."
            )
        if found in _UNUSABLE:
            raise StoreError(
                f"the store {self._address} cannot be used in this process: its parent was using "
                "it at the moment of the fork, and SQLite does not survive that. Fork when no call "
                "and no `bandit.log()` is in progress, close the bandit before, or start the "
                "process with multiprocessing's 'spawn' and open the bandit there."
            )
        journal = _identity(self._journal_name)
        if self._connection is not None and (self._file, self._journal) != (found, journal):
            self.disconnect()  # one of them was replaced: what is written would be lost
        if self._connection is None:
            if not make and found is None:
                raise StoreError(
                    f"the store {self._address} does not exist: there is no such file."
                )
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
            if (
                self._path.stat().st_size == 0
            ):  # so that the space of what is dropped can be given back
                begin(connection, "PRAGMA auto_vacuum = INCREMENTAL", Patience(self.patience))
            begin(connection, "PRAGMA journal_mode = WAL", Patience(self.patience))
        connection.execute("PRAGMA synchronous = FULL")
        if connection.execute(query).fetchone()[0] >= len(TABLES):
            return
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(table.format(**_TYPES))
        connection.execute("COMMIT")


def begin(connection: sqlite3.Connection, statement: str, patience: Patience) -> None:
    """Run a statement that may have to wait for another process."""
    pause = _FIRST_PAUSE
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or patience.is_over(_LONGEST_PAUSE):
                raise
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(2.0 * pause, _LONGEST_PAUSE)


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


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

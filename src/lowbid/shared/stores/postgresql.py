"""A store for the processes of many machines: PostgreSQL, through psycopg 3.

Each bandit has a row that is locked while a transaction writes to it, so different bandits do not
wait for each other. Commits are on disk before they return (``synchronous_commit = on``), and times
are those of the server.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lowbid._optional import needing
from lowbid.errors import InvalidValueError, StoreError, StoreUnavailableError
from lowbid.shared.stores._connections import abandon, close_with
from lowbid.shared.stores._interface import Head, Store
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._sql import TABLES, SQLTransaction

_TYPES = {
    "key": "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "whole": "BIGINT",
    "bytes": "BYTEA",
    "clustered": "",
}
_NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_TABLES_LOCK = 0x10B1D  # so that two processes do not create the tables at the same time

# By SQLSTATE, or its first two characters.
_REMEDIES = {
    "25006": "it takes no changes (a standby, or read-only); give the address of the primary",
    "53100": "its disk is full; make room there",
    "42501": "this user may not do that; grant it the rights to create and use tables",
    "3D000": "there is no such database; create it, or check the name",
    "28": "the user or the password is wrong; check the address",
}
# The messages, in English, with which servers refuse a connection.
_WORDS = {
    "password": "28",
    "authentication failed": "28",
    "no pg_hba.conf entry": "28",
    'role "': "28",
    'database "': "3D000",
}
_LOCKED = "55P03"
_THROUGH_A_LOG = 3600.0  # the most seconds for a statement that goes through a whole log
_cursors = itertools.count()  # their names
_PASSING = ("08", "40", "53", "55", "57")  # connection, deadlock, resources, lock, shutdown


class PostgreSQLTransaction(SQLTransaction):
    """A transaction on a connection."""

    def __init__(self, connection: Any, write: bool) -> None:
        super().__init__()
        self._connection, self._write = connection, write

    def run(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement, and return its cursor."""
        return self._connection.execute(statement.replace("?", "%s"), values)

    def run_through(self, statement: str, values: Sequence[Any]) -> Any:
        """Run a statement that goes through a whole log, with much patience."""
        with self._connection.patience.extended(_THROUGH_A_LOG):
            return self.run(statement, values)

    def insert(
        self,
        table: str,
        columns: Mapping[str, str],
        rows: Sequence[Sequence[Any]],
        conflict: str = "",
    ) -> None:
        """Insert rows in one statement: there may be thousands of outcomes.

        Psycopg's own way of running one statement per row does not survive an interrupt.
        """
        lists = ", ".join(f"?::{kind}[]" for kind in columns.values())
        self.run(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({lists}) {conflict}",
            [list(column) for column in zip(*rows, strict=True)],
        )

    def stream(self, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a query; many are fetched in portions."""
        first = self.run(f"{statement} LIMIT 500", values).fetchall()
        yield from first
        if len(first) == 500:
            # An earlier query that was left in the middle may still have its cursor.
            with self._connection.cursor(name=f"lowbid_{next(_cursors)}") as cursor:
                cursor.execute(f"{statement.replace('?', '%s')} OFFSET 500", values)
                while portion := self._portion(cursor):
                    yield from portion

    def _portion(self, cursor: Any) -> list[Any]:
        """The next rows of a query: a long log may take longer than the patience of a call."""
        patience = self._connection.patience
        with patience.extended(patience.seconds):
            rows: list[Any] = cursor.fetchmany(500)
            return rows

    def lock(self, bandit: int) -> Head | None:
        """Lock the bandit's row, if the transaction writes."""
        query = f"SELECT format, {_NOW} FROM lowbid_bandits WHERE key = ?"
        if self._write:
            query = (
                f"WITH locked AS (SELECT format FROM lowbid_bandits WHERE key = ? FOR UPDATE) "
                f"SELECT format, {_NOW} FROM locked"
            )
        row = self.run(query, (bandit,)).fetchone()
        return None if row is None else Head(*row)

    def clock(self) -> int:
        """The time of the server."""
        return int(self.run(f"SELECT {_NOW}").fetchone()[0])


class PostgreSQLStore(Store):
    """Bandits in a database.

    Parameters
    ----------
    url : str
        ``postgresql://user@host:port/database``, as libpq takes it.
    patience : float
        Seconds to wait for the server and for other processes.
    """

    def __init__(self, url: str, patience: float) -> None:
        _require_address(url)
        self._url, self.patience = url, patience
        self._wait = max(1, round(patience))  # for what is set in whole seconds
        self.address = _without_secrets(url)
        self._connection: Any = None

    def twin(self) -> PostgreSQLStore:
        """A store on the same database, with its own connection."""
        return PostgreSQLStore(self._url, self.patience)

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(_psycopg().Error):
                connection.close()

    def abandon(self) -> None:
        """Leave the connection to the process that opened it."""
        if self._connection is not None:
            _let_go_of_socket(self._connection)
            abandon(self._connection)
            self._connection = None

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[PostgreSQLTransaction]:
        """A transaction, committed if the block succeeds and rolled back otherwise."""
        patience = self.call or Patience(self.patience)
        with self._translated_errors():
            connection = self._connected(patience)
            # A reader sees one state from first to last, even if others compact the log meanwhile;
            # a writer sees what was committed before it got its lock.
            levels = _psycopg().IsolationLevel
            connection.isolation_level = levels.READ_COMMITTED if write else levels.REPEATABLE_READ
            transaction = PostgreSQLTransaction(connection, write)
            try:
                yield transaction
                transaction.stop_reading()
                connection.commit()
            except Exception:
                with contextlib.suppress(_psycopg().Error):
                    transaction.stop_reading()
                    self._roll_back(connection)
                raise
            except BaseException:  # an interrupt, perhaps in the middle of a command
                self.close()
                raise

    def _connected(self, patience: Patience) -> Any:
        """A connection without a transaction, which waits for answers with this patience."""
        if self._connection is not None:
            self._connection.patience = patience
            self._roll_back(self._connection)
        if self._connection is None:
            self._connection = self._connect(patience)
            close_with(self, self._connection)
        return self._connection

    def _roll_back(self, connection: Any) -> None:
        """End a transaction, if there is one; give up a connection in the middle of a command."""
        pq = _psycopg().pq
        status = connection.info.transaction_status
        free = connection.pgconn.pipeline_status == pq.PipelineStatus.OFF
        if status == pq.TransactionStatus.IDLE and free:
            return
        if free and status in (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR):
            connection.rollback()
        else:
            self.close()

    def _connect(self, patience: Patience) -> Any:
        from lowbid.shared.stores._answers import PatientConnection

        conninfo, keepalives = _psycopg().conninfo, self._keepalives()
        given = conninfo.conninfo_to_dict(self._url)
        options: dict[str, Any] = {name: keepalives[name] for name in keepalives.keys() - given}
        # They are tried one after another, and psycopg takes no less than 2 seconds for each.
        addresses = len(conninfo.conninfo_attempts(given))
        seconds = max(2, round(patience.left / addresses))
        try:
            connection = PatientConnection.connect(
                self._url,
                connect_timeout=seconds,
                tcp_user_timeout=500 * max(2, self._wait),
                **options,
            )
        finally:
            patience.is_over(seconds * addresses)
        connection.patience = patience
        settings = {"lock_timeout": f"{self._wait}s", "synchronous_commit": "on"}
        settings |= {f"tcp_{name}": str(value) for name, value in keepalives.items()}
        try:
            connection.execute("; ".join(f"SET {name} = '{settings[name]}'" for name in settings))
            connection.commit()
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _keepalives(self) -> dict[str, int]:
        """When to ask whether the other machine is still there: after half of the patience.

        A call that waits for an answer has nothing to send, so nothing else would notice. The
        second half is for a new connection. The server asks too: it would keep the lock of a client
        that vanished.
        """
        return {
            "keepalives_idle": max(1, self._wait // 4),
            "keepalives_interval": max(1, self._wait // 12),
            "keepalives_count": 3,
        }

    def _prepare(self, connection: Any) -> None:
        """Create the tables, if they do not exist."""
        query = "SELECT to_regclass('lowbid_documents') IS NOT NULL"
        if not connection.execute(query).fetchone()[0]:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_TABLES_LOCK,))
            for table in TABLES:
                connection.execute(table.format(**_TYPES))
        connection.commit()

    @contextlib.contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Turn psycopg's exceptions into errors that name the store and the remedy."""
        psycopg = _psycopg()
        try:
            yield
        except psycopg.Error as error:
            state, reason = error.sqlstate or "", _reason(error)
            gone = self._connection is None or self._connection.closed
            # Without a state, other errors than these are about a value that cannot be sent.
            gone |= not state and isinstance(
                error, psycopg.OperationalError | psycopg.InterfaceError
            )
            if self._connection is not None and self._connection.closed:
                self._connection = None
            if state == _LOCKED:
                raise StoreUnavailableError(
                    f"the store {self.address} is busy: another session kept its lock for "
                    f"{self._wait} s; try again, or open the bandit with more patience."
                ) from error
            remedy = _REMEDIES.get(state) or _REMEDIES.get(state[:2]) or _remedy_by_words(reason)
            if remedy is None and (gone or state[:2] in _PASSING):
                raise StoreUnavailableError(
                    f"the store {self.address} cannot be reached, or is busy ({reason}); check "
                    "that the server runs, then try again."
                ) from error
            remedy = remedy or (
                "check the server's log" if state else "it takes no such text or number"
            )
            raise StoreError(f"the store {self.address} failed ({reason}): {remedy}.") from error


def _let_go_of_socket(connection: Any) -> None:
    """Give up this process's share of a connection, without a word to the server.

    As long as any process has the socket, the server does not notice that the one that opened it
    was killed, and keeps its locks.
    """
    with contextlib.suppress(_psycopg().Error, OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, connection.pgconn.socket, inheritable=False)
        os.close(nowhere)


def _reason(error: Any) -> str:
    """The message of the server or of libpq, in one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    return error.diag.message_primary or "; ".join(dict.fromkeys(line for line in lines if line))


def _remedy_by_words(reason: str) -> str | None:
    """The remedy if no connection was made, in which case there is no SQLSTATE."""
    found = [_REMEDIES[state] for words, state in _WORDS.items() if words in reason]
    return found[0] if found else None


def _require_address(url: str) -> None:
    """Refuse what libpq cannot read, without its reason: that may quote a part of a password."""
    psycopg = _psycopg()
    try:
        urllib.parse.urlsplit(url)
        psycopg.conninfo.conninfo_to_dict(url)
    except (ValueError, psycopg.Error):
        raise InvalidValueError(
            "the store's address begins with postgresql: but cannot be read; give it as "
            "postgresql://user:password@host:port/database, with %25 for a percent sign in the "
            "password, %40 for an at sign, and parameters that libpq knows."
        ) from None


def _without_secrets(url: str) -> str:
    """A URL as errors may show it."""
    parts = urllib.parse.urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = parts.netloc.rpartition("@")[0].partition(":")[0]
    place = f"{user}@{host}" if user else host
    return urllib.parse.urlunsplit((parts.scheme, place, parts.path, "", ""))


def _psycopg() -> Any:
    message = "a store at postgresql:// needs psycopg; type: pip install 'lowbid[postgresql]'."
    with needing("psycopg", message):
        import psycopg
    return psycopg

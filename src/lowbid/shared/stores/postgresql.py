"""A store for the processes of many machines: PostgreSQL, through psycopg 3.

Each bandit has a row that is locked while a transaction writes to it, so different bandits do not
wait for each other. Commits are on disk before they return (``synchronous_commit = on``), and times
are those of the server.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lowbid.errors import InvalidValueError, StoreError, StoreUnavailableError
from lowbid.shared.stores._interface import Head, Store
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._pool import Pool, pool_of
from lowbid.shared.stores._postgresql_connection import ServerConnection, psycopg_module
from lowbid.shared.stores._sql import SQLTransaction

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

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
        self.patience = patience
        self._wait = max(1, round(patience))  # for what is set in whole seconds
        self.address, self._url = _without_secrets(url), url
        self._make = functools.partial(ServerConnection, url, self._wait)
        self._pool = pool_of((url, patience), self.address, self._make)

    def twin(self) -> PostgreSQLStore:
        """A store on the same database, for another thread."""
        return PostgreSQLStore(self._url, self.patience)

    def apart(self) -> PostgreSQLStore:
        """A store on the same database, with a connection of its own."""
        store = self.twin()
        store._pool = Pool(self.address, self._make)
        return store

    def close(self) -> None:
        """Close the connections, unless other bandits use them."""
        self._pool.leave(self)

    def abandon(self) -> None:
        """Leave the connections to the process that opened them."""
        self._pool.continue_after_fork()

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[PostgreSQLTransaction]:
        """A transaction, committed if the block succeeds and rolled back otherwise."""
        patience = self.call or Patience(self.patience)
        with self._pool.lent(self, patience) as lent, self._translated_errors(lent):
            connection = lent.connected(patience)
            # A reader sees one state from first to last, even if others compact the log meanwhile;
            # a writer sees what was committed before it got its lock.
            levels = psycopg_module().IsolationLevel
            connection.isolation_level = levels.READ_COMMITTED if write else levels.REPEATABLE_READ
            transaction = PostgreSQLTransaction(connection, write)
            try:
                yield transaction
                transaction.stop_reading()
                connection.commit()
            except Exception:
                with contextlib.suppress(psycopg_module().Error):
                    transaction.stop_reading()
                    lent.roll_back(connection)
                raise
            except BaseException:  # an interrupt, perhaps in the middle of a command
                lent.close()
                raise

    @contextlib.contextmanager
    def _translated_errors(self, lent: ServerConnection) -> Iterator[None]:
        """Turn psycopg's exceptions into errors that name the store and the remedy."""
        psycopg = psycopg_module()
        try:
            yield
        except psycopg.Error as error:
            state, reason = error.sqlstate or "", _reason(error)
            gone = lent.is_gone()
            # Without a state, other errors than these are about a value that cannot be sent.
            gone |= not state and isinstance(
                error, psycopg.OperationalError | psycopg.InterfaceError
            )
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
    psycopg = psycopg_module()
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

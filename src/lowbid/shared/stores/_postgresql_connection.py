"""A connection to a PostgreSQL server, made again after it was lost."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from lowbid._optional import needing
from lowbid.shared.stores._connections import abandon, close_with
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores._sql import TABLES

_TYPES = {
    "key": "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "whole": "BIGINT",
    "bytes": "BYTEA",
    "clustered": "",
}
_TABLES_LOCK = 0x10B1D  # so that two processes do not create the tables at the same time


class ServerConnection:
    """A connection to a server, for one thread at a time.

    Parameters
    ----------
    url : str
        The database, as libpq takes it.
    wait : int
        Seconds to wait for locks, and for a machine that does not answer.
    """

    def __init__(self, url: str, wait: int) -> None:
        self._url, self._wait = url, wait
        self._connection: Any = None

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg_module().Error):
                connection.close()

    def abandon(self) -> None:
        """Leave the connection to the process that opened it."""
        if self._connection is not None:
            _let_go_of_socket(self._connection)
            abandon(self._connection)
            self._connection = None

    def is_gone(self) -> bool:
        """Whether the connection was lost; if so, the next transaction makes another."""
        if self._connection is not None and self._connection.closed:
            self._connection = None
        return self._connection is None

    def connected(self, patience: Patience) -> Any:
        """A connection without a transaction, which waits for answers with this patience."""
        if self._connection is not None:
            self._connection.patience = patience
            self.roll_back(self._connection)
        if self._connection is None:
            self._connection = self._connect(patience)
            close_with(self, self._connection)
        return self._connection

    def roll_back(self, connection: Any) -> None:
        """End a transaction, if there is one; give up a connection in the middle of a command."""
        pq = psycopg_module().pq
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

        conninfo, keepalives = psycopg_module().conninfo, self._keepalives()
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


def _let_go_of_socket(connection: Any) -> None:
    """Give up this process's share of a connection, without a word to the server.

    As long as any process has the socket, the server does not notice that the one that opened it
    was killed, and keeps its locks.
    """
    with contextlib.suppress(psycopg_module().Error, OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, connection.pgconn.socket, inheritable=False)
        os.close(nowhere)


def psycopg_module() -> Any:
    """psycopg, or an error that says how to get it."""
    message = "a store at postgresql:// needs psycopg; type: pip install 'lowbid[postgresql]'."
    with needing("psycopg", message):
        import psycopg
    return psycopg

"""Hooks that close all connections to SQLite files before a process forks.

SQLite keeps a record, in memory, of the file locks that a process holds. A forked process inherits
the record but not the locks: it would write without being noticed, and what it wrote could be
dropped by another process. So a fork waits for the transactions in progress and closes all
connections; both processes connect again when they need to.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Protocol

_PAUSE = 0.0002  # seconds between two checks of a transaction that a fork waits for
_GRACE = 1.0  # seconds that it waits beyond the store's patience


class Use:
    """A thread's use of a store."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()


class ForkableStore(Protocol):
    """A store whose connection must not be inherited."""

    patience: float
    use: Use | None

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    def disconnect(self) -> None:
        """Close the connection, if there is one."""

    def abandon(self) -> None:
        """Give up a connection that was inherited nevertheless."""


class Forks:
    """The stores of this process, and the gate that keeps their transactions away from forks."""

    def __init__(self) -> None:
        self._gate = threading.RLock()  # held by a thread that forks
        self._stores: weakref.WeakValueDictionary[int, ForkableStore] = (
            weakref.WeakValueDictionary()
        )

    def watch(self, store: ForkableStore) -> None:
        """Close a store's connection before forks, as long as the store is alive."""
        self._stores[id(store)] = store

    @contextlib.contextmanager
    def kept_away(self, store: ForkableStore) -> Iterator[None]:
        """A block that begins after a fork in progress; later forks wait for its end.

        The gate is not held meanwhile: an interrupt can leave a transaction unfinished, and the
        next one must not wait for it.
        """
        with self._gate:
            store.use = use = Use()
        try:
            yield
        finally:
            if store.use is use:
                store.use = None

    def before(self) -> None:
        """Wait for transactions, let none begin, and close all connections."""
        self._gate.acquire()
        for store in self._alive():
            if _is_free(store):
                store.disconnect()

    def after_in_parent(self) -> None:
        """Let transactions begin."""
        with contextlib.suppress(RuntimeError):  # registered by another thread during the fork
            self._gate.release()

    def after_in_child(self) -> None:
        """Let transactions begin; the threads of those that were open do not exist here."""
        self._gate = threading.RLock()
        for store in self._alive():
            store.use = None
            store.abandon()

    def _alive(self) -> list[ForkableStore]:
        found = [reference() for reference in self._stores.valuerefs()]
        return [store for store in found if store is not None]


def _is_free(store: ForkableStore) -> bool:
    """Wait until a store's connection can be closed; False if it is in use for too long."""
    patience_ends = time.monotonic() + store.patience + _GRACE
    while (use := store.use) is not None:
        if use.thread == threading.get_ident():  # it would wait for itself
            return not store.in_transaction
        if time.monotonic() > patience_ends:
            return False
        time.sleep(_PAUSE)
    return True


forks = Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=forks.before,
        after_in_parent=forks.after_in_parent,
        after_in_child=forks.after_in_child,
    )

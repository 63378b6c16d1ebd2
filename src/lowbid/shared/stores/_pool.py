"""The connections of a process to a store: a few, which its bandits share.

A bandit needs one only during a call. With one for each, a process with a hundred bandits would use
up what a PostgreSQL server allows, and one with a thousand the files that it may open.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from lowbid.errors import StoreUnavailableError
from lowbid.shared._forks import continue_in_children
from lowbid.shared.stores._patience import Patience

# Connections at once. Further calls wait for one of them.
MOST = 8
_STEP = 0.05  # the longest time between two looks whether one is free, in seconds


class Pooled(Protocol):
    """A connection, which is made when it is first used, and again after it was closed."""

    def close(self) -> None:
        """Close it."""

    def abandon(self) -> None:
        """Leave it to the process that opened it."""


C = TypeVar("C", bound=Pooled)


class Pool(Generic[C]):
    """The connections of this process to a store, for one call at a time each.

    Parameters
    ----------
    address : str
        The store's address, for errors.
    make : function
        Makes a connection.
    """

    def __init__(self, address: str, make: Callable[[], C]) -> None:
        self._address, self._make = address, make
        # Whoever used it since they last closed. When all have, no connection is kept.
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()
        self._begin()
        continue_in_children(self)

    def _begin(self) -> None:
        self._process = os.getpid()
        self.idle: list[C] = []
        # One that an interrupt kept from coming back is gone as soon as nobody refers to it.
        self._lent: weakref.WeakSet[C] = weakref.WeakSet()
        self._changed, self._waiting = threading.Condition(), 0

    @contextlib.contextmanager
    def lent(self, user: object, patience: Patience) -> Iterator[C]:
        """A connection for the length of a block; waits if all are in use."""
        self._users.add(user)
        connection = self._free() or self._awaited(patience)
        try:
            yield connection
        finally:
            self._lent.discard(connection)
            self.idle.append(connection)
            if self._waiting:
                with self._changed:
                    self._changed.notify()
            if not self._users:  # it was closed meanwhile, by another thread
                self._close_idle()

    def _free(self) -> C | None:
        """A connection that is free now, unless others wait for one."""
        if self._waiting:
            return None
        with self._changed:
            return self._taken()

    def _taken(self) -> C | None:
        """A connection that is idle, or a new one if there may be more."""
        if self.idle:
            connection = self.idle.pop()
        elif len(self._lent) < MOST:
            connection = self._make()
        else:
            return None
        self._lent.add(connection)
        return connection

    def _awaited(self, patience: Patience) -> C:
        """A connection, as soon as one is free."""
        with self._changed:
            self._waiting += 1
            try:
                while (connection := self._taken()) is None:
                    if patience.is_over(_STEP):
                        raise StoreUnavailableError(
                            f"all {MOST} connections of this process to the store "
                            f"{self._address} were in use for {patience.seconds:g} s; try again, "
                            "or open the bandit with more patience."
                        )
                    self._changed.wait(_STEP)
                return connection
            finally:
                self._waiting -= 1

    def leave(self, user: object) -> None:
        """Keep no connection for a user who is done, if there are no others."""
        self._users.discard(user)
        if not self._users:
            self._close_idle()

    def _close_idle(self) -> None:
        while self.idle:
            with contextlib.suppress(IndexError):  # another thread took it
                self.idle.pop().close()

    def continue_after_fork(self) -> None:
        """Leave all connections to the process that opened them, if that is not this one."""
        if os.getpid() != self._process:
            inherited = [*self.idle, *self._lent]
            self._begin()
            for connection in inherited:
                connection.abandon()


_POOLS: weakref.WeakValueDictionary[Hashable, Pool[Any]] = weakref.WeakValueDictionary()


def pool_of(key: Hashable, address: str, make: Callable[[], C]) -> Pool[C]:
    """The pool of all stores of this process with a key; it lasts as long as one of them does."""
    return _POOLS.get(key) or _POOLS.setdefault(key, Pool(address, make))

"""The interface of a store; another kind of store is one file that implements it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from lowbid.shared._events import LoggedEvent
from lowbid.shared.stores._patience import Patience


class StoredBandit(NamedTuple):
    """A bandit in a store.

    Attributes
    ----------
    key : int
        The store's key for it; stays the same when it is renamed.
    name : str
        The name that users give it.
    format : int
        The version of its log.
    created : int
        When it was created, in microseconds since 1970.
    """

    key: int
    name: str
    format: int
    created: int


class Row(NamedTuple):
    """What a store says of a row of a fleet, besides its body.

    Attributes
    ----------
    process : str
        The id of the process that writes it.
    version : int
        Which of the attempts to write it was the last to succeed, from 1.
    time : int
        When it was written last, in microseconds since 1970.
    is_closed : bool
        Whether it was folded into another one, and takes no more writes.
    """

    process: str
    version: int
    time: int
    is_closed: bool


class Head(NamedTuple):
    """What is known about a bandit when its lock is taken.

    Attributes
    ----------
    format : int
        The version of its log.
    now : int
        The time by the store's clock, in microseconds since 1970.
    """

    format: int
    now: int


class Transaction(ABC):
    """Reads and writes that take effect together, or not at all."""

    @abstractmethod
    def clock(self) -> int:
        """The time by the store's clock, in microseconds since 1970."""

    # Bandits

    @abstractmethod
    def bandits(self) -> list[StoredBandit]:
        """All bandits, in order of name."""

    @abstractmethod
    def find(self, name: str) -> StoredBandit | None:
        """The bandit with this name."""

    @abstractmethod
    def create(self, name: str, log_format: int, created: int) -> int | None:
        """Create a bandit and return its key; None if the name is taken."""

    @abstractmethod
    def lock(self, bandit: int) -> Head | None:
        """Keep all others from writing to a bandit until the transaction ends.

        A read-only transaction blocks nobody. Returns None if the bandit is gone.
        """

    @abstractmethod
    def rename(self, bandit: int, name: str) -> None:
        """Give a bandit another name."""

    @abstractmethod
    def delete(self, bandit: int) -> None:
        """Remove a bandit and everything that belongs to it."""

    # Its log

    @abstractmethod
    def events(self, bandit: int, after: int) -> Iterator[LoggedEvent]:
        """The events after this number, in order."""

    @abstractmethod
    def event(self, bandit: int, number: int) -> LoggedEvent | None:
        """One event."""

    @abstractmethod
    def append(self, bandit: int, events: Sequence[LoggedEvent]) -> None:
        """Write events. A number that is taken is an error."""

    @abstractmethod
    def drop_events(self, bandit: int, up_to: int, before: int, but: Iterable[str]) -> int:
        """Remove events up to a number and before a time, except those with certain names.

        Returns how many were removed.
        """

    # Its snapshot

    @abstractmethod
    def snapshot(self, bandit: int) -> bytes | None:
        """The latest snapshot."""

    @abstractmethod
    def keep_snapshot(self, bandit: int, snapshot: bytes) -> None:
        """Store a snapshot, replacing the previous one."""

    # Its rows: what each process of a fleet has learned

    @abstractmethod
    def rows(self, bandit: int) -> list[Row]:
        """All rows, in order of process."""

    @abstractmethod
    def row_bodies(self, bandit: int, processes: Sequence[str]) -> dict[str, bytes]:
        """The bodies of the rows of these processes, without those that are closed."""

    @abstractmethod
    def write_row(
        self, bandit: int, process: str, before: int, version: int, time: int, body: bytes
    ) -> bool:
        """Replace the version `before` of a row by another one; 0 stands for no row yet.

        Returns False, and writes nothing, if the row is closed or has another version.
        """

    @abstractmethod
    def close_row(self, bandit: int, process: str, version: int) -> bytes | None:
        """Let a row take no more writes, drop its body and return it.

        Returns None, and changes nothing, if the row is closed or has another version.
        """

    @abstractmethod
    def drop_closed_rows(self, bandit: int, before: int) -> None:
        """Remove closed rows that were written last before a time."""

    # Its memory: what is looked up by a key, such as the ids of requests

    @abstractmethod
    def recall(self, bandit: int, space: str, keys: Sequence[str]) -> dict[str, str]:
        """The values of those keys that exist."""

    @abstractmethod
    def remember(self, bandit: int, space: str, time: int, values: Mapping[str, str]) -> None:
        """Set the values of keys, as of a time."""

    @abstractmethod
    def forget(self, bandit: int, space: str, before: int) -> int:
        """Remove what was stored before a time; returns how many keys were removed."""

    # Documents, which belong to no bandit

    @abstractmethod
    def documents(self, space: str) -> dict[str, str]:
        """All documents of a space, by key."""

    @abstractmethod
    def put_document(self, space: str, key: str, body: str) -> None:
        """Write a document, replacing one with the same key."""

    @abstractmethod
    def drop_document(self, space: str, key: str) -> None:
        """Remove a document, if it exists."""


class Store(ABC):
    """A place where bandits are stored.

    One thread at a time uses a store. Failures are raised as `StoreError`, or as
    `StoreUnavailableError` if they may be temporary. The transaction has then not happened, unless
    it failed while it was being committed: in that case, whether it happened must be looked up.

    Attributes
    ----------
    address : str
        The store's URL without secrets, for errors.
    patience : float
        Seconds to wait for a transaction.
    call : Patience or None
        What is left of them for the call in progress, if it is one of several transactions.
    """

    address: str
    patience: float
    call: Patience | None = None

    @contextmanager
    def one_call(self) -> Iterator[Patience]:
        """Have the transactions of the block share the patience that each has on its own."""
        self.call = patience = Patience(self.patience)
        try:
            yield patience
        finally:
            self.call = None

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """A transaction, committed if the block succeeds and rolled back otherwise.

        One that only reads sees a single state of the store, whatever others write meanwhile.
        """

    @abstractmethod
    def twin(self) -> Store:
        """A store at the same address, for another thread."""

    def apart(self) -> Store:
        """A store at the same address, for a transaction that may last: no others wait for it."""
        return self.twin()

    def give_back(self) -> None:  # noqa: B027 - most stores have nothing to do
        """Return the space of what was dropped to the system, if that needs to be asked for."""

    @abstractmethod
    def close(self) -> None:
        """Release the store; the next transaction connects again."""

    @abstractmethod
    def abandon(self) -> None:
        """Forget a connection inherited from the parent of a forked process."""

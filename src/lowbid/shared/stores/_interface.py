"""What a bandit needs of a store; a store of another kind is one file that has this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from lowbid.shared._events import LoggedEvent


class StoredBandit(NamedTuple):
    """A bandit of a store.

    Attributes
    ----------
    key : int
        What the store calls it; stays the same when it is renamed.
    name : str
        What users call it.
    format : int
        The version of its log.
    created : int
        When it was made, in microseconds since 1970.
    """

    key: int
    name: str
    format: int
    created: int


class Head(NamedTuple):
    """What is known of a bandit when its lock is taken.

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
    """Reads and writes that happen all together, or not at all."""

    @abstractmethod
    def clock(self) -> int:
        """The time by the store's clock, in microseconds since 1970."""

    # Bandits

    @abstractmethod
    def bandits(self) -> list[StoredBandit]:
        """All bandits, by name."""

    @abstractmethod
    def find(self, name: str) -> StoredBandit | None:
        """The bandit of this name."""

    @abstractmethod
    def create(self, name: str, log_format: int, created: int) -> int | None:
        """Make a bandit and give its key; None if there is one of this name."""

    @abstractmethod
    def lock(self, bandit: int) -> Head | None:
        """Keep all others from writing to a bandit until the transaction ends.

        In a transaction that only reads, nobody is kept from anything. None if the bandit is gone.
        """

    @abstractmethod
    def rename(self, bandit: int, name: str) -> None:
        """Give a bandit another name."""

    @abstractmethod
    def delete(self, bandit: int) -> None:
        """Remove a bandit and all that belongs to it."""

    # Its log

    @abstractmethod
    def events(self, bandit: int, after: int) -> Iterator[LoggedEvent]:
        """The events with larger numbers than this, in order."""

    @abstractmethod
    def event(self, bandit: int, number: int) -> LoggedEvent | None:
        """One event."""

    @abstractmethod
    def append(self, bandit: int, events: Sequence[LoggedEvent]) -> None:
        """Write events. A number that is taken is an error."""

    @abstractmethod
    def drop_events(self, bandit: int, up_to: int, before: int, but: Iterable[str]) -> int:
        """Remove events up to a number and before a time, but not those of some names.

        Gives how many were removed.
        """

    # Its snapshot

    @abstractmethod
    def snapshot(self, bandit: int) -> bytes | None:
        """The snapshot that was kept last."""

    @abstractmethod
    def keep_snapshot(self, bandit: int, snapshot: bytes) -> None:
        """Keep a snapshot instead of the one before."""

    # Its memory: what is looked up by a key, such as the ids of requests

    @abstractmethod
    def recall(self, bandit: int, space: str, keys: Sequence[str]) -> dict[str, str]:
        """The values of those keys that have one."""

    @abstractmethod
    def remember(self, bandit: int, space: str, time: int, values: Mapping[str, str]) -> None:
        """Give keys a value, as of a time."""

    @abstractmethod
    def forget(self, bandit: int, space: str, before: int) -> int:
        """Remove what was remembered before a time; gives how much that was."""

    # Documents, which belong to no bandit

    @abstractmethod
    def documents(self, space: str) -> dict[str, str]:
        """All documents of a space, by key."""

    @abstractmethod
    def put_document(self, space: str, key: str, body: str) -> None:
        """Write a document, in the place of one of the same key."""

    @abstractmethod
    def drop_document(self, space: str, key: str) -> None:
        """Remove a document, if it is there."""


class Store(ABC):
    """A place where bandits live, and what is at its address.

    One thread at a time uses a store. What goes wrong is raised as `StoreError`, or as
    `StoreUnavailableError` if it may be over in a while; then the transaction has not happened,
    unless it failed while it was being committed: then its outcome is not known until it is
    looked up.

    Attributes
    ----------
    address : str
        What errors call the store: its URL without secrets.
    patience : float
        For how many seconds a transaction is waited for.
    """

    address: str
    patience: float

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """A transaction, committed when the block ends well and rolled back else."""

    @abstractmethod
    def twin(self) -> Store:
        """A store at the same address, with a connection of its own."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the store; the next transaction takes it up again."""

    @abstractmethod
    def abandon(self) -> None:
        """Forget a connection that belongs to the process that this one was forked from."""

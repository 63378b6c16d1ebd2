"""The keys and sessions that a server knows of."""

from __future__ import annotations

import time

from lowbid.service._hashed_secrets import presented
from lowbid.service._sessions import Session, read_sessions
from lowbid.service.api_keys import Key, read_keys
from lowbid.shared.stores import Store


class Keyring:
    """The valid keys and sessions of a store, as of the last time they were read.

    Attributes
    ----------
    read_at : float
        When that was, by the monotonic clock.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: dict[str, Key] = {}
        self._sessions: dict[str, Session] = {}
        self.read_at = -float("inf")

    @property
    def age(self) -> float:
        """How many seconds ago they were read."""
        return time.monotonic() - self.read_at

    def refresh(self) -> None:
        """Read the keys and sessions again."""
        began = time.monotonic()
        with self._store.transaction(write=False) as transaction:
            keys, sessions = read_keys(transaction), read_sessions(transaction)
        self._keys = {key.id: key for key in keys if key.revoked is None}
        self._sessions = sessions
        self.read_at = began

    def find(self, text: str) -> Key | None:
        """The valid key with this text, if there is one."""
        return presented(self._keys, text)

    def session(self, cookie: str) -> Session | None:
        """The session with this cookie, if it has not ended."""
        found = presented(self._sessions, cookie)
        return found if found is not None and time.time() < found.until else None

    def key_of(self, session: Session) -> Key | None:
        """The key that somebody signed in with, if it is still valid."""
        return self._keys.get(session.key)

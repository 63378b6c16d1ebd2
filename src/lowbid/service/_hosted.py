"""The experiments that a server has open, each a shared bandit."""

from __future__ import annotations

import threading
from typing import Any

from lowbid.errors import UnknownNameError
from lowbid.shared import SharedBandit, list_bandits
from lowbid.shared import open as open_bandit
from lowbid.shared.stores import Store


class Experiments:
    """All experiments in a store; each is opened when first requested.

    Parameters
    ----------
    store : Store
        Only its address is used: every experiment has its own connection.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._mutex = threading.Lock()
        self.open: dict[str, SharedBandit] = {}

    def names(self) -> list[str]:
        """The names of all experiments in the store."""
        return [bandit.name for bandit in list_bandits(self._store.twin())]

    def get(self, name: str) -> SharedBandit:
        """An experiment, or a clear error if there is none with this name."""
        with self._mutex:
            found = self.open.get(name)
            if found is None:
                found = self.open[name] = self._opened(name)
            return found

    def make(self, name: str, **settings: Any) -> SharedBandit:
        """Create an experiment; an existing one must have the same settings."""
        with self._mutex:
            bandit = open_bandit(self._store.twin(), name, **settings)
            if name in self.open:
                bandit.close()
            else:
                self.open[name] = bandit
            return self.open[name]

    def _opened(self, name: str) -> SharedBandit:
        try:
            return open_bandit(self._store.twin(), name)
        except UnknownNameError:
            # Clients need not know where the store is or what else it holds.
            raise UnknownNameError(
                f"there is no experiment {name!r}; POST /v1/experiments creates one."
            ) from None

    def exists(self, name: str) -> bool:
        """Whether there is an experiment with this name."""
        try:
            self.get(name)
        except UnknownNameError:
            return False
        return True

    def forget_if_gone(self, name: str) -> bool:
        """Close an experiment that was deleted or renamed in the store; return whether it was."""
        found = self.open.get(name)
        keys = {each.name: each.key for each in list_bandits(self._store.twin())}
        gone = found is not None and keys.get(name) != found.key
        if gone:
            self.drop(name)
        return gone

    def drop(self, name: str) -> None:
        """Close an experiment that was deleted or renamed in the store."""
        with self._mutex:
            found = self.open.pop(name, None)
        if found is not None:
            found.close()

    def close(self) -> None:
        """Release the store."""
        with self._mutex:
            for bandit in self.open.values():
                bandit.close()
            self.open.clear()

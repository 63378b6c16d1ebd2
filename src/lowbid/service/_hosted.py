"""The experiments that a server has open, each a shared bandit."""

from __future__ import annotations

import threading
from typing import Any

from lowbid.errors import UnknownNameError
from lowbid.service._lane import Lane
from lowbid.shared import SharedBandit
from lowbid.shared import open as open_bandit
from lowbid.shared._open import list_bandits
from lowbid.shared.stores import Store


class Hosted:
    """An open experiment.

    Attributes
    ----------
    bandit : SharedBandit
        The bandit, for views and for changes, which may take a while.
    lane : Lane
        The thread that carries out decisions and outcomes.
    key : int
        The store's key for it: a new experiment with the same name has a different one.
    """

    def __init__(self, bandit: SharedBandit) -> None:
        self.bandit, self.lane = bandit, Lane(bandit)
        self.key = bandit._log.bandit

    def close(self) -> None:
        """Finish accepted work, and release the store."""
        self.lane.close()
        self.bandit.close()


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
        self.open: dict[str, Hosted] = {}

    def names(self) -> list[str]:
        """The names of all experiments in the store."""
        return [bandit.name for bandit in list_bandits(self._store.twin())]

    def get(self, name: str) -> Hosted:
        """An experiment, or a clear error if there is none with this name."""
        with self._mutex:
            found = self.open.get(name)
            if found is None:
                found = self.open[name] = Hosted(self._opened(name))
            return found

    def make(self, name: str, **settings: Any) -> Hosted:
        """Create an experiment; an existing one must have the same settings."""
        with self._mutex:
            bandit = open_bandit(self._store.twin(), name, **settings)
            if name in self.open:
                bandit.close()
            else:
                self.open[name] = Hosted(bandit)
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
        """Finish accepted work, and release the store."""
        with self._mutex:
            for hosted in self.open.values():
                hosted.close()
            self.open.clear()

"""The keys that the calls of a commit look up, and the values they store there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lowbid.shared.stores import Transaction

# The spaces: the decisions made for a request id, the arm that a unit has, the outcome recorded for
# a decision (or that it was given up), and the last one that was not recorded.
REQUESTS, STICKY_ARMS, OUTCOMES, REFUSED = "request", "unit", "outcome", "refused"
GIVEN_UP = "given up"

Key = tuple[str, str]  # space, key


class KeyedMemory:
    """A bandit's memory during one transaction: read once, written once.

    Calls in the same commit see what earlier ones wrote.
    """

    def __init__(self, transaction: Transaction, bandit: int, keys: Iterable[Key]) -> None:
        self._transaction, self._bandit = transaction, bandit
        wanted: dict[str, dict[str, None]] = {}
        for space, key in keys:
            wanted.setdefault(space, {})[key] = None
        self._known: dict[Key, str] = {}
        for space, some in wanted.items():
            found = transaction.recall(bandit, space, list(some))
            self._known.update({(space, key): value for key, value in found.items()})
        self._new: dict[str, dict[str, str]] = {}

    def get(self, space: str, key: str) -> Any:
        """The value of a key that was asked for, or None."""
        value = self._known.get((space, key))
        return None if value is None else json.loads(value)

    def put(self, space: str, key: str, value: Any) -> None:
        """Set the value of a key."""
        text = repr(value) if type(value) is float else json.dumps(value)
        self._known[space, key] = text
        self._new.setdefault(space, {})[key] = text

    def write(self, time: int) -> None:
        """Write new values to the transaction."""
        for space, values in self._new.items():
            self._transaction.remember(self._bandit, space, time, values)

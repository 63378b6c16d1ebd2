"""A bandit's state, in and out."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Self

from lowbid._replace_file import replace_file
from lowbid.errors import InvalidValueError
from lowbid.online._ledger import merged_ledger
from lowbid.online._parts import Parts
from lowbid.online._saved import decoded, encoded
from lowbid.policies import Policy


class Storage(Parts):
    """How a bandit is kept, restored and merged with another."""

    def to_json(self) -> str:
        """All there is to know about this bandit, its random numbers included, as a text."""
        with self._lock:
            return encoded(self)

    @classmethod
    def from_json(cls, text: str, *, policy: Policy | None = None) -> Self:
        """A bandit that goes on exactly as the one that `to_json` described would have.

        Parameters
        ----------
        text : str
            What `to_json` gave.
        policy : Policy, optional
            The policy, if it is not one of lowbid's own or has a function among its parameters:
            code is not kept in the text.
        """
        return decoded(cls, text, policy, "the text")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json` to a file.

        The file is replaced whole or not at all: whenever the machine stops, it is the old one or
        the new one. When `save` returns, the new one is on disk.
        """
        text = self.to_json()
        with replace_file(Path(path), durable=True) as file:
            file.write(text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, policy: Policy | None = None) -> Self:
        """Read a file that `save` wrote; see `from_json`."""
        return decoded(cls, Path(path).read_bytes(), policy, str(path))

    def merge(self, other: Self) -> None:
        """Take in all that another bandit has learned from feedback that this one did not see.

        Both must have the same policy, arms and kind of feedback. The other stays as it is; from
        now on this one answers for its decisions too.
        """
        if not isinstance(other, type(self)):
            raise InvalidValueError(f"{other!r} is not a bandit; give one.")
        twin = copy.deepcopy(other)  # so that only one lock is held at a time
        with self._lock:
            self._require_alike(twin)
            order = [twin._roster.number[name] for name in self._roster.names]
            twin._engine.reorder(order)
            merged = self.policy.merge(self._engine.state, twin._engine.state)
            self._decisions.take_over(twin._decisions, self.step, twin.step)
            self._roster.ledger = merged_ledger(self._roster.ledger, twin._roster.ledger[order])
            self._engine.take_over(merged, twin.step, twin.capacity)
            self._roster.removed |= twin._roster.removed
            self._feedback = self._feedback or twin._feedback

    def _require_alike(self, other: Parts) -> None:
        """Refuse to merge with a bandit that is not about the same thing."""
        mine, theirs = self._roster, other._roster
        pairs = {
            "policies": (self.policy, other.policy),
            "arms": (set(mine.names), set(theirs.names)),
            "horizons": (self.horizon, other.horizon),
        }
        if self._feedback is not None and other._feedback is not None:
            pairs["kinds or ranges of feedback"] = (self._feedback, other._feedback)
        for what, (ours, others) in pairs.items():
            if ours != others:
                raise InvalidValueError(
                    f"the bandits have different {what}: {ours!r} and {others!r}; only like can "
                    "be merged with like."
                )
        if mine.shelf or theirs.shelf:
            raise InvalidValueError("a bandit has paused arms; resume or remove them, then merge.")

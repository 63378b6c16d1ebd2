"""Decisions whose outcome is not known yet."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from lowbid.errors import InvalidValueError, UnknownNameError

Arm = str | int
Why = Literal["closed", "removed"] | None


class Decision(NamedTuple):
    """One arm, chosen once.

    Attributes
    ----------
    arm : str or int
        What to do.
    id : str
        What to call this decision when its outcome is known, be it in another process.
    """

    arm: Arm
    id: str


class Decisions:
    """All decisions of a bandit that are still open, oldest first.

    An id is a word that is the bandit's own and a number that counts its decisions, so it is known
    of every id whether it was ever given out, and what is closed need not be kept.
    """

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.word = self._new_word()
        self.open: dict[str, tuple[Arm | None, int]] = {}  # id: arm, or None if removed; step

    def _new_word(self) -> str:
        word = secrets.token_hex(4)
        self.words[word] = 0
        return word

    def add(self, arm: Arm, step: int) -> Decision:
        """A new decision, made at this step."""
        number = self.words[self.word] = self.words[self.word] + 1
        decision = Decision(arm, f"{self.word}-{number}")
        self.open[decision.id] = (arm, step)
        return decision

    def status(self, decision: Decision) -> Why:
        """Whether a decision is open (None), closed, or of an arm that was removed."""
        identity = decision.id
        found = self.open.get(identity) if isinstance(identity, str) else None
        if found is None:
            if not self._given_out(identity):
                raise UnknownNameError(
                    f"decision {identity!r} was not made by this bandit; give it to the one that "
                    "made it."
                )
            return "closed"
        arm = found[0]
        if arm is None:
            return "removed"
        if not (isinstance(decision.arm, str | int | np.integer) and arm == decision.arm):
            raise InvalidValueError(
                f"decision {identity!r} is for arm {arm!r}, not {decision.arm!r}."
            )
        return None

    def close(self, decision: Decision) -> None:
        """Forget a decision."""
        self.open.pop(decision.id, None)

    def expired(self, before: int) -> Iterator[Decision]:
        """Close and give all decisions that were made before a step."""
        while self.open:
            identity, (arm, step) = next(iter(self.open.items()))
            if step >= before:
                return
            del self.open[identity]
            if arm is not None:
                yield Decision(arm, identity)

    def count_by_arm(self) -> Counter[Arm]:
        """How many decisions of each arm are open; of removed ones none."""
        return Counter(arm for arm, _ in self.open.values() if arm is not None)

    def remove_arm(self, arm: Arm) -> None:
        """Mark the open decisions of an arm: their outcomes will come too late."""
        for identity, (other, step) in self.open.items():
            if other == arm:
                self.open[identity] = (None, step)

    def take_over(self, other: Decisions, step: int, other_step: int) -> None:
        """Answer for the decisions of another bandit too; steps add up, ages stay."""
        shared = self.words.keys() & other.words.keys()
        if shared:
            raise InvalidValueError(
                "these bandits have a common past (one is a copy of the other, or both were "
                "merged with a third): merging them would count it twice."
            )
        self.words |= other.words
        merged = [(i, (arm, made + other_step - 1)) for i, (arm, made) in self.open.items()]
        merged += [(i, (arm, made + step - 1)) for i, (arm, made) in other.open.items()]
        self.open = dict(sorted(merged, key=lambda item: item[1][1]))

    def _given_out(self, identity: object) -> bool:
        if not isinstance(identity, str):
            return False
        word, _, number = identity.partition("-")
        most = self.words.get(word, 0)
        counted = number.isascii() and number.isdigit() and len(number) <= len(str(most))
        return counted and 0 < int(number) <= most

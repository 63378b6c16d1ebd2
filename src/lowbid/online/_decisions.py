"""Decisions whose outcome is not known yet."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from lowbid._require import require, require_choice, require_whole, shown
from lowbid.errors import InvalidValueError, UnknownNameError

Arm = str | int
# Why an outcome was not recorded.
Rejection = Literal["closed", "removed"]


class Decision(NamedTuple):
    """One arm, chosen once.

    Attributes
    ----------
    arm : str or int
        The arm that was chosen.
    id : str
        The id to report the outcome with, from any process.
    """

    arm: Arm
    id: str


class Decisions:
    """All decisions of a bandit that are still open, oldest first.

    An id consists of a word unique to the bandit and the number of the decision, so a bandit can
    tell whether an id was ever used, and closed decisions need not be kept.
    """

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # the number of decisions made under each word
        self.open: dict[str, tuple[Arm | None, int]] = {}  # id: arm, or None if removed; step
        self.use_word(secrets.token_hex(4))

    @classmethod
    def under(cls, word: str) -> Self:
        """A record without decisions; future ones are made under this word."""
        decisions = cls()
        decisions.word, decisions.words = word, {word: 0}
        return decisions

    def use_word(self, word: str) -> None:
        """Make further decisions under this word."""
        self.word = word
        self.words.setdefault(word, 0)

    def forget_words(self, most: int) -> None:
        """If there are more words than this, forget the oldest of those without open decisions.

        Closed decisions under such a word are no longer known.
        """
        if len(self.words) > most:
            used = {identity.partition("-")[0] for identity in self.open} | {self.word}
            spare = [word for word in self.words if word not in used]
            for word in spare[: len(self.words) - most // 2]:  # not one by one: that takes a while
                del self.words[word]

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "word": self.word,
            "words": self.words,
            "open": [[identity, *found] for identity, found in self.open.items()],
        }

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore what `to_data` returned, or raise an error if it cannot have been so."""
        decisions = cls()
        decisions.word, decisions.words = saved["word"], dict(saved["words"])
        require_choice("word", decisions.word, tuple(decisions.words))
        for word, made in decisions.words.items():
            require_whole(f"the number of decisions under {word!r}", made, at_least=0)
        decisions.open = {identity: (arm, step) for identity, arm, step in saved["open"]}
        for identity, (_, step) in decisions.open.items():
            require(
                decisions.is_known(identity),
                f"an open decision is {shown(identity)}; give only those that were made.",
            )
            require_whole(f"the step of decision {identity!r}", step, at_least=0)
        return decisions

    def add(self, arm: Arm, step: int) -> Decision:
        """A new decision, made at this step."""
        number = self.words[self.word] = self.words[self.word] + 1
        decision = Decision(arm, f"{self.word}-{number}")
        self.open[decision.id] = (arm, step)
        return decision

    def status(self, decision: Decision) -> Rejection | None:
        """Whether a decision is open (None), closed, or of an arm that was removed."""
        identity = decision.id
        found = self.open.get(identity) if isinstance(identity, str) else None
        if found is None:
            if not self.is_known(identity):
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
        """Close and return all decisions that were made before a step."""
        while self.open:
            identity, (arm, step) = next(iter(self.open.items()))
            if step >= before:
                return
            del self.open[identity]
            if arm is not None:
                yield Decision(arm, identity)

    def pending(self) -> list[Decision]:
        """All open decisions of arms that were not removed, oldest first."""
        found = [(arm, identity) for identity, (arm, _) in self.open.items()]
        return [Decision(arm, identity) for arm, identity in found if arm is not None]

    def count_by_arm(self) -> Counter[Arm]:
        """The number of open decisions of each arm that was not removed."""
        return Counter(decision.arm for decision in self.pending())

    def remove_arm(self, arm: Arm) -> None:
        """Mark the open decisions of a removed arm: their outcomes will come too late."""
        for identity, (other, step) in self.open.items():
            if other == arm:
                self.open[identity] = (None, step)

    def require_no_common_past(self, other: Decisions) -> None:
        """Refuse to take over decisions that are already known here."""
        if self.words.keys() & other.words.keys():
            raise InvalidValueError(
                "these bandits have a common past (one is a copy of the other, or both were "
                "merged with a third): merging them would count it twice. Processes that keep "
                "learning from each other share one bandit: lowbid.open."
            )

    def take_over(self, other: Decisions, step: int, other_step: int) -> None:
        """Take over the decisions of another bandit; steps add up, ages stay the same."""
        self.words |= other.words
        merged = [(i, (arm, made + other_step - 1)) for i, (arm, made) in self.open.items()]
        merged += [(i, (arm, made + step - 1)) for i, (arm, made) in other.open.items()]
        self.open = dict(sorted(merged, key=lambda item: item[1][1]))

    def is_known(self, identity: object) -> bool:
        """Whether this bandit made a decision, or one that was merged into it."""
        if not isinstance(identity, str):
            return False
        word, _, number = identity.partition("-")
        most = self.words.get(word, 0)
        counted = number.isascii() and number.isdigit() and len(number) <= len(str(most))
        return counted and number[0] != "0" and int(number) <= most

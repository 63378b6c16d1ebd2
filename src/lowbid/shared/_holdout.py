"""Units that always get the control arm, and how the others compare with them."""

from __future__ import annotations

import hashlib
from typing import Any, Self

import numpy as np

from lowbid._compile import interpreted
from lowbid._require import require_whole
from lowbid.online import (
    LOW,
    WIDTH,
    Arm,
    Decision,
    Decisions,
    Feedback,
    check_ledger,
    empty_ledger,
    merged_ledger,
    row_from,
    row_to,
)
from lowbid.shared._lift import Lift, lift_of, record_surprise

_GROUPS = ("decided", "held out")
_MARK = "h"  # ends the words of their decisions; those of others are hexadecimal


class Holdout:
    """The decisions of units that are held out, with their outcomes and those of the others.

    The policy never sees them.

    Attributes
    ----------
    decisions : Decisions
        Those that are open.
    made : int
        How many were made.
    """

    def __init__(self, word: str) -> None:
        self.decisions, self.made = Decisions.under(f"{word}{_MARK}"), 0
        self.compare_anew()

    def use_word(self, word: str) -> None:
        """Make further decisions under this word."""
        self.decisions.use_word(f"{word}{_MARK}")

    def decide(self, control: Arm) -> Decision:
        """A decision for a unit that is held out."""
        self.made += 1
        return self.decisions.add(control, 0)

    def compare_anew(self) -> None:
        """Begin a comparison, with another control arm."""
        self._ledger, self._surprises = empty_ledger(len(_GROUPS)), np.zeros(len(_GROUPS))

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        groups = self.groups_to_data()
        return {"decisions": self.decisions.to_data(), "made": self.made, "groups": groups}

    def groups_to_data(self) -> list[dict[str, Any]]:
        """The outcomes of both groups, as plain data."""
        return [
            {**row_to(name, row), "surprise": surprise}
            for name, row, surprise in zip(
                _GROUPS, self._ledger, self._surprises.tolist(), strict=True
            )
        ]

    def groups_from_data(self, saved: list[dict[str, Any]]) -> None:
        """Restore what `groups_to_data` returned."""
        self._ledger = np.array([row_from(row) for _, row in zip(_GROUPS, saved, strict=True)])
        check_ledger(self._ledger)
        self._surprises = np.array([float(row["surprise"]) for row in saved])

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore a holdout from the data that `to_data` returned."""
        holdout = cls("")
        holdout.decisions = Decisions.from_data(saved["decisions"])
        holdout.made = require_whole("made", saved["made"], at_least=0)
        holdout.groups_from_data(saved["groups"])
        return holdout

    def has(self, identity: str) -> bool:
        """Whether a decision is one of a unit that was held out."""
        return identity.partition("-")[0].endswith(_MARK)

    def record(self, group: int, value: float, feedback: Feedback) -> None:
        """Record an outcome of a unit that the policy decided for, or of one held out."""
        ends = feedback.scale[LOW], feedback.scale[WIDTH]
        with interpreted():  # not worth compiling
            record_surprise(self._ledger, self._surprises, group, value, *ends)

    def add(self, other: Holdout) -> None:
        """Add the outcomes of another process."""
        self._ledger = merged_ledger(self._ledger, other._ledger)
        self._surprises = self._surprises + other._surprises

    def lift(self, feedback: Feedback | None, confidence: float) -> Lift:
        """The other units compared with the holdout."""
        return lift_of(self._ledger, self._surprises, feedback, confidence)


def writer_of(identity: str) -> str:
    """The word of the process that made a decision, held out or not."""
    return identity.partition("-")[0].removesuffix(_MARK)


def is_held_out(unit: str, seed: int, share: float) -> bool:
    """Whether a unit belongs to the holdout: a function of its name and the bandit's seed."""
    digest = hashlib.blake2b(f"holdout/{seed}/{unit}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2.0**64

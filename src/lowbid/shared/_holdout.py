"""Units that always get the control arm, and how the others compare with them."""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple, Self

import numpy as np

from lowbid._require import require_confidence
from lowbid.online._decisions import Arm, Decisions
from lowbid.online._feedback import LOW, WIDTH, Feedback
from lowbid.online._ledger import COUNT, MEAN, Ledger, empty_ledger, record, row_from, row_to
from lowbid.online._sequences import intervals


class Lift(NamedTuple):
    """The policy's choices compared with the control arm.

    Attributes
    ----------
    difference : float
        The mean outcome of the units that the policy decided for, minus that of the units held out.
        NaN until there are outcomes of both.
    low, high : float
        The interval for the true difference: the means of the arms, weighted as they were played,
        minus the mean of the control arm. It holds at all times simultaneously, so you may look as
        often as you like.
    sure : bool
        Whether the interval shows that the policy's choices are better than the control arm.
    decided, held_out : float
        The two mean outcomes.
    decided_count, held_out_count : int
        The number of outcomes behind each mean.
    confidence : float
        The probability that the interval holds at all times; a proven bound if the range of the
        outcomes was declared.
    """

    difference: float
    low: float
    high: float
    sure: bool
    decided: float
    held_out: float
    decided_count: int
    held_out_count: int
    confidence: float


class Holdout:
    """The decisions of units that are held out, with their outcomes and those of the others.

    The policy never sees them. For units that are not held out, outcomes are kept by arm, including
    removed arms: confidence sequences hold for the arms' means, however the arms were chosen.
    """

    def __init__(self, word: str) -> None:
        self.decisions = Decisions.under(f"{word}h")
        self.names: list[Arm | None] = [None]  # of the ledger's rows; the first is the holdout
        self.ledger = empty_ledger(1)

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        rows = [row_to(*row) for row in zip(self.names, self.ledger, strict=True)]
        return {"decisions": self.decisions.to_data(), "rows": rows}

    @classmethod
    def from_data(cls, saved: dict[str, Any]) -> Self:
        """Restore a holdout from the data that `to_data` returned."""
        holdout = cls("")
        holdout.decisions = Decisions.from_data(saved["decisions"])
        holdout.names = [row["name"] for row in saved["rows"]]
        holdout.ledger = np.array([row_from(row) for row in saved["rows"]])
        return holdout

    def has(self, identity: str) -> bool:
        """Whether a decision is one of a unit that was held out."""
        return identity.startswith(f"{self.decisions.word}-")

    def record(self, arm: Arm | None, value: float, feedback: Feedback) -> None:
        """Record an outcome of an arm that the policy chose, or of the holdout (None)."""
        if arm not in self.names:
            self.names.append(arm)
            self.ledger = np.concatenate([self.ledger, empty_ledger(1)])
        ends = feedback.scale[LOW], feedback.scale[WIDTH]
        record.function(self.ledger, self.names.index(arm), value, *ends)  # not worth compiling

    def lift(self, feedback: Feedback | None, confidence: float) -> Lift:
        """The other units compared with the holdout."""
        require_confidence(confidence)
        declared = None if feedback is None else feedback.declared
        bounds = intervals(self.ledger, declared, (1.0 - confidence) / len(self.names))
        counts, means = self.ledger[1:, COUNT], self.ledger[1:, MEAN]
        total, held = float(counts.sum()), float(self.ledger[0, COUNT])
        low = high = difference = math.nan
        decided = float(counts @ means) / total if total else math.nan
        held_out = float(self.ledger[0, MEAN]) if held else math.nan
        if total and held:
            difference = decided - held_out
            low = _weighted(counts, bounds[1:, 0]) - float(bounds[0, 1])
            high = _weighted(counts, bounds[1:, 1]) - float(bounds[0, 0])
        rewards = feedback is not None and feedback.rewards
        sure = low > 0.0 if rewards else high < 0.0
        numbers = (decided, held_out, int(total), int(held), float(confidence))
        return Lift(difference, low, high, bool(sure), *numbers)


def _weighted(counts: Ledger, ends: Ledger) -> float:
    """The ends of the intervals, weighted by how often each arm was played."""
    played = counts > 0
    return float(counts[played] @ ends[played] / counts.sum())


def is_held_out(unit: str, seed: int, share: float) -> bool:
    """Whether a unit belongs to the holdout: a function of its name and the bandit's seed."""
    digest = hashlib.blake2b(f"holdout/{seed}/{unit}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2.0**64

"""The arms' sums as gains, in which larger is better, and what tells them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import When, compiling
from lowbid._evidence import (
    COUNT,
    MEAN,
    costs_of_pair,
    least_difference,
    mirrored,
    pair_bound,
    pair_evidence,
)
from lowbid.online._decisions import Arm
from lowbid.online._feedback import Feedback
from lowbid.online._ledger import Ledger

if TYPE_CHECKING:
    from lowbid.online._core import Core


class Difference(NamedTuple):
    """The mean outcome of one arm minus that of another, and the interval that it lies in."""

    difference: float
    low: float
    high: float


class Gains:
    """The arms' sums as gains, and what it takes to tell them apart.

    Attributes
    ----------
    place : dict
        The row of each arm, including paused ones.
    sums : array
        A row per arm; see `lowbid._evidence`.
    bounded : bool
        Whether the range is declared; then gains are scaled into [0, 1].
    unit : float
        What a gain of 1 is in the caller's unit: negative for losses.
    """

    def __init__(
        self, rows: Mapping[Arm, Ledger], feedback: Feedback | None, compiled: When
    ) -> None:
        low, high = (feedback and feedback.declared) or (0.0, 0.0)
        rewards = feedback is None or feedback.rewards
        width = high - low
        self.place = {arm: place for place, arm in enumerate(rows)}
        self.sums: Floats = mirrored(np.array(list(rows.values())), low, width, rewards=rewards)
        self.bounded = width > 0.0
        self.unit = (width or 1.0) * (1.0 if rewards else -1.0)
        self._compiled, self._costs = compiled, costs_of_pair()

    @classmethod
    def of(cls, core: Core) -> Self:
        """Those of all outcomes, for views: they wait for compiled code, which is far faster."""
        when: When = "never" if core.engine.compiled == "never" else "now"
        return cls(core.roster.rows, core.feedback, when)

    def leader(self) -> Arm | None:
        """The arm with the best mean, then most outcomes; None unless all arms have outcomes."""
        counts, means = self.sums[:, COUNT], self.sums[:, MEAN]
        if len(counts) == 0 or not counts.all():
            return None
        return list(self.place)[int(np.lexsort((-counts, -means))[0])]

    def is_best(self, arm: Arm, tolerance: float, limit: float) -> bool:
        """Whether the evidence against every other arm reaches a limit; False without others."""
        others = [other for other in self.place if other != arm]
        by = -tolerance / abs(self.unit)
        with compiling(self._compiled):
            for rule in (pair_bound, pair_evidence):  # the first is fast, and often enough
                for other in others:
                    rows = self._rows(arm, other)
                    if rule(*rows, by, self.bounded, self._costs) < limit:
                        return False
        return bool(others)

    def evidence(self, arm: Arm, other: Arm, by: float) -> float:
        """The evidence that an arm is better than another by more than a margin.

        The margin is in the caller's unit.
        """
        rows = self._rows(arm, other)
        with compiling(self._compiled):
            return float(pair_evidence(*rows, by / abs(self.unit), self.bounded, self._costs))

    def ends(self, arm: Arm, other: Arm, error: float) -> tuple[float, float]:
        """The interval of how much better an arm is; each end ever misses with this probability."""
        one, two = self._rows(arm, other)
        limit, unit = math.log(1.0 / error), abs(self.unit)
        with compiling(self._compiled):
            low = least_difference(one, two, limit, self.bounded, self._costs)
            high = -least_difference(two, one, limit, self.bounded, self._costs)
        return unit * float(low), unit * float(high)

    def ahead(self, arm: Arm, other: Arm) -> float:
        """How much better an arm's mean is; NaN until both have outcomes."""
        one, two = self._rows(arm, other)
        if one[COUNT] == 0.0 or two[COUNT] == 0.0:
            return math.nan
        return float(abs(self.unit) * (one[MEAN] - two[MEAN]))

    def in_units(self, arm: Arm, other: Arm, error: float, most: float = math.inf) -> Difference:
        """The difference of two means, in the caller's unit: of losses, negative is better.

        An arm that is known to be better by at most a margin has an interval that ends there.
        """
        difference = self.ahead(arm, other)
        low, high = self.ends(arm, other, error)
        low, high = min(low, most), min(high, most)
        if self.unit < 0.0:
            return Difference(-difference, -high, -low)
        return Difference(difference, low, high)

    def _rows(self, arm: Arm, other: Arm) -> tuple[Floats, Floats]:
        return self.sums[self.place[arm]], self.sums[self.place[other]]

"""Two arms compared: evidence, and an interval of the difference, that hold at all times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import compiling
from lowbid._evidence import (
    COUNT,
    MEAN,
    costs_of_pair,
    least_difference,
    mirrored,
    pair_evidence,
)
from lowbid._require import require_confidence, require_finite
from lowbid.errors import InvalidValueError
from lowbid.online._core import Core
from lowbid.online._decisions import Arm


class Comparison(NamedTuple):
    """Two arms compared, whenever and however often you look.

    Attributes
    ----------
    difference : float
        The arm's mean outcome minus the other's; NaN until both have outcomes.
    low, high : float
        The interval that the true difference lies in; infinite while too little is known.
    sure : bool
        Whether the interval shows that the arm is better by more than `by`.
    evidence : float
        For that claim: it becomes sure at log(1 / error), with the error of one end.
    by : float
        The margin, in the unit of the outcomes.
    confidence : float
        The probability that the interval, and all those of the same call, hold at all times. It is
        a proven bound if the range of outcomes was declared. It assumes that each arm's mean does
        not change.
    """

    difference: float
    low: float
    high: float
    sure: bool
    evidence: float
    by: float
    confidence: float


class Gains:
    """The arms' sums as gains, larger is better, and what it takes to tell them apart.

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

    def __init__(self, core: Core) -> None:
        rows, feedback = core.roster.rows, core.feedback
        low, high = (feedback and feedback.declared) or (0.0, 0.0)
        rewards = feedback is None or feedback.rewards
        width = high - low
        self.place = {arm: place for place, arm in enumerate(rows)}
        self.sums: Floats = mirrored(np.array(list(rows.values())), low, width, rewards=rewards)
        self.bounded = width > 0.0
        self.unit = (width or 1.0) * (1.0 if rewards else -1.0)
        self._compiled, self._costs = core.engine.compiled, costs_of_pair()

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
        limit = math.log(1.0 / error)
        with compiling(self._compiled):
            low = least_difference(one, two, limit, self.bounded, self._costs)
            high = -least_difference(two, one, limit, self.bounded, self._costs)
        return abs(self.unit) * float(low), abs(self.unit) * float(high)

    def ahead(self, arm: Arm, other: Arm) -> float:
        """How much larger an arm's mean gain is; NaN until both have outcomes."""
        one, two = self._rows(arm, other)
        if one[COUNT] == 0.0 or two[COUNT] == 0.0:
            return math.nan
        return float(abs(self.unit) * (one[MEAN] - two[MEAN]))

    def _rows(self, arm: Arm, other: Arm) -> tuple[Floats, Floats]:
        return self.sums[self.place[arm]], self.sums[self.place[other]]


def compared(core: Core, arm: Any, other: Any, by: Any, confidence: float) -> Comparison:
    """An arm compared with another."""
    require_confidence(confidence)
    margin = _margin(by)
    core.roster.require(arm)
    core.roster.require(other)
    if arm == other:
        raise InvalidValueError(f"{arm!r} was given twice; give two different arms.")
    return _compared(Gains(core), arm, other, margin, confidence, pairs=1)


def compared_with_control(
    core: Core, control: Any, by: Any, confidence: float
) -> dict[Arm, Comparison]:
    """Every other arm compared with one; all intervals hold together."""
    require_confidence(confidence)
    margin = _margin(by)
    core.roster.require(control)
    gains = Gains(core)
    others = [arm for arm in gains.place if arm != control]
    pairs = len(others)
    return {arm: _compared(gains, arm, control, margin, confidence, pairs) for arm in others}


def read_comparison(arm: Sequence[Any], control: Any) -> None:
    """An error unless either two arms were given, or a control."""
    given = [each for each in arm if each is not None]
    if len(given) == (0 if control is not None else 2):
        return
    raise InvalidValueError(
        f"{len(given)} arms and {'a' if control is not None else 'no'} control were given; use "
        "compare(arm, other), or compare(control=arm) for all arms."
    )


def _compared(
    gains: Gains, arm: Arm, other: Arm, by: float, confidence: float, pairs: int
) -> Comparison:
    error = (1.0 - confidence) / (2.0 * pairs)
    low, high = gains.ends(arm, other, error)
    difference = gains.ahead(arm, other)
    if gains.unit < 0.0:  # of losses, the lower is better
        difference, low, high = -difference, -high, -low
    evidence = gains.evidence(arm, other, by)
    sure = evidence >= math.log(1.0 / error)
    return Comparison(difference, low, high, sure, evidence, by, float(confidence))


def _margin(by: Any) -> float:
    require_finite("by", by, above=-math.inf)
    return float(by)

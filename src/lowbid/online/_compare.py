"""Two arms compared: evidence, and an interval of the difference, that hold at all times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from lowbid._require import require_confidence, require_finite
from lowbid.errors import InvalidValueError
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._gains import Gains


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


def compared(core: Core, arm: Any, other: Any, by: Any, confidence: float) -> Comparison:
    """An arm compared with another."""
    require_confidence(confidence)
    margin = _margin(by)
    core.roster.require(arm)
    core.roster.require(other)
    if arm == other:
        raise InvalidValueError(f"{arm!r} was given twice; give two different arms.")
    return _compared(Gains.of(core), arm, other, margin, confidence, pairs=1)


def compared_with_control(
    core: Core, control: Any, by: Any, confidence: float
) -> dict[Arm, Comparison]:
    """Every other arm compared with one; all intervals hold together."""
    require_confidence(confidence)
    margin = _margin(by)
    core.roster.require(control)
    gains = Gains.of(core)
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
    difference, low, high = gains.in_units(arm, other, error)
    evidence = gains.evidence(arm, other, by)
    sure = evidence >= math.log(1.0 / error)
    return Comparison(difference, low, high, sure, evidence, by, float(confidence))


def _margin(by: Any) -> float:
    require_finite("by", by, above=-math.inf)
    return float(by)

"""What a policy that does not learn would have earned, from a log of another one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._require import invalid, require_finite, require_probability
from lowbid.errors import InvalidValueError, UnanswerableError, UnknownNameError
from lowbid.logs import Log, read_log
from lowbid.offline._estimators import ESTIMATORS, Estimated, Weighted, effective_size
from lowbid.offline._interval import interval_of
from lowbid.offline._support import propensities_of, require_tried
from lowbid.offline._target import read_target

Range = tuple[float, float]


class OffPolicyEstimate(NamedTuple):
    """The value of a policy per decision, by one method.

    Attributes
    ----------
    value : float
        The mean reward, or loss, of a decision.
    se : float
        Its standard error; NaN if the log has too little information.
    low, high : float
        The interval that covers the true value with about the requested confidence; infinite, or
        the declared range, if the log has too little information.
    """

    value: float
    se: float
    low: float
    high: float


class Evaluation(Mapping[str, OffPolicyEstimate]):
    """The value of a policy per decision: one `OffPolicyEstimate` per method.

    Attributes
    ----------
    kind : {"loss", "reward"}
        What was measured.
    lines : int
        The number of decisions in the log.
    effective_size : float
        The number of decisions by the policy itself with as much information, by Kish's formula.
    logged : float
        The mean of the logged values, which is what the logging policy earned.
    cap : float
        The largest weight of capped IPS.
    confidence : float
        The confidence of the intervals.
    """

    def __init__(
        self,
        estimates: dict[str, OffPolicyEstimate],
        log: Log,
        weighted: Weighted,
        confidence: float,
    ) -> None:
        self._estimates = estimates
        self.kind, self.lines, self.confidence = log.kind, len(log), confidence
        self.effective_size = effective_size(weighted.weights)
        self.logged, self.cap = float(log.values.mean()), weighted.cap

    def __getitem__(self, method: str) -> OffPolicyEstimate:
        if method not in self._estimates:
            known = ", ".join(map(repr, self._estimates))
            raise UnknownNameError(f"no estimate by {method!r} was made; there are {known}.")
        return self._estimates[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    def __repr__(self) -> str:
        head = f"{'method':9}  {self.kind:>10}  {f'{self.confidence:.0%} interval':>24}"
        rows = [
            f"{method:9}  {found.value:10.4g}  [{found.low:10.4g}, {found.high:10.4g}]"
            for method, found in self.items()
        ]
        logged = f"as logged  {self.logged:10.4g}"
        size = f"{self.lines} decisions, worth {self.effective_size:.0f} of the policy's own"
        return "\n".join([head, "-" * len(head), *rows, logged, size])


def evaluate(
    policy: Any,
    log: Any,
    *,
    methods: Sequence[str] | None = None,
    cap: float | None = None,
    value_range: Range | None = None,
    confidence: float = 0.95,
) -> Evaluation:
    """Estimate what a policy that does not learn would have earned per decision.

    Parameters
    ----------
    policy : str, int or mapping
        An arm, which is always chosen, or the probability of each arm. For policies that learn, use
        `replay`.
    log : Log, path, frame, mapping or list
        The log, with the probability of each choice in the column ``propensity``; see `read_log`
        for other names. Without that column, the arms must have been chosen uniformly.
    methods : sequence of str, optional
        Some of "replay", "ips", "snips", "capped" and "dr"; by default all that apply. Replay needs
        a single arm, and a log in which all arms were equally likely.
    cap : float, optional
        The largest weight of capped IPS; by default the square root of the number of lines.
    value_range : (float, float), optional
        The smallest and the largest possible reward, or loss. Intervals stay inside it, and capped
        IPS uses it to bound the effect of the cap; by default, the observed values are used.
    confidence : float
        The confidence of the intervals.

    Returns
    -------
    Evaluation
        One estimate with its interval per method.

    Raises
    ------
    UnanswerableError
        If the log cannot answer: an arm was never tried, or its propensities cannot be true.

    Examples
    --------
    >>> import lowbid
    >>> log = {"arm": ["a", "b"] * 200, "reward": [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0] * 50,
    ...        "propensity": [0.5] * 400}
    >>> lowbid.evaluate({"a": 0.9, "b": 0.1}, log, methods=["ips", "dr"])
    method         reward              95% interval
    -----------------------------------------------
    ips               0.5  [    0.4239,     0.5883]
    dr                0.5  [    0.4301,     0.5699]
    as logged         0.5
    400 decisions, worth 244 of the policy's own
    """
    read = read_log(log)
    confidence = _read_confidence(confidence)
    ends = _read_range(value_range, read)
    target = read_target(policy, read)
    chances = propensities_of(read)
    for arm in np.flatnonzero(target):
        require_tried(read, chances, int(arm))
    if cap is not None:
        require_finite("cap", cap, above=0.0)
    largest = math.sqrt(len(read)) if cap is None else float(cap)
    weighted = Weighted(read.choices, read.values, target[read.choices] / chances, target, largest)
    estimates = {
        method: _estimate(ESTIMATORS[method](weighted), weighted, confidence, ends)
        for method in _read_methods(methods, target, chances, read)
    }
    return Evaluation(estimates, read, weighted, confidence)


def _estimate(
    found: Estimated, log: Weighted, confidence: float, ends: Range | None
) -> OffPolicyEstimate:
    around = interval_of(found.errors, int((log.weights > 0.0).sum()), confidence)
    lowest, highest = (float(log.values.min()), float(log.values.max())) if ends is None else ends
    # The weight that was cut off belongs to values between the smallest and the largest one.
    low = found.value - around.below + min(found.lost * lowest, 0.0)
    high = found.value + around.above + max(found.lost * highest, 0.0)
    if ends is not None:
        low, high = min(max(low, lowest), highest), max(min(high, highest), lowest)
    return OffPolicyEstimate(found.value, around.se, low, high)


def _read_methods(
    methods: Sequence[str] | None, target: Floats, chances: Floats, log: Log
) -> list[str]:
    replayable = _why_not_replay(target, chances, log)
    if methods is None:
        return [method for method in ESTIMATORS if method != "replay" or not replayable]
    given = [methods] if isinstance(methods, str) else list(methods)
    for method in given:
        if method not in ESTIMATORS:
            known = ", ".join(map(repr, ESTIMATORS))
            raise UnknownNameError(f"there is no method {method!r}; choose from {known}.")
        if method == "replay" and replayable:
            raise UnanswerableError(replayable)
    if not given:
        raise InvalidValueError("methods is empty; give at least one, such as 'dr'.")
    return given


def _why_not_replay(target: Floats, chances: Floats, log: Log) -> str:
    """The reason why replay cannot answer; empty if it can."""
    if target.max() < 1.0:
        return "replay needs a policy that always chooses one arm; use 'snips' or 'dr'."
    if not np.allclose(chances, 1.0 / len(log.arms), rtol=1e-6, atol=0.0):
        return (
            "replay needs a log in which all arms were equally likely, but its propensities range "
            f"from {chances.min():.3g} to {chances.max():.3g}; use 'snips' or 'dr'."
        )
    return ""


def _read_confidence(confidence: float) -> float:
    require_probability("confidence", confidence)
    return float(confidence)


def _read_range(value_range: Any, log: Log) -> Range | None:
    if value_range is None:
        return None
    try:
        low, high = (float(end) for end in value_range)
    except (TypeError, ValueError) as error:
        raise invalid("value_range", value_range, "give two numbers, such as (0, 1).") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise invalid("value_range", value_range, "give two finite numbers, the smaller first.")
    outside = np.flatnonzero((log.values < low) | (log.values > high))
    if len(outside):
        line, value = log.lines[outside[0]], log.values[outside[0]]
        raise InvalidValueError(
            f"{log.unit} {line} of {log.name} has the {log.kind} {value:g}, which is outside "
            f"{value_range!r}; give the true range."
        )
    return low, high

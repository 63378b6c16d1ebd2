"""The evidence that decides claims: regrets run by run, times, and sizes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid.report import Kind, figure, interval
from lowbid.simulation import Estimate, Result, estimate

# Rules that do the same differ only by rounding errors, which do not count.
_NOTHING = 1e-9


class Regret(NamedTuple):
    """The regret of one policy in one test, (run, checkpoint)."""

    checkpoints: npt.NDArray[np.int64]
    values: Floats


@dataclasses.dataclass(frozen=True)
class Study:
    """All measurements under one choice of settings.

    Attributes
    ----------
    regrets : mapping
        The regret of each (test, policy).
    costs : mapping
        Seconds and bytes, as `measure_costs` returns them; empty if they were not measured.
    """

    regrets: Mapping[str, Mapping[str, Regret]]
    costs: Mapping[str, Any]

    @classmethod
    def of(cls, results: Mapping[str, Result], costs: Mapping[str, Any]) -> Study:
        """A study of the results of some tests."""
        return cls({test: regrets_of(result) for test, result in results.items()}, costs)

    def at(self, test: str, policy: str, step: float) -> Floats | None:
        """The regret of each run after a step, or after a fraction of the horizon if below 1."""
        regret = self.regrets.get(test, {}).get(policy)
        if regret is None:
            return None
        wanted = step if step > 1 else step * regret.checkpoints[-1]
        if wanted > regret.checkpoints[-1] or wanted < regret.checkpoints[0]:
            return None
        return regret.values[:, np.searchsorted(regret.checkpoints, wanted, side="right") - 1]


def regrets_of(result: Result) -> dict[str, Regret]:
    """The regret of each policy."""
    return {
        name: Regret(result.checkpoints, result.regret[i]) for i, name in enumerate(result.policies)
    }


Measure = Callable[[Study, float], Estimate | None]


class Outcome(NamedTuple):
    """The result of a check."""

    text: str
    kind: Kind


@dataclasses.dataclass(frozen=True)
class ClaimCheck:
    """A number that is below zero if the claim holds.

    Attributes
    ----------
    text : str
        A description of the number.
    measure : function
        Maps a study and a confidence to the number with its interval, or to None if it was not
        measured.
    show : function
        Formats the number as text.
    """

    text: str
    measure: Measure
    show: Callable[[Estimate], str]

    def look(self, study: Study, confidence: float) -> Outcome:
        """Decide, provided that the interval lies on one side of zero."""
        found = self.measure(study, confidence)
        if found is None:
            return Outcome("not measured", "none")
        kind: Kind = (
            "good" if found.high < -_NOTHING else "bad" if found.low > -_NOTHING else "open"
        )
        return Outcome(self.show(found), kind)


def combination(test: str, *terms: tuple[float, str, float]) -> Measure:
    """The mean of a weighted sum of regrets, run by run: (weight, policy, step) each."""

    def measure(study: Study, confidence: float) -> Estimate | None:
        samples = [study.at(test, policy, step) for _, policy, step in terms]
        if any(sample is None for sample in samples):
            return None
        found = [sample for sample in samples if sample is not None]
        runs = min(len(sample) for sample in found)
        weights = [weight for weight, _, _ in terms]
        return estimate(sum(w * x[:runs] for w, x in zip(weights, found, strict=True)), confidence)  # type: ignore[arg-type]

    return measure


def difference(found: Estimate) -> str:
    """A difference with its interval."""
    if max(abs(found.low), abs(found.high)) < _NOTHING:
        return "none at all"
    return f"{figure(found.mean)} {interval(found.low, found.high)}"


def lower(test: str, first: str, second: str) -> ClaimCheck:
    """The first policy's regret is the lower one."""
    measure = combination(test, (1.0, first, 1.0), (-1.0, second, 1.0))
    return ClaimCheck(f"{_place(test)}{first} less {second}", measure, difference)


def close(test: str, first: str, to: str, scale: str, part: float) -> ClaimCheck:
    """The first policy's regret is above the second's by at most a part of a third one's lead."""
    measure = combination(test, (1.0, first, 1.0), (-(1.0 - part), to, 1.0), (-part, scale, 1.0))
    text = f"{_place(test)}{first} minus {to}, minus {part:.0%} of ({scale} minus {to})"
    return ClaimCheck(text, measure, difference)


def similar(test: str, first: str, second: str, within: float) -> tuple[ClaimCheck, ClaimCheck]:
    """Two regrets differ by at most a part of the second one, either way."""
    above = combination(test, (1.0, first, 1.0), (-(1.0 + within), second, 1.0))
    below = combination(test, (-1.0, first, 1.0), (1.0 - within, second, 1.0))
    place = _place(test)
    return (
        ClaimCheck(f"{place}{first} minus {1 + within:g} times {second}", above, difference),
        ClaimCheck(f"{place}{1 - within:g} times {second} minus {first}", below, difference),
    )


def near_linear(test: str, policy: str, part: float, until: float = 1.0) -> ClaimCheck:
    """Up to a part of the horizon, the second half of the steps adds nearly as much regret."""
    measure = combination(test, (1.0 + part, policy, until / 2.0), (-1.0, policy, until))
    steps = "the steps" if until == 1.0 else f"the first {until:.0%} of steps"
    text = f"{part:.0%} of {policy}'s regret in the first half of {steps}, minus that in the second"
    return ClaimCheck(f"{_place(test)}{text}", measure, difference)


def jump(test: str, policy: str, step: int, width: int) -> tuple[ClaimCheck, ClaimCheck]:
    """Around a step, regret grows faster than just before it and just after it."""
    low, high = step - width // 2, step + width // 2
    during = ((-1.0, policy, float(high)), (1.0, policy, float(low)))
    before = combination(
        test, (1.0, policy, float(low)), (-1.0, policy, float(low - width)), *during
    )
    after = combination(
        test, (1.0, policy, float(high + width)), (-1.0, policy, float(high)), *during
    )
    growth = f"{policy}'s growth in the {width} steps {{}} {low} to {high}"
    text = f"{_place(test)}{growth}, minus that between"
    return (
        ClaimCheck(text.format("before"), before, difference),
        ClaimCheck(text.format("after"), after, difference),
    )


def wider(test: str, first: str, second: str) -> ClaimCheck:
    """The first policy's regret varies more between runs."""

    def measure(study: Study, confidence: float) -> Estimate | None:
        ours, theirs = study.at(test, first, 1.0), study.at(test, second, 1.0)
        if ours is None or theirs is None:
            return None
        runs = min(len(ours), len(theirs))
        ours, theirs = ours[:runs], theirs[:runs]
        return estimate((theirs - theirs.mean()) ** 2 - (ours - ours.mean()) ** 2, confidence)

    return ClaimCheck(
        f"{_place(test)}variance of {second} minus variance of {first}", measure, difference
    )


def saved(low: tuple[str, ...], high: tuple[str, ...], policy: str, against: str) -> ClaimCheck:
    """A larger part of a rival's regret is saved in some tests than in others."""

    def part(study: Study, test: str) -> Floats | None:
        ours, theirs = study.at(test, policy, 1.0), study.at(test, against, 1.0)
        if ours is None or theirs is None or theirs.mean() == 0:
            return None
        ratio = ours.mean() / theirs.mean()
        # The ratio of two means, linearised so that runs can be averaged.
        return 1.0 - ratio - (ours - ratio * theirs) / theirs.mean()

    def measure(study: Study, confidence: float) -> Estimate | None:
        parts = [[part(study, test) for test in tests] for tests in (high, low)]
        if any(each is None for tests in parts for each in tests):
            return None
        ours, theirs = (np.mean([x for x in tests if x is not None], axis=0) for tests in parts)
        return estimate(ours - theirs, confidence)

    names = [" and ".join(test.replace("test-", "") for test in tests) for tests in (high, low)]
    text = f"part of {against}'s regret that {policy} saves in tests {names[0]}, minus {names[1]}"
    return ClaimCheck(text, measure, difference)


def faster(
    first: tuple[str, str], second: tuple[str, str], at_most: float, text: str
) -> ClaimCheck:
    """One time is at most a multiple of another; times are named by policy and horizon."""

    def measure(study: Study, confidence: float) -> Estimate | None:
        times = study.costs.get("seconds_per_step", {})
        found = [times.get(policy, {}).get(horizon) for policy, horizon in (first, second)]
        if not all(found):
            return None
        ours, theirs = (np.asarray(x) for x in found)
        return estimate(np.log(ours / theirs) - math.log(at_most), confidence)

    return ClaimCheck(text, measure, lambda found: _times(found, at_most))


def slower(
    first: tuple[str, str], second: tuple[str, str], at_least: float, text: str
) -> ClaimCheck:
    """One time is at least a multiple of another."""
    swapped = faster(second, first, 1.0 / at_least, text)

    def show(found: Estimate) -> str:
        turned = Estimate(-found.mean, found.sd, found.se, -found.high, -found.low)
        return _times(turned, at_least)

    return ClaimCheck(text, swapped.measure, show)


def smaller(
    first: tuple[str, str], second: tuple[str, str], at_most: float, text: str
) -> ClaimCheck:
    """The size of one state is at most a multiple of another's."""

    def measure(study: Study, confidence: float) -> Estimate | None:
        sizes = study.costs.get("bytes", {})
        found = [sizes.get(policy, {}).get(horizon) for policy, horizon in (first, second)]
        if not all(found):
            return None
        excess = float(found[0]) / float(found[1]) - at_most
        return Estimate(excess, 0.0, 0.0, excess, excess)

    def show(found: Estimate) -> str:
        return f"{figure(found.mean + at_most)} times, at most {figure(at_most)} would fit"

    return ClaimCheck(text, measure, show)


def _times(found: Estimate, limit: float) -> str:
    mean, low, high = (limit * math.exp(x) for x in (found.mean, found.low, found.high))
    return f"{figure(mean)} times {interval(low, high)}, against {figure(limit)}"


def _place(test: str) -> str:
    return f"test {test.removeprefix('test-')}: "

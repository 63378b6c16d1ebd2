"""Whether a log can answer at all: its propensities, and the arms that it has tried."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid.errors import UnanswerableError
from lowbid.logs import Log

# A difference of this many standard errors between shares and propensities is not due to chance.
TOO_FAR = 5.0
_ROUNDING = 1e-9

_ADVICE = (
    "Either these are not the probabilities with which arms were chosen, or the arm could not be "
    "chosen in a part of the log, as under a deterministic rule; then use only the other part."
)


class Share(NamedTuple):
    """How often an arm was chosen, compared with its propensities.

    Attributes
    ----------
    observed : float
        Its share of the lines.
    ratio : float
        The mean over all lines of 1 / propensity where the arm was chosen, and 0 where it was
        not: about 1 if the propensities are true.
    distance : float
        How far the ratio is from 1, in standard errors.
    """

    observed: float
    ratio: float
    distance: float


def propensities_of(log: Log) -> Floats:
    """The probability of each line's arm; without a column, 1 over the number of arms."""
    if len(log) == 0:
        raise UnanswerableError(f"{log.name} has no {log.unit}s; nothing can be estimated from it.")
    if log.propensities is not None:
        return log.propensities
    chances = np.full(len(log), 1.0 / len(log.arms))
    for arm, name in enumerate(log.arms):
        share = share_of(log, chances, arm)
        if abs(share.distance) > TOO_FAR:
            raise UnanswerableError(
                f"{log.name} has no propensities, and its arms were not chosen uniformly: "
                f"{name!r} has {share.observed:.1%} of the {log.unit}s, not {chances[0]:.1%}. Log "
                "the probability of each choice in a column 'propensity'."
            )
    return chances


def require_tried(log: Log, chances: Floats, arm: int) -> None:
    """Refuse an arm about which the log says nothing, or contradicts itself."""
    name = log.arms[arm]
    share = share_of(log, chances, arm)
    if share.observed == 0.0:
        raise UnanswerableError(
            f"arm {name!r} was never logged, so nothing is known about its {log.plural}; leave it "
            "out."
        )
    if abs(share.distance) > TOO_FAR:
        said = float(chances[log.choices == arm].mean())
        raise UnanswerableError(
            f"the propensities of arm {name!r} contradict its share: it has {share.observed:.1%} "
            f"of the {log.unit}s, at propensities of {said:.3g} on average. {_ADVICE}"
        )


def share_of(log: Log, chances: Floats, arm: int) -> Share:
    """How often an arm was chosen, compared with its propensities."""
    chosen = log.choices == arm
    inverse = np.where(chosen, 1.0 / chances, 0.0)
    ratio = float(inverse.mean())
    apart = 0.0 if abs(ratio - 1.0) < _ROUNDING else ratio - 1.0
    # With few choices, their spread says little. It is at least what it would be if the arm's
    # propensities were the same in all lines, and if missing choices were in lines with the lowest.
    steady = float(np.mean(1.0 / chances[chosen])) - 1.0 if chosen.any() else 0.0
    missing = max(-apart, 0.0) * (1.0 / float(chances.min()) - 1.0)
    error = math.sqrt(max(float(inverse.var()), steady, missing) / len(log))
    distance = apart / error if error > 0.0 else math.inf * apart if apart else 0.0
    return Share(float(chosen.mean()), ratio, distance)

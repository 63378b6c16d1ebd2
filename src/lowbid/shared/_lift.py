"""The policy's choices compared with the control arm, by an interval that holds at all times.

The outcomes of each of the two groups, units that the policy decides for and units that are held
out, are one sequence. Its interval is for the running average of the outcomes' means, each given
everything before it: for the arms' means, weighted as the arms were played. So it holds however the
arms were chosen, however many there are, and also if their means change.

With a declared range it is an empirical Bernstein bound [1]_. Let S be the sum of the outcomes,
scaled to [0, 1], minus their means, and V the sum of their squared differences from a guess made
before each. For every x in [0, 1), the process exp(x S + (x + log(1 - x)) V) is a nonnegative
supermartingale that starts at 1, and so is a mixture of such processes: by Ville's inequality, it
ever reaches 1/error with a probability of at most the error. Without a range, it is an
asymptotic confidence sequence, which holds for averages of changing means too [2]_.

References
----------
.. [1] S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021). Time-uniform, nonparametric,
   nonasymptotic confidence sequences. Annals of Statistics 49. Theorem 4; section 3 on mixtures.
.. [2] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024). Time-uniform central
   limit theory and asymptotic confidence sequences. Annals of Statistics 52. Section 2.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from lowbid._compile import kernel
from lowbid._require import require_confidence
from lowbid.online import COUNT, MEAN, Feedback, Ledger, Range, asymptotic_sequence, record

# The groups' rows.
DECIDED, HELD_OUT = 0, 1

# The mixture: values of x, and the logarithms of their weights, which add up to less than 1.
_STEPS = np.arange(20)
_RATES = 0.75 * 0.5**_STEPS
_COSTS = -np.log1p(-_RATES) - _RATES
_LOG_WEIGHTS = -np.log((_STEPS + 1.0) * (_STEPS + 2.0))
_NEWTON_STEPS = 8


class Lift(NamedTuple):
    """The policy's choices compared with the control arm.

    Attributes
    ----------
    difference : float
        The mean outcome of the units that the policy decided for, minus that of the units held out.
        NaN until there are outcomes of both.
    low, high : float
        The interval for the true difference: the means of the arms, weighted as they were played so
        far, minus the mean of the control arm. It holds at all times simultaneously, so you may
        look as often as you like.
    verdict : {"better", "worse", "undecided"}
        What the interval shows of the policy's choices relative to the control arm, at this
        confidence. "worse" needs attention: usually the control arm is the best one, and the others
        are still being tried.
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
    verdict: Literal["better", "worse", "undecided"]
    decided: float
    held_out: float
    decided_count: int
    held_out_count: int
    confidence: float


@kernel
def record_surprise(
    ledger: Ledger, surprises: Ledger, group: int, value: float, low: float, width: float
) -> None:
    """Record an outcome of a group; `width` is 0 if no range was declared."""
    count = ledger[group, COUNT]
    if width > 0.0:
        guess = (0.5 + count * (ledger[group, MEAN] - low) / width) / (count + 1.0)
        surprise = (value - low) / width - guess
        surprises[group] += surprise * surprise
    record(ledger, group, value, low, 0.0)


def average_intervals(
    ledger: Ledger, surprises: Ledger, declared: Range | None, error: float
) -> Ledger:
    """An interval (low, high) per row; each ever misses with at most this probability."""
    if declared is None:
        return asymptotic_sequence(ledger, error)
    low, high = declared
    counts = ledger[:, COUNT]
    half = _deviation(surprises, error / 2.0) / np.maximum(counts, 1.0)
    centre = np.where(counts > 0.0, (ledger[:, MEAN] - low) / (high - low), 0.5)
    ends = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return low + (high - low) * ends


def _deviation(surprises: Ledger, error: float) -> Ledger:
    """A sum S that the mixture allows with at most this probability, given V.

    The mixture's logarithm is convex in S, so Newton's method approaches the sum at which it
    reaches its limit from above: every step is a valid bound.
    """
    limit = -math.log(error)
    costs = _LOG_WEIGHTS - _COSTS * surprises[:, np.newaxis]
    found = ((limit - costs) / _RATES).min(axis=1)  # where one part of the mixture suffices
    for _ in range(_NEWTON_STEPS):
        parts = costs + _RATES * found[:, np.newaxis]
        largest = parts.max(axis=1)
        parts = np.exp(parts - largest[:, np.newaxis])
        total = parts.sum(axis=1)
        slope = (parts @ _RATES) / total
        found = found - (largest + np.log(total) - limit) / slope
    return found


def lift_bounds(bounds: Ledger) -> Ledger:
    """The interval of the difference, from the two groups' intervals (group, ..., low and high)."""
    difference: Ledger = bounds[DECIDED] - bounds[HELD_OUT, ..., ::-1]
    return difference


def lift_of(
    ledger: Ledger, surprises: Ledger, feedback: Feedback | None, confidence: float
) -> Lift:
    """The two groups compared."""
    require_confidence(confidence)
    declared = None if feedback is None else feedback.declared
    counts = ledger[:, COUNT]
    decided, held_out = np.where(counts > 0.0, ledger[:, MEAN], math.nan).tolist()
    low = high = math.nan
    if counts.all():
        error = (1.0 - confidence) / 2.0
        bounds = average_intervals(ledger, surprises, declared, error)
        low, high = lift_bounds(bounds).tolist()
    rewards = feedback is not None and feedback.rewards
    verdict = _verdict(low, high) if rewards else _verdict(-high, -low)
    numbers = (int(counts[DECIDED]), int(counts[HELD_OUT]), float(confidence))
    return Lift(decided - held_out, low, high, verdict, decided, held_out, *numbers)


def _verdict(low: float, high: float) -> Literal["better", "worse", "undecided"]:
    """What an interval of a gain shows; NaN shows nothing."""
    return "better" if low > 0.0 else "worse" if high < 0.0 else "undecided"
